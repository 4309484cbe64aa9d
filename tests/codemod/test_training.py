"""Modules that were broken and then rewritten are trained by nnx-ppo itself.

`ppo_step` of nnx-ppo 0.3.0 records `losses/clipping_fraction` for each minibatch: the share of
importance ratios that are further from 1 than `clip_range`. The loss reports it beside the
gradient, before the optimizer changes a parameter, and the metrics are means over minibatches. At
a learning rate of 0 no minibatch sees a changed parameter: each is a first one, in which every
ratio ought to be 1, and so ought their mean to be 0. Two minibatches of one epoch are halves of
the permuted batch, on which a draw for the whole batch cannot be repeated.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from judging import imported
from mutation.mutants import Mutant, mutants
from mutation.subjects import PPO, SIZE, Layers

from flake8_nnx_rng.codemod.planning.plan import proposals
from flake8_nnx_rng.codemod.proposal import Proposal
from flake8_nnx_rng.source import Document

from .rewriting import PATH, rewritten

pytestmark = pytest.mark.slow
pytest.importorskip("nnx_ppo")

ENVS, STEPS, ACTIONS = 8, 6, 2

Build = Callable[[Any, Layers], Any]


def _layer(width: int, *before: Callable[[Layers], Any]) -> Build:
    """A network with a module of so many features among the layers of its actor."""

    def build(module: Any, layers: Layers) -> Any:
        first = [make(layers) for make in before] or [layers.dense(SIZE)]
        head = [layers.dense(2 * ACTIONS, width), layers.sampler()]
        return _with_critic(layers.chain(*first, module, *head), layers)

    return build


def _with_critic(actor: Any, layers: Layers) -> Any:
    from nnx_ppo.networks.adapter import PPOAdapter

    return PPOAdapter(actor, layers.dense(1))


def _sides(layers: Layers) -> Any:
    from nnx_ppo.networks.containers import Parallel

    return Parallel(a=layers.dense(SIZE), b=layers.dense(SIZE))


NETWORKS: dict[str, Build] = {
    "Dense": _layer(3),
    "LSTM": _layer(3),
    "Delay": _layer(SIZE),
    "VariationalBottleneck": _layer(SIZE // 2),
    "AR1VariationalBottleneck": _layer(SIZE // 2),
    "Concat": _layer(SIZE // 2 + SIZE, _sides),
    "NormalTanhSampler": lambda m, layers: _with_critic(layers.chain(layers.dense(4), m), layers),
    "Sequential": _with_critic,
    "PPOAdapter": lambda module, _: module,
}
"""By class, where a module of it stands in a network."""


class Course:
    """Four numbers that actions push; it ends after a while, or far from the origin."""

    def reset(self, rng: Any) -> Any:
        import jax
        import jax.numpy as jnp

        return self._at(jax.random.uniform(rng, (SIZE,), minval=-1.0), jnp.zeros((), int), rng)

    def step(self, state: Any, action: Any) -> Any:
        import jax.numpy as jnp

        position, clock = state.state
        return self._at(position + 0.2 * jnp.tile(action, 2), clock + 1, state.key)

    def _at(self, position: Any, clock: Any, key: Any) -> Any:
        import jax.numpy as jnp

        from nnx_ppo_ref.environments.types import TimeStep
        from nnx_ppo_ref.trees import strong

        distance = jnp.sum(position**2)
        done = (distance > 4.0) | (clock >= 3)
        return strong(TimeStep(position, -distance, done, {}, {}, state=(position, clock), key=key))


def clipped(network: Any) -> float:
    """The clipping fraction of a first minibatch."""
    from nnx_ppo.algorithms import ppo
    from nnx_ppo.algorithms.types import LoggingLevel

    env: Any = Course()
    state = ppo.new_training_state(env, network, ENVS, seed=0, learning_rate=0.0)
    _, metrics = ppo.ppo_step(
        env,
        state,
        ENVS,
        STEPS,
        gae_lambda=0.9,
        discounting_factor=0.9,
        clip_range=0.2,
        normalize_advantages=True,
        combine_advantages=False,
        n_epochs=1,
        n_minibatches=2,
        logging_level=LoggingLevel.ACTOR_EXTRA,
    )
    return float(metrics["losses/clipping_fraction/mean"])


def clipped_with(mutant: Mutant, source: str, directory: Path) -> float:
    """That of a network with a module of a mutant's class, from a source."""
    subject = mutant.subject
    with imported(source, directory) as file:
        return clipped(NETWORKS[subject.cls](subject.instance(file), Layers(PPO)))


def rewrite_of(mutant: Mutant) -> str | None:
    """The source of a mutant with its class rewritten, or None for one that is left alone."""
    source = mutant.source
    while (proposal := _next(mutant, source)) is not None:
        source = rewritten(source, proposal)
    return None if source == mutant.source else source


def _next(mutant: Mutant, source: str) -> Proposal | None:
    found = proposals(Document(PATH, source))
    return next((p for p in found if p.name == mutant.subject.cls and p.edits), None)


STREAM = "Dense: draw, inline"
SAMPLE = (
    STREAM,
    "VariationalBottleneck: reset to zeros by tree.map",
    "NormalTanhSampler: no extras",
    "PPOAdapter: a child without its extras",
)
"""Of each group of rules; a step takes seconds to compile."""

TRAINED = {f"{m.subject.cls}: {m.fault}": m for m in mutants() if m.subject.library == PPO}


@pytest.fixture(autouse=True)
def quick_to_compile() -> Iterator[None]:
    """Lets XLA skip its optimizations, which cost more than they save here.

    What is compiled for one module serves no other, and hundreds of such programs are more pieces
    of memory than a process may have.
    """
    jax = pytest.importorskip("jax")
    before = jax.config.values["jax_disable_most_optimizations"]
    jax.config.update("jax_disable_most_optimizations", True)
    yield
    jax.config.update("jax_disable_most_optimizations", before)
    jax.clear_caches()


def test_most_ratios_are_clipped_if_a_module_draws_from_its_stream(tmp_path: Path) -> None:
    mutant = TRAINED[STREAM]
    assert clipped_with(mutant, mutant.source, tmp_path) > 0.5


@pytest.mark.parametrize(
    "mutant",
    [
        pytest.param(mutant, id=name, marks=[] if name in SAMPLE else pytest.mark.thorough)
        for name, mutant in TRAINED.items()
    ],
)
def test_no_ratio_is_clipped_once_a_module_is_rewritten(mutant: Mutant, tmp_path: Path) -> None:
    after = rewrite_of(mutant)
    if after is None:
        assert f"{mutant.subject.cls}: {mutant.fault}" not in SAMPLE
        pytest.skip("is left alone")
    assert clipped_with(mutant, after, tmp_path) == 0.0
