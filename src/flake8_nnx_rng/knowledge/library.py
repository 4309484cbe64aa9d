"""Which library classes matter, and one canonical name for each thing.

Sources: nnx-ppo 0.3.0 (`nnx_ppo.networks`), flax 0.12.8 (`flax.nnx`).
"""

from __future__ import annotations

STATEFUL = "nnx_ppo.StatefulModule"
SAMPLER = "nnx_ppo.ActionSampler"
MODULE = "flax.nnx.Module"
OUTPUT = "nnx_ppo.StatefulModuleOutput"
NETWORK_OUTPUT = "nnx_ppo.PPONetworkOutput"
EXTRAS = "rollout_extras"
"""The name of what the rollout emits and of what the replay is given, always the same."""

INITIALIZE, RESET = "initialize_state", "reset_state"
"""The methods that PPO calls beside the module itself: `f(batch_size)` and `f(prev_state)`."""

INHERITED = {name: f"{STATEFUL}.{name}" for name in (INITIALIZE, RESET)}
"""What a module that does not define them has instead: no carry, and the carry as it was."""

OUTPUT_FIELDS = ("next_state", "output", "regularization_loss", "metrics", EXTRAS)

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

REFERENCE_CLASSES: dict[str, tuple[str, ...]] = {
    "nnx_ppo.CategoricalSampler": (SAMPLER,),
    "nnx_ppo.BernoulliGate": (STATEFUL,),
    "nnx_ppo.Dropout": (STATEFUL,),
    "nnx_ppo.NoisyDense": (STATEFUL,),
}
"""Classes that only this project's reference has, and their bases."""

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
    **REFERENCE_CLASSES,
    MODULE: (),
}
"""Library classes and their bases."""

_TOLD = CLASSES.keys() | {OUTPUT}


def is_library(name: str) -> bool:
    """Whether the tables say what a name stands for, so that its source is not read."""
    return canonical(name) in _TOLD


KEY_CARRIERS = ("VariationalBottleneck", "AR1VariationalBottleneck", "BernoulliGate", "NoisyDense")
"""Library classes whose carry has keys, under their last names."""


def canonical(name: str) -> str:
    """One name for each thing, whichever module it was imported from.

    >>> canonical("flax.nnx.nn.stochastic.Dropout")
    'flax.nnx.Dropout'
    >>> canonical("nnx_ppo_ref.types.StatefulModule")
    'nnx_ppo.StatefulModule'
    >>> canonical("flax.nnx.rnglib.Rngs.normal")
    'flax.nnx.Rngs.normal'
    """
    package, _, rest = name.partition(".")
    parts = name.split(".")
    if package in REFERENCE_PACKAGES and rest and parts[-1][:1].isupper():
        return f"nnx_ppo.{parts[-1]}"
    if package in ("flax", "jax") and "initializers" in parts[1:-1]:
        return f"jax.nn.initializers.{parts[-1]}"
    if parts[:2] == ["flax", "nnx"]:
        inner = [part for part in parts[2:-1] if part[:1].isupper() or part == "bridge"]
        return ".".join(["flax", "nnx", *inner, parts[-1]])
    return name
