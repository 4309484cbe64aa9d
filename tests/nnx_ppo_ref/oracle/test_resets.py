"""Resets: under vmap(cond) in the loss, on the whole batch in the rollout."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp

from nnx_ppo_ref.oracle import check

INPUT = jnp.zeros(3)


def carried(module: Any, keys: Any, x: Any) -> Any:
    keys, use = jax.vmap(lambda key: tuple(jax.random.split(key)))(keys)
    return keys, x + jax.vmap(lambda key, row: jax.random.normal(key, row.shape))(use, x)


def resplit(self: Any, keys: Any) -> Any:
    return jax.random.split(self.rngs(), keys.shape) if keys.ndim else self.rngs()


def test_a_reset_from_a_stream_breaks_the_trace_and_replays_with_recorded_keys(layer: Any) -> None:
    report = check(layer(carried, reset_state=resplit), INPUT)
    assert report.failed == ("trace",)
    assert "TraceContextError" in report["trace"].evidence
    assert "vmap(cond)" in report["trace"].cause
    for observable in ("replay", "freshness", "independence"):
        assert report[observable].passed


def test_a_reset_that_draws_more_than_keys_from_a_stream_does_not_replay(layer: Any) -> None:
    def reset(self: Any, state: Any) -> Any:
        shape = state["bias"].shape
        return {"bias": self.rngs.normal(shape)}

    report = check(
        layer(
            lambda m, state, x: (state, x + state["bias"]),
            initialize_state=lambda self, batch: {"bias": self.rngs.normal((batch, 3))},
            reset_state=reset,
        ),
        INPUT,
    )
    assert {"trace", "replay"} <= set(report.failed)


def test_noise_of_an_episode_may_be_drawn_from_carried_keys_at_the_reset(layer: Any) -> None:
    def fresh(keys: Any) -> Any:
        keys, use = jax.vmap(lambda key: tuple(jax.random.split(key)))(keys)
        return {"key": keys, "bias": jax.vmap(lambda key: jax.random.normal(key, (3,)))(use)}

    def reset(self: Any, state: Any) -> Any:
        if state["key"].ndim:
            return fresh(state["key"])
        return jax.tree.map(lambda leaf: leaf[0], fresh(state["key"][None]))

    report = check(
        layer(
            lambda m, state, x: (state, x + state["bias"]),
            initialize_state=lambda self, batch: fresh(jax.random.split(self.rngs(), batch)),
            reset_state=reset,
        ),
        INPUT,
    )
    assert report.failed == (), str(report)
    assert report["independence"].passed


def test_noise_of_an_episode_from_a_constant_key_is_the_same_for_all(layer: Any) -> None:
    report = check(
        layer(
            lambda m, state, x: (state, x + state),
            initialize_state=lambda self, batch: self.rngs.normal((batch, 3)),
            reset_state=lambda self, state: jnp.broadcast_to(
                jax.random.normal(jax.random.key(0), (3,)), state.shape
            ),
        ),
        INPUT,
    )
    assert "independence" in report.failed


def test_a_reset_of_another_dtype_breaks_the_trace(layer: Any) -> None:
    report = check(
        layer(
            lambda m, state, x: (state, x + state),
            initialize_state=lambda self, batch: jnp.zeros((batch, 3)),
            reset_state=lambda self, state: jnp.zeros(state.shape, jnp.int32),
        ),
        INPUT,
    )
    assert report.failed == ("trace",)


def test_a_carry_that_grows_breaks_the_trace(layer: Any) -> None:
    report = check(
        layer(
            lambda m, state, x: (jnp.concatenate([state, x], axis=1), x),
            initialize_state=lambda self, batch: jnp.zeros((batch, 3)),
        ),
        INPUT,
    )
    assert "trace" in report.failed
    assert "float32[7, 3] to float32[7, 6]" in report["trace"].evidence


def test_a_carry_without_batch_breaks_the_trace(layer: Any) -> None:
    report = check(
        layer(lambda m, n, x: (n + 1, x), initialize_state=lambda self, batch: jnp.array(0)), INPUT
    )
    assert report.failed == ("trace",)
    assert "does not begin with the batch" in report["trace"].evidence


def test_a_reset_that_draws_as_many_numbers_as_environments_for_all_is_told_apart(
    layer: Any,
) -> None:
    def reset(self: Any, state: Any) -> Any:
        noise = jax.random.normal(jax.random.key(0), (7,))[:3]
        return jnp.broadcast_to(noise, state.shape)

    report = check(
        layer(
            lambda m, state, x: (state, x + state),
            initialize_state=lambda self, batch: jnp.zeros((batch, 3)),
            reset_state=reset,
        ),
        INPUT,
        batch_size=7,
    )
    assert "independence" in report.failed


def test_a_used_key_that_comes_back_is_seen_though_a_reset_makes_another_of_it(layer: Any) -> None:
    def used(module: Any, keys: Any, x: Any) -> Any:
        keys = jax.vmap(lambda key: jax.random.split(key)[1])(keys)
        return keys, x + jax.vmap(lambda key, row: jax.random.normal(key, row.shape))(keys, x)

    def fold(self: Any, keys: Any) -> Any:
        return jnp.vectorize(lambda key: jax.random.fold_in(key, 0))(keys)

    report = check(layer(used, reset_state=fold), INPUT)
    assert report.failed == ("hygiene",)
