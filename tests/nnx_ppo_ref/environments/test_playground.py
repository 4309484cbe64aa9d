"""The Playground adapter: on a stand-in everywhere, on Playground itself where it is installed."""

from __future__ import annotations

import sys
from types import ModuleType, SimpleNamespace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from flax import struct

from nnx_ppo_ref.environments import PlaygroundEnv
from nnx_ppo_ref.environments.playground import make

from ..contract import assert_types_are_fixed


@struct.dataclass
class _State:
    """The fields of Playground's state."""

    data: Any
    obs: Any
    reward: Any
    done: Any
    metrics: dict[str, Any]
    info: dict[str, Any]


class _Slide:
    """As Playground's environments do, it carries its key in `info` and writes into that dict.

    Its reward is weakly typed after a step, as Playground's pendulum's is. It falls beyond 2.
    """

    observation_size = 1
    action_size = 1

    def reset(self, rng: jax.Array) -> Any:
        use, rng = jax.random.split(rng)
        place = jax.random.uniform(use, (1,))
        return _State(place, place, jnp.zeros(()), jnp.zeros(()), {}, {"rng": rng, "last": place})

    def step(self, state: Any, action: jax.Array) -> Any:
        state.info["last"] = state.data
        place = state.data + action
        done = (place[0] > 2.0).astype(jnp.float32)
        reward = jnp.where(place[0] > 1.0, 1.0, 0.0)
        return state.replace(data=place, obs=place, reward=reward, done=done)


@pytest.fixture
def stand_in(monkeypatch: pytest.MonkeyPatch) -> None:
    """Playground with one environment."""

    def load(name: str, config_overrides: dict[str, Any]) -> _Slide:
        assert name == "Slide"
        assert config_overrides == {"impl": "jax"}
        return _Slide()

    module = ModuleType("mujoco_playground")
    module.registry = SimpleNamespace(  # type: ignore[attr-defined]
        ALL_ENVS=("Slide",),
        get_default_config=lambda name: SimpleNamespace(episode_length=3),
        load=load,
    )
    monkeypatch.setitem(sys.modules, "mujoco_playground", module)


def test_it_is_an_environment_for_nnx_ppo() -> None:
    types = pytest.importorskip("nnx_ppo.algorithms.types")
    env = PlaygroundEnv(_Slide(), 3)
    assert isinstance(env, types.RLEnv)
    assert isinstance(env.reset(jax.random.key(0)), types.EnvState)
    assert (env.observation_size, env.action_size) == (1, 1)


def test_a_step_returns_the_types_that_a_reset_returns() -> None:
    assert_types_are_fixed(PlaygroundEnv(_Slide(), 3), jnp.zeros(1))


@pytest.mark.parametrize(
    ("push", "ends"),
    [
        (0.1, [(0.0, False), (0.0, False), (1.0, True)]),  # the clock
        (2.1, [(1.0, False), (1.0, False), (1.0, False)]),  # a fall, also on the last step
    ],
)
def test_an_episode_ends_by_the_clock_or_by_a_fall(
    push: float, ends: list[tuple[float, bool]]
) -> None:
    env = PlaygroundEnv(_Slide(), 3)
    state, seen = env.reset(jax.random.key(0)), []
    for _ in ends:
        state = env.step(state, jnp.array([push]))
        seen.append((float(state.done), bool(state.info["truncated"])))
    assert seen == ends
    assert state.info["episode_step"] == 3


def test_the_state_that_is_stepped_from_stays_as_it_was() -> None:
    env = PlaygroundEnv(_Slide(), 3)
    start = env.step(env.reset(jax.random.key(0)), jnp.ones(1))
    before = dict(start.info)
    after = env.step(start, jnp.ones(1))
    assert all(start.info[name] is value for name, value in before.items())
    assert after.info["last"] == start.obs


@pytest.mark.parametrize(("asked", "given"), [(None, 3), (5, 5)])
def test_the_configuration_gives_the_length_that_is_not_asked_for(
    stand_in: None, asked: int | None, given: int
) -> None:
    env = make("Slide", episode_length=asked, config_overrides={"impl": "jax"})
    assert env.episode_length == given


def test_unknown_names_and_bad_lengths_are_named(stand_in: None) -> None:
    with pytest.raises(ValueError, match="no environment 'Glide'; it has Slide"):
        make("Glide")
    with pytest.raises(ValueError, match="positive, got 0"):
        PlaygroundEnv(_Slide(), 0)


def test_without_playground_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mujoco_playground", None)
    with pytest.raises(ImportError, match=r'pip install "flake8-nnx-rng\[playground\]"'):
        make("CartpoleBalance")


@pytest.mark.slow
def test_playground_itself_is_rolled_out_in_fixed_types() -> None:
    pytest.importorskip("mujoco_playground")
    env = make("PendulumSwingup", episode_length=4, config_overrides={"impl": "jax"})
    assert_types_are_fixed(env, jnp.zeros(1))

    @jax.jit
    def run(keys: jax.Array) -> tuple[Any, Any]:
        def step(state: Any, _: None) -> tuple[Any, Any]:
            following = jax.vmap(env.step)(state, jnp.zeros((2, 1)))
            return following, (following.obs, following.done, following.info["truncated"])

        return jax.lax.scan(step, jax.vmap(env.reset)(keys), length=4)

    _, (obs, done, truncated) = run(jax.random.split(jax.random.key(0), 2))
    assert np.isfinite(obs).all()
    assert np.array_equal(done[:, 0], [0, 0, 0, 1])
    assert np.array_equal(truncated, done)
