"""Prints how fast ours trains, nnx-ppo being 1: `python benchmarks/ppo_speed.py [ROUNDS]`.

gymnax's Pendulum, 16 steps, 4 epochs of 4 minibatches, two hidden layers of 64 in actor and critic.
The libraries take turns on one core; a figure is the median over rounds of the ratio of their times
for the same number of environment steps. CPU time is the process's, which a busy machine disturbs
less than the clock. Both run their compiled step as their `train_ppo` does: ours on arrays, nnx-ppo
under `nnx.jit`.

Needs the test extra: `pip install -e '.[test]'`.
"""

from __future__ import annotations

import contextlib
import os
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

# One core, before JAX makes its threads.
with contextlib.suppress(AttributeError):  # only Linux has it
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
sys.path.insert(0, str(Path(__file__).parents[1]))

import jax
from flax import nnx
from nnx_ppo.algorithms import ppo as theirs

from nnx_ppo_ref.algorithms.config import PPOConfig
from nnx_ppo_ref.algorithms.initial import new_training_state
from nnx_ppo_ref.algorithms.learner import take_apart
from nnx_ppo_ref.algorithms.static import Static
from nnx_ppo_ref.algorithms.step import StepScalars, StepSettings, compiled_step
from nnx_ppo_ref.environments import gymnax
from tests.nnx_ppo_ref.networks.libraries import OURS, THEIRS, Library

LENGTH, EPOCHS, MINIBATCHES = 16, 4, 4
SIZES = (64, 256, 1024)
STEPS_PER_ROUND = 65_536

Step = Callable[[], Any]
Network = Callable[[Library, nnx.Rngs], Any]


def stateless(lib: Library, rngs: nnx.Rngs) -> Any:
    return lib.make_mlp_actor_critic(
        3, 1, [64, 64], [64, 64], rngs, activation=nnx.tanh, normalize_obs=False
    )


def stateful(*middle: Callable[[Library, nnx.Rngs], Any]) -> Network:
    """The same actor with something between its hidden layers."""

    def build(lib: Library, rngs: nnx.Rngs) -> Any:
        actor = [
            lib.Dense(3, 64, rngs, activation=nnx.tanh),
            *(layer(lib, rngs) for layer in middle),
            lib.Dense(64, 2, rngs),
            lib.NormalTanhSampler(rngs, entropy_weight=1e-2),
        ]
        critic = lib.make_mlp([3, 64, 64, 1], rngs, nnx.tanh, activation_last_layer=False)
        return lib.PPOAdapter(lib.Sequential(actor), critic)

    return build


NETWORKS: dict[str, Network] = {
    "stateless": stateless,
    "bottleneck": stateful(
        lambda lib, rngs: lib.Dense(64, 16, rngs),
        lambda lib, rngs: lib.VariationalBottleneck(8, rngs, 1e-3),
        lambda lib, rngs: lib.Dense(8, 64, rngs, activation=nnx.tanh),
    ),
    "LSTM": stateful(lambda lib, rngs: lib.LSTM(64, 64, rngs)),
}


def our_step(env: Any, network: Network, n_envs: int) -> Step:
    state = new_training_state(env, network(OURS, nnx.Rngs(0)), n_envs, 0)
    definitions, learner = take_apart(state)
    config = PPOConfig()
    settings = StepSettings(n_envs, LENGTH, EPOCHS, MINIBATCHES, True, False)
    scalars = StepScalars(*(getattr(config, name) for name in StepScalars._fields))
    static = Static(env)

    def step() -> Any:
        nonlocal learner
        learner, _, _ = compiled_step(static, definitions, settings, scalars, learner)
        return learner.steps_taken

    return step


def their_step(env: Any, network: Network, n_envs: int) -> Step:
    state = theirs.new_training_state(env, network(THEIRS, nnx.Rngs(0)), n_envs, 0)
    compiled = nnx.jit(theirs.ppo_step, static_argnums=(0, 2, 3, 6, 7, 8, 9, 10, 11, 12, 13))
    config = PPOConfig()

    def step() -> Any:
        nonlocal state
        state, _ = compiled(
            env,
            state,
            n_envs,
            LENGTH,
            config.gae_lambda,
            config.discounting_factor,
            config.clip_range,
            True,
            False,
            EPOCHS,
            MINIBATCHES,
            1.0,
            theirs.LoggingLevel.LOSSES,
            None,
        )
        return state.steps_taken

    return step


@contextlib.contextmanager
def compilations() -> Iterator[list[float]]:
    """Seconds of each compilation of a large program."""
    made: list[float] = []

    def note(event: str, seconds: float, **_: Any) -> None:
        if event.endswith("backend_compile_duration") and seconds > 0.5:
            made.append(seconds)

    jax.monitoring.register_event_duration_secs_listener(note)
    yield made
    jax.monitoring.unregister_event_duration_listener(note)


def warm_up(step: Step) -> str:
    """Compiles; returns how often and how long."""
    with compilations() as made:
        began = time.perf_counter()
        for _ in range(3):
            jax.block_until_ready(step())
        elapsed = time.perf_counter() - began
    return f"{len(made)} x, {elapsed:4.1f} s"


def measure(step: Step, calls: int) -> tuple[float, float]:
    """CPU seconds and seconds by the clock."""
    cpu, clock = time.process_time(), time.perf_counter()
    for _ in range(calls):
        jax.block_until_ready(step())
    return time.process_time() - cpu, time.perf_counter() - clock


def main(rounds: int) -> None:
    env = gymnax.make("Pendulum-v1")
    print(f"{'network':<11} {'envs':>5} {'CPU':>6} {'clock':>6} {'ours, steps/s':>14}   compiled")
    for name, network in NETWORKS.items():
        for n_envs in SIZES:
            ours, reference = our_step(env, network, n_envs), their_step(env, network, n_envs)
            compiled = f"ours {warm_up(ours)}, nnx-ppo {warm_up(reference)}"
            calls = max(2, STEPS_PER_ROUND // (n_envs * LENGTH))
            pairs = []
            for _ in range(rounds):
                pairs.append((measure(reference, calls), measure(ours, calls)))
            cpu, clock = (
                statistics.median(there[which] / here[which] for there, here in pairs)
                for which in (0, 1)
            )
            fastest = calls * n_envs * LENGTH / min(here[0] for _, here in pairs)
            print(
                f"{name:<11} {n_envs:>5} {cpu:6.2f} {clock:6.2f} {fastest:14,.0f}   {compiled}",
                flush=True,
            )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 7)
