"""Which library classes matter, and one canonical name for each thing.

Sources: nnx-ppo 0.3.0 (`nnx_ppo.networks`), flax 0.12.8 (`flax.nnx`).
"""

from __future__ import annotations

STATEFUL = "nnx_ppo.StatefulModule"
SAMPLER = "nnx_ppo.ActionSampler"
MODULE = "flax.nnx.Module"
OUTPUT = "nnx_ppo.StatefulModuleOutput"
OUTPUT_FIELDS = ("next_state", "output", "regularization_loss", "metrics", "rollout_extras")

MARKERS = ("nnx_ppo", "StatefulModule", "ActionSampler")
"""A file in which none of these occurs cannot name a base class that counts."""

REFERENCE_PACKAGES = ("nnx_ppo", "nnx_ppo_ref")
"""Packages with nnx-ppo's names: the library and this project's reference."""

STATELESS_PACKAGES = frozenset(
    {
        "builtins",
        "brax",
        "chex",
        "distrax",
        "equinox",
        "flax",
        "haiku",
        "jax",
        "jaxtyping",
        "numpy",
        "optax",
        "torch",
        "typing_extensions",
    }
)
"""Packages that define no `StatefulModule`, so their classes hide none."""

CLASSES: dict[str, tuple[str, ...]] = {
    STATEFUL: (MODULE,),
    SAMPLER: (STATEFUL,),
    "nnx_ppo.NormalTanhSampler": (SAMPLER,),
    **{
        f"nnx_ppo.{name}": (STATEFUL,)
        for name in (
            "AR1VariationalBottleneck",
            "Concat",
            "Delay",
            "Dense",
            "Filter",
            "Flattener",
            "LSTM",
            "Map",
            "Merge",
            "Normalizer",
            "PPOAdapter",
            "Parallel",
            "PopulationGraph",
            "Recorder",
            "Scale",
            "Sequential",
            "Splitter",
            "VariationalBottleneck",
        )
    },
    MODULE: (),
}
"""Library classes and their bases."""

_NNX_IMPLEMENTATION = (
    "flax.nnx.rnglib.",
    "flax.nnx.module.",
    "flax.nnx.variablelib.",
    "flax.nnx.helpers.",
    "flax.nnx.graph.",
    "flax.nnx.statelib.",
    "flax.nnx.nn.",
    "flax.nnx.transforms.",
)


def canonical(name: str) -> str:
    """One name for each thing, whichever module it was imported from.

    >>> canonical("flax.nnx.nn.stochastic.Dropout")
    'flax.nnx.Dropout'
    >>> canonical("nnx_ppo_ref.types.StatefulModule")
    'nnx_ppo.StatefulModule'
    """
    package, _, rest = name.partition(".")
    last = name.rpartition(".")[2]
    if package in REFERENCE_PACKAGES and rest and last[:1].isupper():
        return f"nnx_ppo.{last}"
    if ".initializers." in name and package in ("flax", "jax"):
        return f"jax.nn.initializers.{last}"
    if name.startswith(_NNX_IMPLEMENTATION):
        return f"flax.nnx.{last}"
    return name
