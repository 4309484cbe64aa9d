"""What only one pass does, or only one step, or only one environment, is seen."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
from flax import nnx

from nnx_ppo_ref.oracle import check

INPUT = jnp.zeros(3)
ENVS = 7
"""The size of the batch that `check` runs, if it is not told another."""


def split(keys: Any) -> Any:
    return jax.vmap(lambda key: tuple(jax.random.split(key)))(keys)


def normal(keys: Any, x: Any) -> Any:
    return jax.vmap(lambda key, row: jax.random.normal(key, row.shape))(keys, x)


def test_another_environments_noise_is_seen_though_it_is_hardly_heard(layer: Any) -> None:
    def step(module: Any, keys: Any, x: Any) -> Any:
        keys, use = split(keys)
        # Only in a minibatch, whose noise is that of the rollout, but of others in it.
        swapped = use[::-1] if len(x) < ENVS else use
        return keys, x + 1e-9 * normal(swapped, x)

    assert check(layer(step), INPUT).failed == ("replay",)


def counter(self: Any, batch: int) -> Any:
    return jnp.zeros(batch, jnp.int32)


def test_noise_that_only_the_last_step_has_is_compared(layer: Any) -> None:
    def draw(x: Any) -> Any:
        return 1e-9 * jax.random.normal(jax.random.key(0), x.shape)

    def step(module: Any, count: Any, x: Any) -> Any:
        return count + 1, x + jax.lax.cond(count[0] == 5, draw, jnp.zeros_like, x)

    assert "replay" in check(layer(step, initialize_state=counter), INPUT).failed


def test_a_result_that_only_the_last_step_has_is_compared(layer: Any) -> None:
    def step(module: Any, count: Any, x: Any) -> Any:
        late = (count == 5).astype(x.dtype)[:, None]
        return count + 1, x + late * x.mean(axis=0)

    assert check(layer(step, initialize_state=counter), INPUT).failed == ("replay",)


def test_a_loss_that_is_a_mean_over_the_batch_does_not_replay(layer: Any, library: Any) -> None:
    def call(self: Any, state: Any, x: Any, rollout_extras: Any = None) -> Any:
        loss = x.mean(axis=-1) - x.mean()
        return library.StatefulModuleOutput(state, x, loss, {})

    assert check(layer(lambda *_: None, __call__=call), INPUT).failed == ("replay",)


def writing(library: Any, in_replay: bool) -> Any:
    """A call that writes in one of the passes what the output depends on, to no effect."""

    def call(self: Any, state: Any, x: Any, rollout_extras: Any = None) -> Any:
        if (rollout_extras is not None) == in_replay:
            self.count[...] += 1.0
        output = x + jnp.minimum(self.count[...], 0.0)
        return library.StatefulModuleOutput(state, output, jnp.zeros(len(x)), {}, x)

    return call


def test_state_that_only_the_rollout_writes_is_seen(layer: Any, library: Any) -> None:
    module = layer(lambda *_: None, __call__=writing(library, in_replay=False))
    assert "purity" in check(module, INPUT).failed


def test_state_that_only_the_replay_writes_is_seen(layer: Any, library: Any) -> None:
    module = layer(lambda *_: None, __call__=writing(library, in_replay=True))
    assert "purity" in check(module, INPUT).failed


def test_a_minibatch_must_run_without_extras_too(layer: Any, library: Any) -> None:
    def call(self: Any, state: Any, x: Any, rollout_extras: Any = None) -> Any:
        if rollout_extras is None:
            x = x.reshape(7, 3)
        return library.StatefulModuleOutput(state, x, jnp.zeros(len(x)), {}, x)

    report = check(layer(lambda *_: None, __call__=call), INPUT, batch_size=7)
    assert "trace" in report.failed
    assert "the call for the value after the last step raises" in report["trace"].evidence


def test_a_key_that_a_reset_uses_and_gives_back_is_used_twice(layer: Any) -> None:
    def step(module: Any, state: Any, x: Any) -> Any:
        keys, use = split(state["key"])
        return {"key": keys, "bias": state["bias"]}, x + state["bias"] + normal(use, x)

    def biased(keys: Any) -> Any:
        draw = jnp.vectorize(lambda key: jax.random.normal(key, (3,)), signature="()->(n)")
        return {"key": keys, "bias": draw(keys)}

    def start(self: Any, batch: int) -> Any:
        keys = jax.random.split(self.rngs(), batch)
        return {"key": keys, "bias": jnp.zeros((batch, 3))}

    module = layer(step, initialize_state=start, reset_state=lambda self, s: biased(s["key"]))
    assert check(module, INPUT).failed == ("hygiene",)


def test_what_a_reset_makes_of_the_whole_batch_is_not_put_back_with_its_keys(layer: Any) -> None:
    def step(module: Any, state: Any, x: Any) -> Any:
        keys, use = split(state["key"])
        return {"key": keys, "seen": x}, x + normal(use, x) + state["seen"]

    def start(self: Any, batch: int) -> Any:
        return {"key": jax.random.split(self.rngs(), batch), "seen": jnp.zeros((batch, 3))}

    def reset(self: Any, state: Any) -> Any:
        seen = jnp.broadcast_to(state["seen"].mean(axis=0), state["seen"].shape)
        return {"key": jax.random.split(self.rngs(), state["key"].shape), "seen": seen}

    report = check(layer(step, initialize_state=start, reset_state=reset), INPUT)
    assert set(report.failed) == {"replay", "trace"}, str(report)


def scored(library: Any, keys: Any, action: Any, raw: Any) -> Any:
    """The output of a sampler that emits `raw`."""
    output = {"action": action, "log_likelihood": action.sum(axis=-1)}
    return library.StatefulModuleOutput(keys, output, jnp.zeros(len(action)), {}, raw)


def test_an_action_that_is_noise_alone_must_be_the_rollouts(layer: Any, library: Any) -> None:
    def call(self: Any, keys: Any, x: Any, rollout_extras: Any = None) -> Any:
        return scored(library, keys, self.rngs.normal(x.shape), None)

    report = check(layer(lambda *_: None, __call__=call), INPUT)
    assert {"replay", "lock", "purity"} <= set(report.failed)


def test_a_sampler_whose_stored_action_is_moved_may_not_write_its_stream(
    layer: Any, library: Any
) -> None:
    def call(self: Any, keys: Any, x: Any, rollout_extras: Any = None) -> Any:
        raw = self.linear(x) + self.rngs.normal(x.shape)
        raw = raw if rollout_extras is None else rollout_extras
        return scored(library, keys, raw + self.linear(jnp.ones_like(x)), raw)

    report = check(layer(lambda *_: None, __call__=call), INPUT)
    assert set(report.failed) == {"lock", "purity"}, str(report)


def test_an_action_that_one_change_of_the_parameters_leaves_is_tried_with_others(
    layer: Any, library: Any
) -> None:
    def call(self: Any, keys: Any, x: Any, rollout_extras: Any = None) -> Any:
        return scored(library, keys, x + jnp.sign(self.threshold[...]), x)

    # Whatever the first change adds, one of the two keeps its sign.
    for threshold in (1.0, -1.0):
        module = layer(lambda *_: None, __call__=call)
        module.threshold = nnx.Param(jnp.array(threshold))
        assert check(module, INPUT).failed == ("lock",)
