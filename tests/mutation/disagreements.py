"""Mutants about which linter and oracle disagree although the rule exists, each with its cause."""

DISAGREEMENTS = {
    "nnx_ppo NormalTanhSampler: draw, count set": "no rule is about a sampler that sets its stream",
}
"""By a mutant's name, or by a fault's name for every module."""
