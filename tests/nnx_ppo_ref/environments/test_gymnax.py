"""The gymnax adapter against gymnax itself, and against what PPO asks of an environment."""

from __future__ import annotations

import sys
from types import SimpleNamespace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from flax import nnx

from nnx_ppo_ref.environments import GymnaxEnv, TimeStep
from nnx_ppo_ref.environments.gymnax import make

from ..contract import assert_types_are_fixed

NEEDS_A_DOWNLOAD = "MNISTBandit-bsuite"
CHECKED = ("CartPole-v1", "Pendulum-v1", "Catch-bsuite", "Reacher-misc")


@pytest.fixture
def gymnax() -> Any:
    return pytest.importorskip("gymnax")


def _some_action(env: GymnaxEnv) -> jax.Array:
    discrete = hasattr(env.env.action_space(env.params), "n")
    return jnp.ones((), jnp.int32) if discrete else jnp.full(env.action_size, 0.5)


@pytest.mark.parametrize("name", CHECKED)
def test_it_is_an_environment_for_nnx_ppo(gymnax: Any, name: str) -> None:
    types = pytest.importorskip("nnx_ppo.algorithms.types")
    env = make(name)
    assert isinstance(env, types.RLEnv)
    assert isinstance(env.reset(jax.random.key(0)), types.EnvState)


@pytest.mark.parametrize("name", CHECKED)
def test_a_step_returns_the_types_that_a_reset_returns(gymnax: Any, name: str) -> None:
    env = make(name)
    assert_types_are_fixed(env, _some_action(env))


@pytest.mark.slow
def test_every_environment_of_gymnax_can_be_adapted(gymnax: Any) -> None:
    for name in sorted(set(gymnax.registered_envs) - {NEEDS_A_DOWNLOAD}):
        env = make(name)
        assert_types_are_fixed(env, _some_action(env))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "overrides"),
    [
        ("CartPole-v1", {}),  # falls
        ("CartPole-v1", {"max_steps_in_episode": 4}),  # is stopped
        ("Pendulum-v1", {"max_steps_in_episode": 7}),
        ("Catch-bsuite", {}),  # draws in its steps
    ],
)
def test_a_trajectory_is_gymnaxs_own(gymnax: Any, name: str, overrides: dict[str, Any]) -> None:
    """gymnax resets by itself; from the state that it then is in, the adapter goes on."""
    adapter = make(name, **overrides)
    theirs, params = adapter.env, adapter.params
    step = jax.jit(adapter.step)
    reset_key, steps_key = jax.random.split(jax.random.key(3))
    state = adapter.reset(reset_key)
    their_obs, their_state = theirs.reset(_first(reset_key), params)
    ends = 0
    for key in jax.random.split(steps_key, 30):
        assert _close(state.obs, their_obs)
        action = _some_action(adapter)
        their_action = theirs.action_space(params).high * action if action.ndim else action
        state = step(state.replace(key=key), action)
        their_obs, their_state, reward, terminated, truncated, info = theirs.step(
            jax.random.clone(key), their_state, their_action, params
        )
        assert _close(state.obs, info["final_observation"])
        assert _close(state.reward, reward)
        assert state.done == (terminated | truncated)
        assert state.info["truncated"] == (truncated & ~terminated)
        assert state.info["discount"] == info["discount"]
        if state.done:
            ends += 1
            state = state.replace(obs=their_obs, state=their_state)
    assert ends >= 2


def _close(ours: jax.Array, theirs: jax.Array) -> bool:
    """Equal up to rounding, which differs between two compiled programs."""
    return np.allclose(ours, theirs, rtol=1e-4, atol=1e-5)


def _first(key: jax.Array) -> jax.Array:
    """The key that the adapter's reset hands on; a replay, hence the clone."""
    return jax.random.split(jax.random.clone(key))[0]


def test_a_finished_episode_is_left_to_the_rollout(gymnax: Any) -> None:
    env = make("CartPole-v1", max_steps_in_episode=2)
    state, step = env.reset(jax.random.key(0)), jax.jit(env.step)
    for count in (1, 2, 3):
        state = step(state, jnp.int32(0))
        assert state.state.time == count
        assert state.done == (count >= 2)


def test_a_fall_on_the_last_step_is_not_a_truncation(gymnax: Any) -> None:
    env = make("CartPole-v1", max_steps_in_episode=1)
    state = env.reset(jax.random.key(0))
    fallen = env.step(state.replace(state=state.state.replace(theta=jnp.ones(()))), jnp.int32(0))
    assert fallen.done
    assert not fallen.info["truncated"]


def test_it_runs_under_jit_vmap_and_scan(gymnax: Any) -> None:
    env = make("CartPole-v1")

    @jax.jit
    def run(keys: jax.Array) -> tuple[TimeStep, TimeStep]:
        def step(state: TimeStep, _: None) -> tuple[TimeStep, TimeStep]:
            following = jax.vmap(env.step)(state, jnp.ones(3, jnp.int32))
            return following, following

        return jax.lax.scan(step, jax.vmap(env.reset)(keys), length=12)

    final, trajectory = run(jax.random.split(jax.random.key(0), 3))
    assert trajectory.obs.shape == (12, 3, 4)
    assert np.array_equal(final.obs, trajectory.obs[-1])
    assert trajectory.done.any()
    assert len(np.unique(jax.random.key_data(trajectory.key).reshape(-1, 2), axis=0)) == 36


def test_it_is_a_static_argument_and_compiles_once(gymnax: Any) -> None:
    env, traces = make("Pendulum-v1"), []

    @jax.jit
    def step(state: TimeStep) -> TimeStep:
        traces.append(state)
        return env.step(state, jnp.zeros(1))

    step(step(env.reset(jax.random.key(0))))
    assert len(traces) == 1
    reset = jax.jit(lambda env, key: env.reset(key).obs, static_argnums=0)
    assert reset(env, jax.random.key(0)).shape == (3,)


@pytest.mark.parametrize(
    ("action", "torque"), [(-1.0, -2.0), (-0.25, -0.5), (0.0, 0.0), (1.0, 2.0), (3.0, 2.0)]
)
def test_bounded_actions_are_scaled_to_their_bounds(
    gymnax: Any, action: float, torque: float
) -> None:
    env = make("Pendulum-v1")
    state = env.step(env.reset(jax.random.key(0)), jnp.array([action]))
    # What is stored for rendering is the torque that was asked for.
    assert state.state.last_u == torque


def test_unbounded_actions_are_passed_on_and_lopsided_bounds_are_met() -> None:
    inf = float("inf")
    space = SimpleNamespace(
        low=np.array([-inf, 0.0, -1.0]),
        high=np.array([inf, 10.0, inf]),
        shape=(3,),
        dtype=jnp.float32,
    )
    env = GymnaxEnv(_Echo(space), params=())
    state = env.reset(jax.random.key(0))
    for action, taken in (([7.0, -1.0, 3.0], [7.0, 0.0, 3.0]), ([-7.0, 0.5, -9.0], [-7, 7.5, -1])):
        state = env.step(state, jnp.array(action))
        assert np.allclose(state.obs, taken)


@pytest.mark.parametrize("action", [jnp.int32(1), jnp.array([1], jnp.uint8), 1])
def test_a_discrete_action_is_an_integer_of_any_kind(gymnax: Any, action: Any) -> None:
    env = make("CartPole-v1")
    state = env.step(env.reset(jax.random.key(0)), action)
    assert state.obs[1] > 0.05  # pushed to the right


def test_a_discrete_action_that_is_no_integer_is_refused(gymnax: Any) -> None:
    env = make("CartPole-v1")
    state = env.reset(jax.random.key(0))
    with pytest.raises(TypeError, match=r"CartPole-v1 has discrete actions: .*\[0, 2\).*float32"):
        env.step(state, jnp.ones(()))


@pytest.mark.parametrize(
    ("name", "observation_size", "action_size"),
    [("CartPole-v1", 4, 2), ("Pendulum-v1", 3, 1), ("Catch-bsuite", (10, 5), 3)],
)
def test_it_knows_its_sizes(
    gymnax: Any, name: str, observation_size: Any, action_size: int
) -> None:
    env = make(name)
    assert (env.observation_size, env.action_size) == (observation_size, action_size)


def test_legacy_keys_work_too(gymnax: Any) -> None:
    env = make("CartPole-v1")
    state = env.step(env.reset(jax.random.PRNGKey(0)), jnp.int32(0))
    assert state.key.dtype == jnp.uint32


def test_unknown_names_and_parameters_are_named(gymnax: Any) -> None:
    with pytest.raises(ValueError, match=r"no environment 'CartPole'; it has .*CartPole-v1"):
        make("CartPole")
    with pytest.raises(TypeError, match=r"no parameter 'max_steps'; it has .*max_steps_in_episode"):
        make("CartPole-v1", max_steps=3)


def test_without_gymnax_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "gymnax", None)
    with pytest.raises(ImportError, match=r'pip install "flake8-nnx-rng\[envs\]"'):
        make("CartPole-v1")


def test_an_old_gymnax_and_odd_actions_are_refused() -> None:
    with pytest.raises(TypeError, match=r"before 1\.0"):
        GymnaxEnv(SimpleNamespace(), params=())
    with pytest.raises(TypeError, match="a discrete space or a box"):
        GymnaxEnv(_Echo(SimpleNamespace(shape=())), params=())


class _Echo:
    """A stand-in for a gymnax environment: it shows the action that it was given."""

    def __init__(self, space: Any) -> None:
        self.space = space

    def action_space(self, params: Any) -> Any:
        return self.space

    def is_truncated(self, state: jax.Array, params: Any) -> bool:
        return False

    def reset_env(self, key: jax.Array, params: Any) -> tuple[jax.Array, jax.Array]:
        return jnp.zeros(3), jnp.zeros(())

    def step_env(
        self, key: jax.Array, state: jax.Array, action: jax.Array, params: Any
    ) -> tuple[Any, ...]:
        return action, state, 0.0, False, {}


@pytest.mark.slow
def test_nnx_ppo_rolls_it_out_with_a_network_of_its_own(gymnax: Any) -> None:
    rollout = pytest.importorskip("nnx_ppo.algorithms.rollout")
    factories = pytest.importorskip("nnx_ppo.networks.factories")
    env = make("Pendulum-v1", max_steps_in_episode=3)
    network = factories.make_mlp_actor_critic(3, 1, [4], [4], nnx.Rngs(0))
    states = jax.vmap(env.reset)(jax.random.split(jax.random.key(1), 2))
    unroll = nnx.jit(rollout.unroll_env, static_argnums=(0, 4))
    with jax.debug_key_reuse(False):  # it has no rule for a key that is selected from two
        carry = network.initialize_state(2)
        _, final, data = unroll(env, states, network, carry, 7, jax.random.key(2))
    ends = np.arange(1, 8) % 3 == 0
    assert np.array_equal(data.done, np.stack([ends, ends], axis=1))
    assert np.array_equal(data.truncated, data.done)
    # What comes after an end is another start; within an episode one step leads to the next.
    met = np.all(data.next_obs[:-1] == data.obs[1:], axis=-1)
    assert np.array_equal(met, ~np.asarray(data.done[:-1]))
    assert np.array_equal(final.state.time, [1, 1])
