"""Environments of gymnax (https://github.com/RobertTLange/gymnax), 1.0 or newer.

gymnax's own `step` resets a finished episode inside the step. Here the rollout resets, so that the
observation of an episode's last step reaches the bootstrap value and the reset's key is the
rollout's. The adapter therefore calls the hooks beneath it: `reset_env`, `step_env`,
`is_truncated`.
"""

from __future__ import annotations

import dataclasses
import importlib
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from nnx_ppo_ref.environments.types import TimeStep
from nnx_ppo_ref.trees import cast_like, strong

EXTRA = 'pip install "flake8-nnx-rng[envs]"'


class GymnaxEnv:
    """A gymnax environment that the rollout resets.

    `done` is terminated or truncated; `info["truncated"]` is truncated and not terminated, so a
    fall on the last step counts as a fall. What gymnax reports in `info` is passed on, and is zero
    after a reset. Leaves have the same dtype after a reset as after a step, none is weakly typed.

    Actions of a discrete space are integers, `[]` or `[1]`. Actions of a bounded continuous space
    are those of a tanh policy: [-1, 1] is mapped onto [low, high] and what lies outside is clipped,
    entry by entry. An entry that lacks a finite bound is not scaled, only clipped at the other one.

    An instance is hashed by identity and never changes: it may be a static argument of `jit`.

    Attributes:
        env: The gymnax environment.
        params: Its parameters.
    """

    def __init__(self, env: Any, params: Any = None) -> None:
        """Adapts an environment.

        Args:
            env: A `gymnax` environment.
            params: Its parameters; the environment's defaults if None.

        Raises:
            TypeError: If the environment is of a gymnax before 1.0, which does not tell truncation
                from termination, or its action space is neither discrete nor a box.
        """
        if not hasattr(env, "is_truncated"):
            raise TypeError(f"{type(env).__name__} is of a gymnax before 1.0; {EXTRA}")
        self.env = env
        self.params = env.default_params if params is None else params
        self._space = env.action_space(self.params)
        self._discrete = hasattr(self._space, "n")
        if not self._discrete:
            self._center, self._half, self._low, self._high = _affine(self._space)
        self._spec = self._trace_step()

    def reset(self, rng: jax.Array) -> TimeStep:
        """Starts an episode.

        Args:
            rng: A key, `[]`; it is split into the reset's key and the one that the steps split.
        """
        reset_key, following = jax.random.split(rng)
        obs, state = self.env.reset_env(reset_key, self.params)
        start = TimeStep(
            obs=obs,
            reward=_zeros(self._spec.reward),
            done=_zeros(self._spec.done),
            info=_zeros(self._spec.info),
            metrics={},
            state=state,
            key=following,
        )
        return cast_like(start, self._spec)

    def step(self, state: TimeStep, action: Any) -> TimeStep:
        """Takes one action; a finished episode is not reset.

        The key is split in gymnax's order, so `gymnax_env.step(state.key, ...)` draws the same.

        Args:
            state: What `reset` or `step` returned.
            action: An integer `[]`, or a `[A]` float array in [-1, 1].

        Raises:
            TypeError: If the action of a discrete space is not an integer.
        """
        return cast_like(self._step(state, self._to_space(action)), self._spec)

    @property
    def observation_size(self) -> Any:
        """Length of a flat observation; otherwise the shape, or a pytree of shapes."""
        shapes = jax.tree.map(lambda leaf: leaf.shape, self._spec.obs)
        return shapes[0] if isinstance(shapes, tuple) and len(shapes) == 1 else shapes

    @property
    def action_size(self) -> int:
        """Number of discrete actions (so, of logits), or of a continuous action's entries."""
        return int(self._space.n) if self._discrete else int(np.prod(self._space.shape))

    def _step(self, state: TimeStep, action: Any) -> TimeStep:
        step_key, following = jax.random.split(state.key)
        obs, inner, reward, terminated, info = self.env.step_env(
            step_key, state.state, action, self.params
        )
        terminated = jnp.asarray(terminated, bool)
        truncated = jnp.asarray(self.env.is_truncated(inner, self.params), bool)
        return TimeStep(
            obs=obs,
            reward=reward,
            done=terminated | truncated,
            info={**info, "truncated": truncated & ~terminated},
            metrics={},
            state=inner,
            key=following,
        )

    def _trace_step(self) -> TimeStep:
        """Shapes and dtypes of a step, which resets are held to."""

        def first_step(key: jax.Array) -> TimeStep:
            reset_key, following = jax.random.split(key)
            obs, state = self.env.reset_env(reset_key, self.params)
            blank = jnp.zeros(())
            start = TimeStep(obs, blank, blank, {}, {}, strong(state), following)
            return self._step(start, jnp.zeros(self._space.shape, self._space.dtype))

        spec: TimeStep = jax.eval_shape(first_step, jax.random.key(0))
        return spec

    def _to_space(self, action: Any) -> Any:
        action = jnp.asarray(action)
        if self._discrete:
            if not jnp.issubdtype(action.dtype, jnp.integer):
                raise TypeError(
                    f"{self.env.name} has discrete actions: expected an integer in "
                    f"[0, {self._space.n}), got an array of {action.dtype}"
                )
        else:
            action = jnp.clip(self._center + self._half * action, self._low, self._high)
        return action.reshape(self._space.shape).astype(self._space.dtype)


def make(name: str, **params: Any) -> GymnaxEnv:
    """Makes a gymnax environment by its name.

    Args:
        name: The name in gymnax's registry, such as `CartPole-v1`.
        **params: Parameters to override, such as `max_steps_in_episode=100`.

    Raises:
        ImportError: If gymnax is not installed.
        ValueError: If gymnax does not know the name.
        TypeError: If the environment has no such parameter.
    """
    try:
        gymnax = importlib.import_module("gymnax")
    except ImportError as error:
        raise ImportError(f"{name} needs gymnax ({error}): {EXTRA}") from error
    if name not in gymnax.registered_envs:
        names = ", ".join(sorted(gymnax.registered_envs))
        raise ValueError(f"gymnax has no environment {name!r}; it has {names}")
    env, defaults = gymnax.make(name)
    known = [field.name for field in dataclasses.fields(defaults)]
    for unknown in params.keys() - set(known):
        raise TypeError(f"{name} has no parameter {unknown!r}; it has {', '.join(known)}")
    return GymnaxEnv(env, dataclasses.replace(defaults, **params))


def _zeros(spec: Any) -> Any:
    return jax.tree.map(lambda leaf: jnp.zeros(leaf.shape, leaf.dtype), spec)


def _affine(space: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Centre, half width, low and high, each of the space's shape; 0 and 1 where unbounded."""
    if not hasattr(space, "low"):
        raise TypeError(f"actions must be a discrete space or a box, not {type(space).__name__}")
    low = np.broadcast_to(np.asarray(space.low, np.float32), space.shape)
    high = np.broadcast_to(np.asarray(space.high, np.float32), space.shape)
    bounded = np.isfinite(low) & np.isfinite(high)
    least, most = np.where(bounded, low, -1), np.where(bounded, high, 1)
    center = (most / 2 + least / 2).astype(np.float32)
    half = (most / 2 - least / 2).astype(np.float32)
    return center, half, low, high
