"""Generalized advantage estimation."""

from __future__ import annotations

import jax
import jax.numpy as jnp


def gae(
    rewards: jax.Array,
    values_excl_last: jax.Array,
    last_value: jax.Array,
    done: jax.Array,
    truncation: jax.Array,
    lambda_: float | jax.Array,
    gamma: float | jax.Array,
) -> jax.Array:
    """Generalized advantage estimation (Schulman et al. 2016, arXiv:1506.02438, equation 16).

    With the temporal difference `delta_t = r_t + gamma * V_{t+1} - V_t`, where `V_{t+1}` is 0 after
    the end of an episode, the advantage is `A_t = delta_t + gamma * lambda * A_{t+1}`, and the sum
    stops at the end of an episode. At a truncated step `delta_t` is taken as 0, because the value
    of the state that was cut off is not known.

    Args:
        rewards: `[T, B]`.
        values_excl_last: Value estimates `V_t`, `[T, B]`.
        last_value: Value estimate after the last step, `[B]`.
        done: Whether the episode ended with the step, `[T, B]`.
        truncation: Whether it was cut off, `[T, B]`.
        lambda_: Between 0 (one-step differences) and 1 (whole returns).
        gamma: The discount.

    Returns:
        Advantages, `[T, B]`, without gradient.

    Raises:
        ValueError: If the shapes do not fit.
    """
    if values_excl_last.shape != rewards.shape or last_value.shape != rewards.shape[1:]:
        raise ValueError(
            f"rewards {rewards.shape} need value estimates of the same shape and last values "
            f"{rewards.shape[1:]}, but they have {values_excl_last.shape} and {last_value.shape}"
        )
    next_values = jnp.concatenate([values_excl_last[1:], last_value[None]])
    next_values = jnp.where(done, 0.0, next_values)
    deltas = jnp.where(truncation, 0.0, rewards + gamma * next_values - values_excl_last)

    def step(following: jax.Array, now: tuple[jax.Array, jax.Array]) -> tuple[jax.Array, jax.Array]:
        delta, decay = now
        advantage = delta + decay * following
        return advantage, advantage

    decays = jnp.where(done, 0.0, gamma * lambda_)
    _, advantages = jax.lax.scan(step, jnp.zeros_like(deltas[0]), (deltas, decays), reverse=True)
    return jax.lax.stop_gradient(advantages)
