"""An evaluation runs one episode in each environment and measures it as nnx-ppo does."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from flax import nnx

from nnx_ppo_ref.algorithms.evaluation import eval_rollout
from nnx_ppo_ref.algorithms.types import LoggingLevel

from ..dummies import Counter
from ..networks.libraries import OURS
from .kinds import KINDS, Walk, build, several_rewards, unoptimized
from .runs import ENV, plain_network
from .test_checks import Plain

EXTRA = ("ENV_METRICS", "NETWORK_METRICS")


@pytest.fixture(autouse=True)
def quick_to_compile() -> Iterator[None]:
    with unoptimized():
        yield


@pytest.mark.parametrize(
    ("dicts", "percentiles", "levels"),
    [
        (True, (0, 50), EXTRA),
        pytest.param(True, None, EXTRA, marks=pytest.mark.slow),
        pytest.param(False, (25,), (), marks=pytest.mark.slow),
        pytest.param(False, None, EXTRA[:1], marks=pytest.mark.slow),
    ],
)
def test_it_measures_what_nnx_ppo_measures(
    dicts: bool, percentiles: tuple[int, ...] | None, levels: tuple[str, ...]
) -> None:
    theirs = pytest.importorskip("nnx_ppo.algorithms.rollout")
    their_level = pytest.importorskip("nnx_ppo.algorithms.types").LoggingLevel
    network = build(several_rewards if dicts else KINDS["everything"], OURS)
    network.eval()

    def of(evaluate: Any, level: Any) -> dict[str, jax.Array]:
        wanted = level.NONE
        for name in levels:
            wanted |= level[name]
        found: dict[str, jax.Array] = evaluate(
            Walk(dicts=dicts, length=4), network, 3, 6, jax.random.key(0), percentiles, wanted
        )
        return found

    ours = of(eval_rollout, LoggingLevel)
    nnx.update(network, nnx.state(build(several_rewards if dicts else KINDS["everything"], OURS)))
    with jax.debug_key_reuse(False):
        jitted = nnx.jit(theirs.eval_rollout, static_argnums=(0, 2, 3, 5, 6))
        expected = of(jitted, their_level)
    assert set(ours) == set(expected)
    for name, value in ours.items():
        np.testing.assert_allclose(value, expected[name], rtol=1e-5, atol=1e-5, err_msg=name)


class Whole(Walk):
    """Starts with whole numbers and flags where a step has floats."""

    def reset(self, rng: jax.Array) -> Any:
        return super().reset(rng).replace(reward=jnp.zeros((), int), done=jnp.zeros(()))


def test_an_environment_may_start_with_other_types_than_it_goes_on_with() -> None:
    metrics = eval_rollout(Whole(), Plain(), 2, 3, jax.random.key(0))
    assert jnp.isfinite(metrics["eval/episode_reward/mean"])


def test_nothing_counts_after_an_episode_is_over() -> None:
    network = Plain(actions=lambda obs: jnp.zeros((obs.shape[0], 2)))
    once, twice = (
        eval_rollout(Walk(length=3), network, 2, length, jax.random.key(0), (0, 100))
        for length in (3, 6)
    )
    for name in once:
        np.testing.assert_allclose(once[name], twice[name], rtol=1e-6)
    assert once["eval/lifespan/p0"] == once["eval/lifespan/p100"] == 2  # as nnx-ppo counts


def test_streams_go_on_as_far_as_the_network_drew() -> None:
    network = build(KINDS["MLP"], OURS)
    counts = [int(leaf) for leaf in jax.tree.leaves(nnx.state(network, nnx.RngCount))]
    eval_rollout(Walk(), network, 2, 3, jax.random.key(0))
    after = [int(leaf) for leaf in jax.tree.leaves(nnx.state(network, nnx.RngCount))]
    assert sum(after) - sum(counts) == 2 * 3  # the sampler draws twice at each step


class Staggered(Counter):
    """Ends after 1 to 4 steps, and says so in that step only; rewards go on, and go up."""

    def reset(self, rng: jax.Array) -> Any:
        use, key = jax.random.split(rng)
        state = super().reset(key)
        return state.replace(state=(state.state, jax.random.randint(use, (), 1, 5)))

    def step(self, state: Any, action: jax.Array) -> Any:
        count, length = state.state
        following = super().step(state.replace(state=count), action)
        return following.replace(
            state=(following.state, length),
            done=following.state == length,
            reward=following.state.astype(jnp.float32),
        )


@pytest.mark.parametrize("longest", [10, 2])
def test_returns_and_lifespans_are_those_that_are_counted_by_hand(longest: int) -> None:
    starts = jax.vmap(Staggered().reset)(jax.random.split(jax.random.key(3), 64))
    lengths = np.asarray(starts.state[1])
    assert set(lengths) == {1, 2, 3, 4}
    steps = np.minimum(lengths, longest)
    returns = steps * (steps + 1) / 2
    # As in nnx-ppo, the step that ends an episode adds to its return, not to its lifespan.
    lifespans = steps - (lengths <= longest)
    found = eval_rollout(Staggered(), plain_network(features=1), 64, longest, jax.random.key(3))
    assert found.keys() == {
        f"eval/{name}/{of}" for name in ("episode_reward", "lifespan") for of in ("mean", "std")
    }
    for name, values in (("episode_reward", returns), ("lifespan", lifespans)):
        np.testing.assert_allclose(found[f"eval/{name}/mean"], values.mean(), rtol=1e-5)
        np.testing.assert_allclose(found[f"eval/{name}/std"], values.std(), rtol=1e-5)


def test_only_without_exploration_is_a_second_evaluation_the_same() -> None:
    network = plain_network()

    def measured() -> float:
        found = eval_rollout(ENV, network, 4, 3, jax.random.key(0))
        return float(found["eval/episode_reward/mean"])

    assert measured() != measured()
    network.eval()  # type: ignore[no-untyped-call]
    assert measured() == measured()
