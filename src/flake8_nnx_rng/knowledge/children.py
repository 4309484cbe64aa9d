"""What the modules of nnx_ppo thread through both passes (nnx-ppo 0.3.0)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto

from flake8_nnx_rng.knowledge import library


class Threads(Enum):
    """Whether a module threads something through both passes."""

    NO = auto()
    AS_CHILDREN = auto()  # as whatever modules it was built with
    YES = auto()


@dataclass(frozen=True, slots=True)
class Promise:
    """What a module needs of whoever calls it.

    Attributes:
        extras: Whether its replay depends on the `rollout_extras` that its rollout emitted.
        carry: Whether it has a state that must be handed on from step to step.
    """

    extras: Threads
    carry: Threads


STATELESS = Promise(Threads.NO, Threads.NO)
SAMPLER = Promise(Threads.YES, Threads.NO)
CARRIER = Promise(Threads.NO, Threads.YES)
CONTAINER = Promise(Threads.AS_CHILDREN, Threads.AS_CHILDREN)

LIBRARY: dict[str, Promise] = {
    f"nnx_ppo.{name}": promise
    for promise, names in {
        STATELESS: "Dense Filter Flattener Normalizer Scale Splitter",
        SAMPLER: "CategoricalSampler NormalTanhSampler",
        CARRIER: "AR1VariationalBottleneck BernoulliGate Delay Dropout LSTM NoisyDense "
        "VariationalBottleneck",
        CONTAINER: "Concat Map Merge PPOAdapter Parallel Recorder Sequential",
    }.items()
    for name in names.split()
} | {"nnx_ppo.PopulationGraph": Promise(Threads.AS_CHILDREN, Threads.YES)}
"""A `Normalizer` emits its input for its statistics alone; its replay is exact without."""

_FACTORIES = {
    "make_mlp": STATELESS,
    "make_mlp_actor_critic": SAMPLER,
    "make_mlp_layers": STATELESS,
}


def promise_of_library(name: str) -> Promise | None:
    """What a class or factory of nnx_ppo promises; None for all else.

    >>> promise_of_library("nnx_ppo.networks.factories.make_mlp") == STATELESS
    True
    """
    package, last = name.partition(".")[0], name.rpartition(".")[2]
    if package in library.REFERENCE_PACKAGES and last in _FACTORIES:
        return _FACTORIES[last]
    return LIBRARY.get(name)
