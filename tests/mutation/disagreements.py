"""Mutants about which linter and oracle disagree although the rule exists, each with its cause."""

DISAGREEMENTS = {
    "nnx_ppo NormalTanhSampler: draw, count set": "no rule is about a sampler that sets its stream",
    "nnx_ppo_ref NormalTanhSampler: no draw in the replay": (
        "NNX403 tells draws apart by their place, and the entropy estimate draws at the same place "
        "by way of the same helper"
    ),
}
"""By a mutant's name, or by a fault's name for every module."""
