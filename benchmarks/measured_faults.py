"""Prints what each fault does to PPO, run on nnx-ppo: `python benchmarks/measured_faults.py`.

For each layer, placed before the action head of a small network:

- the largest difference between the outputs of a rollout and of its replay on a permuted
  minibatch, at unchanged parameters;
- the share of importance ratios that `ppo_step` clips at learning rate 0, where every ratio
  ought to be 1.

Needs the test extra: `pip install -e '.[test]'`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from flax import nnx
from nnx_ppo.algorithms import ppo
from nnx_ppo.algorithms.types import LoggingLevel
from nnx_ppo.networks.adapter import PPOAdapter
from nnx_ppo.networks.containers import Sequential
from nnx_ppo.networks.feedforward import Dense
from nnx_ppo.networks.sampling_layers import NormalTanhSampler
from nnx_ppo.networks.types import StatefulModule, StatefulModuleOutput

ENVS, STEPS, FEATURES = 64, 16, 16

Draw = Callable[[Any, Any, jax.Array], tuple[Any, jax.Array]]


@jax.tree_util.register_dataclass
@dataclasses.dataclass(frozen=True)
class PointState:
    """A point on a line, with what the library asks of an environment's state."""

    obs: jax.Array
    reward: jax.Array
    done: jax.Array
    info: dict[str, Any]
    metrics: dict[str, Any]


class PointEnv:
    """Moves a point by the action; the reward is the nearness to the origin."""

    def reset(self, rng: jax.Array) -> PointState:
        return self._at(jax.random.uniform(rng, (2,), minval=-1.0, maxval=1.0))

    def step(self, state: PointState, action: jax.Array) -> PointState:
        return self._at(state.obs + 0.1 * action)

    def _at(self, position: jax.Array) -> PointState:
        distance = jnp.sqrt(jnp.sum(position**2))
        return PointState(position, -distance, (distance > 2.0).astype(float), {}, {})


class Noisy(StatefulModule):
    """Adds noise in the way that `draw(module, state, x)` says, which returns state and output."""

    def __init__(self, draw: Draw, rngs: nnx.Rngs) -> None:
        self.draw = draw
        self.rngs = rngs
        self.key = nnx.Variable(rngs.noise())
        self.dropout = nnx.Dropout(0.5, rngs=rngs)

    def initialize_state(self, batch_size: int) -> jax.Array:
        return jax.random.split(self.rngs.noise(), batch_size)

    def __call__(self, state: Any, x: jax.Array, rollout_extras: Any = None) -> Any:
        state, y = self.draw(self, state, x)
        return StatefulModuleOutput(state, y, jnp.array(0.0), {})


def carried(module: Noisy, key: jax.Array, x: jax.Array) -> tuple[jax.Array, jax.Array]:
    next_key, use = jax.vmap(lambda k: tuple(jax.random.split(k)))(key)
    return next_key, x + jax.vmap(lambda k, row: jax.random.normal(k, row.shape))(use, x)


def advanced_key(module: Noisy, state: Any, x: jax.Array) -> tuple[Any, jax.Array]:
    following, use = jax.random.split(module.key[...])
    module.key[...] = following
    return state, x + jax.random.normal(use, x.shape)


LAYERS: dict[str, Draw] = {
    "one key per env in the carry": carried,
    "NNX101 class-level stream": lambda m, s, x: (s, x + m.rngs.normal(x.shape)),
    "NNX102 class-level key, not advanced": lambda m, s, x: (
        s,
        x + jax.random.normal(m.key[...], x.shape),
    ),
    "NNX103 class-level key, advanced": advanced_key,
    "NNX104 dropout child": lambda m, s, x: (s, m.dropout(x)),
    "NNX106 constant key": lambda m, s, x: (s, x + jax.random.normal(jax.random.key(0), x.shape)),
    "NNX107 NumPy": lambda m, s, x: (s, x + np.random.normal(size=x.shape)),
}


def largest_difference(draw: Draw) -> float:
    """Between rollout and replay of the layer alone, on a permuted quarter of the batch."""
    layer = Noisy(draw, nnx.Rngs(0))
    xs = jax.random.normal(jax.random.key(1), (STEPS, ENVS, FEATURES))
    minibatch = jax.random.permutation(jax.random.key(2), ENVS)[: ENVS // 4]
    start = layer.initialize_state(ENVS)

    def run(state: Any, inputs: jax.Array) -> jax.Array:
        outputs = []
        for x in inputs:
            result = layer(state, x)
            state = result.next_state
            outputs.append(result.output)
        return jnp.stack(outputs)

    rollout = run(start, xs)[:, minibatch]
    replay = run(start[minibatch], xs[:, minibatch])
    return float(jnp.max(jnp.abs(rollout - replay)))


def clipping_fraction(draw: Draw) -> float:
    """Share of ratios that one `ppo_step` clips before any parameter has changed."""
    rngs = nnx.Rngs(0)
    env = PointEnv()
    observation, action = 2, 2
    network = PPOAdapter(
        action=Sequential(
            [
                Dense(observation, FEATURES, rngs, activation=nnx.tanh),
                Noisy(draw, rngs),
                Dense(FEATURES, 2 * action, rngs),
                NormalTanhSampler(rngs, entropy_weight=1e-3),
            ]
        ),
        value=Dense(observation, 1, rngs),
    )
    state = ppo.new_training_state(env, network, ENVS, seed=0, learning_rate=0.0)
    _, metrics = ppo.ppo_step(
        env,
        state,
        n_envs=ENVS,
        rollout_length=STEPS,
        gae_lambda=0.95,
        discounting_factor=0.95,
        clip_range=0.2,
        normalize_advantages=True,
        combine_advantages=False,
        n_epochs=1,
        n_minibatches=4,
        logging_level=LoggingLevel.ACTOR_EXTRA,
    )
    return float(metrics["losses/clipping_fraction/mean"])


def main() -> None:
    """Prints a table."""
    np.random.seed(0)
    print(f"{'layer':40} {'difference':>10} {'clipped':>8}")
    for name, draw in LAYERS.items():
        print(f"{name:40} {largest_difference(draw):10.2f} {clipping_fraction(draw):8.2f}")


if __name__ == "__main__":
    main()
