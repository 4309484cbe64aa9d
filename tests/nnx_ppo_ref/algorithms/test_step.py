"""A step of PPO against nnx-ppo's, and what it takes and returns."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from flax import nnx

from nnx_ppo_ref.algorithms import step as module
from nnx_ppo_ref.algorithms.initial import new_training_state
from nnx_ppo_ref.algorithms.rollout import rollout
from nnx_ppo_ref.algorithms.step import compiled_step, ppo_step
from nnx_ppo_ref.algorithms.types import LoggingLevel

from ..dummies import PointMass
from ..networks.libraries import (
    OURS,
    THEIRS,
    THEIRS_AROUND_OURS,
    Library,
    assert_same,
    clone,
    variables,
)
from .kinds import KINDS, Kind, Walk, build, several_rewards, unoptimized
from .test_replay import DrawsAfresh, Noisy, OwnStream

theirs = pytest.importorskip("nnx_ppo.algorithms.ppo")
their_types = pytest.importorskip("nnx_ppo.algorithms.types")

ENVS, STEPS, SEED = 4, 5, 3


@pytest.fixture(autouse=True)
def quick_to_compile() -> Iterator[None]:
    with unoptimized():
        yield


@dataclasses.dataclass(frozen=True)
class Comparison:
    """One step of both algorithms."""

    kind: Kind
    library: Library = OURS
    their_library: Library | None = None
    dicts: bool = False
    level: str = "ALL"
    percentiles: tuple[int, ...] | None = None
    n_epochs: int = 2
    n_minibatches: int = 2
    combine_advantages: bool = False
    normalize_advantages: bool = True
    optimizer: dict[str, Any] = dataclasses.field(default_factory=dict)

    def of(self, library: Library, start: Any, step: Any, level: Any) -> Any:
        network = build(self.kind, library)
        env = Walk(dicts=self.dicts)
        state = start(env, network, ENVS, SEED, 1e-3, **self.optimizer)
        state, metrics = step(
            env,
            state,
            ENVS,
            STEPS,
            0.9,
            0.8,
            0.2,
            self.normalize_advantages,
            self.combine_advantages,
            self.n_epochs,
            self.n_minibatches,
            0.5,
            level[self.level],
            self.percentiles,
        )
        optimizer = nnx.to_pure_dict(nnx.state(state.optimizer))
        return {
            "network": variables(network),
            "optimizer": jax.tree.map(jnp.asarray, optimizer),
            "carry": state.network_states,
            "env": state.env_states,
            "steps": state.steps_taken,
            "metrics": metrics,
        }


def with_their_keys(monkeypatch: pytest.MonkeyPatch, n_epochs: int) -> None:
    """Gives our step the keys that nnx-ppo's has: nothing else shall differ."""
    with jax.debug_key_reuse(False):
        key = jax.random.split(jax.random.key(SEED))[1]
        reset_key, new_key = jax.random.split(key)

    def their_rollout(env: Any, parts: Any, carry: Any, length: int, key: Any) -> Any:
        return rollout(env, parts, carry, length, reset_key)

    def their_indices(key: Any, n_envs: int, n_epochs: int, n_minibatches: int) -> jax.Array:
        orders = [
            jax.random.permutation(jax.random.fold_in(new_key, epoch), n_envs)
            for epoch in range(n_epochs)
        ]
        return jnp.stack(orders).reshape(n_epochs * n_minibatches, n_envs // n_minibatches)

    monkeypatch.setattr(module, "rollout", their_rollout)
    monkeypatch.setattr(module, "minibatch_indices", their_indices)


def compare(case: Comparison, monkeypatch: pytest.MonkeyPatch) -> None:
    their_library = case.their_library or case.library
    with_their_keys(monkeypatch, case.n_epochs)
    # nnx-ppo's bottlenecks use a key twice, and its loss uses all carried keys twice.
    with jax.debug_key_reuse(case.library is OURS):
        ours = case.of(case.library, new_training_state, ppo_step, LoggingLevel)
    with jax.debug_key_reuse(False):
        jitted = nnx.jit(theirs.ppo_step, static_argnums=(0, 2, 3, 7, 8, 9, 10, 12, 13))
        expected = case.of(
            their_library, theirs.new_training_state, jitted, their_types.LoggingLevel
        )
    assert list(ours["metrics"]) and set(ours["metrics"]) == set(expected["metrics"])
    assert_same(ours, expected)


EVERYTHING = KINDS["everything"]
SLOW = {
    "a learned first carry": Comparison(KINDS["LSTM that starts at learned vectors"]),
    "several rewards": Comparison(several_rewards, dicts=True, percentiles=(0, 50, 100)),
    "several rewards, combined": Comparison(
        several_rewards, dicts=True, combine_advantages=True, normalize_advantages=False
    ),
    "one minibatch": Comparison(KINDS["LSTM"], n_minibatches=1),
    "weights decayed": Comparison(KINDS["MLP"], optimizer={"weight_decay": 0.1}),
    "gradients clipped, weights decayed by default": Comparison(
        KINDS["MLP"], optimizer={"weight_decay": True, "gradient_clipping": 0.1}
    ),
    "everything of nnx-ppo's": Comparison(EVERYTHING, THEIRS),
    "theirs around ours": Comparison(EVERYTHING, THEIRS_AROUND_OURS),
}


@pytest.mark.slow
def test_it_equals_nnx_ppos_for_everything_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    compare(Comparison(EVERYTHING), monkeypatch)


THOROUGH = (
    "weights decayed",
    "weights decayed by default",
    "everything of nnx-ppo's",
    "theirs around ours",
    "gradients clipped",
    "gradients clipped, weights decayed by default",
    "a learned first carry",
    "several rewards",
    "several rewards, combined",
    "as many minibatches as environments",
    "LSTM that starts at learned vectors",
    "MLP",
    "one minibatch",
    "ours around theirs",
    "AR1VariationalBottleneck",
    "observations as metrics",
    "no metrics",
    "Delay",
)
"""Of these, the ones that differ least from the others."""


@pytest.mark.slow
@pytest.mark.parametrize(
    "case",
    [
        pytest.param(case, id=name, marks=[pytest.mark.thorough] if name in THOROUGH else [])
        for name, case in SLOW.items()
    ],
)
def test_it_equals_nnx_ppos_for(case: Comparison, monkeypatch: pytest.MonkeyPatch) -> None:
    compare(case, monkeypatch)


# One environment and one network, so that most of what follows compiles nothing.


class Awkward(Walk):
    """Cannot be hashed, and returns weak types: floats where it returned bools."""

    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        return True

    def reset(self, rng: jax.Array) -> Any:
        return super().reset(rng).replace(reward=0.0, done=False)

    def step(self, state: Any, action: Any) -> Any:
        stepped = super().step(state, action)
        return stepped.replace(done=jnp.where(stepped.done, 1.0, 0.0))


@dataclasses.dataclass
class Trained:
    """An environment, a state of it that has been trained on, and how that is done."""

    env: Any
    state: Any

    def step(self, *scalars: float, **others: Any) -> dict[str, Any]:
        gae_lambda, discount, clip_range, critic = scalars or (0.9, 0.8, 0.2, 0.5)
        sizes = {"n_envs": ENVS, "rollout_length": STEPS, "n_epochs": 2, "n_minibatches": 2}
        settings: dict[str, Any] = {
            **sizes,
            "normalize_advantages": True,
            "combine_advantages": False,
            **others,
        }
        self.state, metrics = ppo_step(
            self.env,
            self.state,
            gae_lambda=gae_lambda,
            discounting_factor=discount,
            clip_range=clip_range,
            critic_loss_weight=critic,
            **settings,
        )
        return metrics


def compilations() -> int:
    """How often steps have been compiled."""
    step: Any = compiled_step
    size: int = step._cache_size()
    return size


@pytest.fixture(scope="module")
def awkward() -> Trained:
    with unoptimized(), jax.debug_key_reuse(True):
        env = Awkward()
        network = build(KINDS["VariationalBottleneck"], OURS)
        trained = Trained(env, new_training_state(env, network, ENVS, SEED))
        trained.step()
        return trained


def test_it_compiles_once_whatever_the_scalars(awkward: Trained) -> None:
    compiled = compilations()
    for scalars in [(0.9, 0.8, 0.2, 0.5), (0.5, 0.4, 0.3, 0.2), (1.0, 0.0, 0.1, 0.0)]:
        awkward.step(*scalars)
    assert compilations() == compiled


def test_a_change_of_scalars_has_an_effect(awkward: Trained) -> None:
    before = awkward.step(0.9, 0.8, 0.2, 0.5)["losses/critic/mean"]
    after = awkward.step(0.9, 0.0, 0.2, 0.5)["losses/critic/mean"]
    assert not jnp.allclose(before, after)


def test_it_changes_the_modules_in_place(awkward: Trained) -> None:
    network, optimizer = awkward.state.networks, awkward.state.optimizer
    before = clone(variables(network))
    steps = int(optimizer.step.get_value())
    awkward.step()
    assert awkward.state.networks is network
    assert awkward.state.optimizer is optimizer
    assert int(optimizer.step.get_value()) == steps + 4
    with pytest.raises(AssertionError):
        assert_same(variables(network), before)


def test_it_counts_steps(awkward: Trained) -> None:
    before = float(awkward.state.steps_taken)
    metrics = awkward.step()
    assert metrics["total_steps"] == awkward.state.steps_taken == before + ENVS * STEPS


def test_every_step_has_other_keys(awkward: Trained) -> None:
    seen = [np.asarray(jax.random.key_data(awkward.state.rng_key))]
    for _ in range(3):
        awkward.step()
        seen.append(np.asarray(jax.random.key_data(awkward.state.rng_key)))
    assert len(np.unique(seen, axis=0)) == 4


@pytest.mark.parametrize(
    ("settings", "message"),
    {
        "no environments": ({"n_envs": 0}, "n_envs must be at least 1, got 0"),
        "no steps": ({"rollout_length": 0}, "rollout_length must be at least 1, got 0"),
        "no epochs": ({"n_epochs": 0}, "n_epochs must be at least 1, got 0"),
        "no minibatches": ({"n_minibatches": 0}, "n_minibatches must be at least 1, got 0"),
        "unequal minibatches": ({"n_minibatches": 3}, r"n_envs \(4\) must be a multiple of"),
        "other environments": ({"n_envs": 6}, "n_envs is 6, but the training state has 4"),
    }.values(),
)
def test_sizes_that_do_not_fit_are_refused(
    settings: dict[str, int], message: str, awkward: Trained
) -> None:
    compiled = compilations()
    with pytest.raises(ValueError, match=message):
        awkward.step(**settings)
    assert compilations() == compiled


@pytest.mark.parametrize("impl", ["rbg", "unsafe_rbg"])
def test_keys_that_do_not_replay_are_refused_before_compiling(impl: str, awkward: Trained) -> None:
    compiled = compilations()
    keys = jax.random.split(jax.random.key(0, impl=impl), ENVS)
    state = awkward.state.replace(network_states={"noise": keys})
    with pytest.raises(ValueError, match=r"\['noise'\] is of implementation "):
        Trained(awkward.env, state).step()
    assert compilations() == compiled


@pytest.mark.parametrize(
    ("module", "lowest", "highest"),
    [
        pytest.param(DrawsAfresh, 0.0, 0.0, marks=pytest.mark.slow),
        pytest.param(OwnStream, 0.5, 1.0, marks=pytest.mark.slow),
    ],
)
def test_no_ratio_is_clipped_before_the_first_update_if_draws_replay(
    module: type[Noisy], lowest: float, highest: float
) -> None:
    env = Walk()
    trained = Trained(env, new_training_state(env, module(), ENVS, SEED, learning_rate=0.0))
    metrics = trained.step(logging_level=LoggingLevel.ACTOR_EXTRA)
    assert lowest <= metrics["losses/clipping_fraction/mean"] <= highest


@pytest.mark.slow
@pytest.mark.parametrize("sizes", [(1, 1, 1), (3, 1, 3), (2, 4, 1)])
def test_it_takes_the_smallest_sizes(sizes: tuple[int, int, int]) -> None:
    n_envs, length, n_minibatches = sizes
    env = Walk(flag=float)
    state = new_training_state(env, build(KINDS["LSTM"], OURS), n_envs, SEED)
    state, metrics = ppo_step(
        env, state, n_envs, length, 0.9, 0.9, 0.2, True, False, 2, n_minibatches
    )
    assert all(jnp.isfinite(value).all() for value in metrics.values())


@pytest.mark.slow
@pytest.mark.thorough
def test_it_runs_under_nnx_jit() -> None:
    def stepped(step: Callable[..., Any]) -> Any:
        env, network = Walk(), build(KINDS["LSTM"], OURS)
        state = new_training_state(env, network, ENVS, SEED)
        state, metrics = step(env, state, ENVS, STEPS, 0.9, 0.9, 0.2, True, False, 1, 2)
        return variables(network), metrics, state.env_states, state.steps_taken

    jitted = nnx.jit(ppo_step, static_argnums=(0, 2, 3, 7, 8, 9, 10))
    assert_same(stepped(jitted), stepped(ppo_step))


@pytest.mark.slow
def test_a_state_that_nnx_ppo_made_can_be_trained_on() -> None:
    env, network = PointMass(), OURS.make_mlp_actor_critic(2, 2, [3], [3], nnx.Rngs(0))
    trained = Trained(env, theirs.new_training_state(env, network, ENVS, SEED))
    trained.step()
    compiled = compilations()
    trained.step()
    assert compilations() == compiled
