"""Kinds of networks, and a task for them that ends episodes in both ways."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

import jax
import jax.numpy as jnp
from flax import nnx

from nnx_ppo_ref.environments.types import TimeStep
from nnx_ppo_ref.trees import strong

from ..networks.libraries import Library, trained


@contextlib.contextmanager
def unoptimized() -> Iterator[None]:
    """Lets XLA skip its optimizations, which cost these tests more than they save."""
    before = jax.config.values["jax_disable_most_optimizations"]
    jax.config.update("jax_disable_most_optimizations", True)
    try:
        yield
    finally:
        jax.config.update("jax_disable_most_optimizations", before)


Kind = Callable[[Library, nnx.Rngs], Any]

SIDES = ("left", "right")


class Walk:
    """Two walkers `[2]`; the first to fall ends the episode, and so does the clock.

    With dicts, observations `{"position": [2], "clock": [1]}`, actions `{"left": [1], "right":
    [1]}` and rewards `{"left": [], "right": []}`; else `[3]`, `[2]` and `[]`.
    """

    observation_size = 3
    action_size = 2

    def __init__(self, *, dicts: bool = False, length: int = 3, flag: type = bool) -> None:
        self.dicts = dicts
        self.length = length
        self.flag = flag

    def reset(self, rng: jax.Array) -> TimeStep:
        use, key = jax.random.split(rng)
        return self._state(jax.random.uniform(use, (2,), minval=-0.5), jnp.zeros((), int), key)

    def step(self, state: TimeStep, action: Any) -> TimeStep:
        push = jnp.concatenate([action[s] for s in SIDES]) if self.dicts else action
        position, clock = state.state
        return self._state(position + 0.4 * jnp.sin(3.0 * push), clock + 1, state.key)

    def _state(self, position: jax.Array, clock: jax.Array, key: jax.Array) -> TimeStep:
        fell, late = jnp.any(jnp.abs(position) > 1.0), clock >= self.length
        now = clock[None] / self.length
        rewards: Any = {s: 1.0 - jnp.abs(position[i]) for i, s in enumerate(SIDES)}
        step = TimeStep(
            obs={"position": position, "clock": now}
            if self.dicts
            else jnp.concatenate([position, now]),
            reward=rewards if self.dicts else sum(rewards.values()),
            done=(fell | late).astype(self.flag),
            info={"truncated": (late & ~fell).astype(self.flag)},
            metrics={"fell": fell, "distance": {"each": jnp.abs(position)}},
            state=(position, clock),
            key=key,
        )
        return strong(step)


def behind(*body: Callable[[Library, nnx.Rngs], Any], size: int) -> Kind:
    """An actor with some layers, of which the last has `size` features, and a plain critic."""

    def build(lib: Library, rngs: nnx.Rngs) -> Any:
        head = [lib.Dense(size, 4, rngs), lib.NormalTanhSampler(rngs, 0.1)]
        return lib.PPOAdapter(
            action=lib.Sequential([*(layer(lib, rngs) for layer in body), *head]),
            value=lib.Dense(3, 1, rngs),
        )

    return build


def several_rewards(lib: Library, rngs: nnx.Rngs) -> Any:
    """For dicts: one actor and one critic for each side."""
    return lib.Sequential(
        [
            lib.Normalizer({"position": 2, "clock": 1}),
            lib.Filter({"place": "position", "clock": "clock"}),
            lib.Flattener(),
            lib.PPOAdapter(
                action=lib.Parallel(
                    {
                        side: lib.Sequential(
                            [lib.Dense(3, 2, rngs), lib.NormalTanhSampler(rngs, 0.1)]
                        )
                        for side in SIDES
                    }
                ),
                value=lib.Parallel({side: lib.Dense(3, 1, rngs) for side in SIDES}),
            ),
        ]
    )


KINDS: dict[str, Kind] = {
    "MLP": lambda lib, rngs: lib.make_mlp_actor_critic(
        3, 2, [3], [3], rngs, normalize_obs=True, entropy_weight=0.1
    ),
    "VariationalBottleneck": behind(
        lambda lib, rngs: lib.Dense(3, 4, rngs),
        lambda lib, rngs: lib.VariationalBottleneck(2, rngs, 0.1),
        size=2,
    ),
    "AR1VariationalBottleneck": behind(
        lambda lib, rngs: lib.Dense(3, 4, rngs),
        lambda lib, rngs: lib.AR1VariationalBottleneck(2, rngs, 0.1),
        size=2,
    ),
    "LSTM": behind(lambda lib, rngs: lib.LSTM(3, 2, rngs), size=2),
    "LSTM that starts at learned vectors": behind(
        lambda lib, rngs: lib.LSTM(3, 2, rngs, trainable_initial_state=True), size=2
    ),
    "Delay": behind(lambda lib, rngs: lib.Delay(jnp.zeros(3), 2), size=3),
    "everything": behind(
        lambda lib, rngs: lib.Normalizer(3),
        lambda lib, rngs: lib.Delay(jnp.zeros(3), 1),
        lambda lib, rngs: lib.LSTM(3, 4, rngs, trainable_initial_state=True),
        lambda lib, rngs: lib.VariationalBottleneck(2, rngs, 0.1),
        lambda lib, rngs: lib.Dense(2, 4, rngs),
        lambda lib, rngs: lib.AR1VariationalBottleneck(2, rngs, 0.1),
        size=2,
    ),
}
"""Networks for a `Walk` without dicts."""


def build(kind: Kind, lib: Library, seed: int = 0) -> Any:
    """A network with parameters and statistics that are nowhere zero."""
    return trained(kind(lib, nnx.Rngs(seed)))
