"""Samplers: a stored action stays, a stream keeps step, and the exemption is earned."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import pytest
from flax import nnx

from nnx_ppo_ref.oracle import Verdict, check

INPUT = jnp.zeros(4)

OPTIONS: dict[str, tuple[dict[str, bool], str]] = {
    "sound": ({}, ""),
    "with an entropy estimate": ({"entropy": True}, ""),
    "with carried keys": ({"carried": True}, ""),
    "emits nothing": ({"emit": False}, "replay lock purity"),
    "ignores its extras": ({"use": False}, "replay lock purity"),
    "emits nothing, with carried keys": ({"emit": False, "carried": True}, "lock"),
    "ignores its extras, with carried keys": ({"use": False, "carried": True}, "lock"),
    "draws only in the rollout": ({"always": False}, "lockstep"),
}


@pytest.mark.parametrize("name", OPTIONS)
def test_a_sampler_alone(name: str, sampler: Any) -> None:
    options, broken = OPTIONS[name]
    report = check(sampler(**options), INPUT)
    assert set(report.failed) == set(broken.split()), str(report)
    assert report["lock"].verdict is not Verdict.NOT_APPLICABLE


@pytest.mark.parametrize("name", OPTIONS)
def test_a_sampler_behind_a_layer(name: str, sampler: Any, layer: Any, chain: Any) -> None:
    options, broken = OPTIONS[name]
    first = layer(lambda m, s, x: (s, jnp.concatenate([m.linear(x), x[:, :1]], axis=-1)))
    report = check(chain(first, sampler(**options)), jnp.zeros(3))
    assert set(report.failed) == set(broken.split()), str(report)


@pytest.mark.parametrize(("give", "hand_on"), [(False, True), (True, False)])
def test_a_container_that_loses_extras(give: bool, hand_on: bool, sampler: Any, chain: Any) -> None:
    report = check(chain(sampler(), give=give, hand_on=hand_on), INPUT)
    assert set(report.failed) == {"replay", "lock", "purity"}
    assert "rollout_extras" in report["replay"].cause


def test_a_sampler_does_not_excuse_what_stands_before_it(
    sampler: Any, layer: Any, chain: Any
) -> None:
    noisy = layer(lambda m, s, x: (s, x + 1e-9 * m.rngs.normal(x.shape)))
    report = check(chain(noisy, sampler()), INPUT)
    assert {"replay", "purity"} <= set(report.failed)
    assert not report["lock"].failed


def test_a_shared_stream_is_not_excused_for_the_other_user(
    sampler: Any, layer: Any, chain: Any
) -> None:
    noisy = layer(lambda m, s, x: (s, x + m.rngs.normal(x.shape)))
    report = check(chain(noisy, sampler(noisy.rngs)), INPUT)
    assert {"replay", "purity"} <= set(report.failed)


def test_a_stream_shared_with_a_module_that_only_seeds_from_it_is_excused(
    sampler: Any, layer: Any, chain: Any
) -> None:
    def carried(module: Any, keys: Any, x: Any) -> Any:
        keys, use = jax.vmap(lambda k: tuple(jax.random.split(k)))(keys)
        return keys, x + jax.vmap(lambda k, row: jax.random.normal(k, row.shape))(use, x)

    seeded = layer(carried)
    assert check(chain(seeded, sampler(seeded.rngs)), INPUT).failed == ()


def test_noise_in_the_loss_is_only_a_samplers_right(library: Any, sampler: Any, chain: Any) -> None:
    class Loss(library.StatefulModule):  # type: ignore[misc]
        def __init__(self) -> None:
            self.rngs = nnx.Rngs(5)

        def __call__(self, state: Any, x: Any, rollout_extras: Any = None) -> Any:
            loss = 1e-9 * self.rngs.normal(x.shape[:1])
            return library.StatefulModuleOutput(state, x, loss, {})

    for module in (Loss(), chain(Loss(), sampler())):
        assert {"replay", "purity"} <= set(check(module, INPUT).failed)


def test_noise_that_comes_back_as_extras_replays(library: Any) -> None:
    class Stored(library.StatefulModule):  # type: ignore[misc]
        def __init__(self) -> None:
            self.rngs = nnx.Rngs(5)

        def __call__(self, state: Any, x: Any, rollout_extras: Any = None) -> Any:
            noise = self.rngs.normal(x.shape) if rollout_extras is None else rollout_extras
            return library.StatefulModuleOutput(state, x + noise, jnp.array(0.0), {}, noise)

    report = check(Stored(), INPUT)
    assert report.failed == ("lockstep",)
    assert report["freshness"].passed


def test_noise_that_only_the_rollout_has_is_missed_in_the_replay(library: Any) -> None:
    class Dropped(library.StatefulModule):  # type: ignore[misc]
        def __init__(self) -> None:
            self.rngs = nnx.Rngs(5)

        def __call__(self, state: Any, x: Any, rollout_extras: Any = None) -> Any:
            noise = 1e-9 * self.rngs.normal(x.shape) if rollout_extras is None else 0.0
            return library.StatefulModuleOutput(state, x + noise, jnp.array(0.0), {}, x)

    assert "replay" in check(Dropped(), INPUT).failed


def test_a_helper_that_draws_for_a_sampler_shares_its_exemption(library: Any, layer: Any) -> None:
    class Sampler(library.StatefulModule):  # type: ignore[misc]
        def __init__(self) -> None:
            self.source = layer(lambda m, s, x: (s, m.rngs.normal(x.shape)))

        def __call__(self, state: Any, x: Any, rollout_extras: Any = None) -> Any:
            noise = self.source((), x).output
            raw = x + noise if rollout_extras is None else rollout_extras
            output = {"action": raw, "log_likelihood": -jnp.sum((raw - x) ** 2, axis=-1)}
            return library.StatefulModuleOutput(state, output, jnp.array(0.0), {}, raw)

    assert check(Sampler(), INPUT).failed == ()


@pytest.mark.slow  # runs without being compiled
def test_a_sampler_that_cannot_be_traced_is_still_judged(library: Any) -> None:
    class Eager(library.StatefulModule):  # type: ignore[misc]
        def __init__(self, use: bool) -> None:
            self.rngs, self.use = nnx.Rngs(5), use

        def __call__(self, state: Any, x: Any, rollout_extras: Any = None) -> Any:
            if bool(x[0, 0] > 1e6):
                x = -x
            raw = x + self.rngs.normal(x.shape)
            if rollout_extras is not None and self.use:
                raw = rollout_extras
            output = {"action": raw, "log_likelihood": -jnp.sum((raw - x) ** 2, axis=-1)}
            return library.StatefulModuleOutput(state, output, jnp.array(0.0), {}, raw)

    assert check(Eager(True), INPUT).failed == ("trace",)
    assert {"replay", "lock", "trace"} <= set(check(Eager(False), INPUT).failed)


def test_nnx_ppos_own_network_only_reuses_a_key() -> None:
    pytest.importorskip("nnx_ppo")
    from nnx_ppo.networks.adapter import PPOAdapter
    from nnx_ppo.networks.containers import Sequential
    from nnx_ppo.networks.feedforward import Dense
    from nnx_ppo.networks.normalizer import Normalizer
    from nnx_ppo.networks.sampling_layers import NormalTanhSampler
    from nnx_ppo.networks.variational import VariationalBottleneck

    rngs = nnx.Rngs(0)
    action = [Dense(4, 8, rngs), VariationalBottleneck(4, rngs), NormalTanhSampler(rngs, 1e-2)]
    network = Sequential([Normalizer(4), PPOAdapter(Sequential(action), Dense(4, 1, rngs))])
    report = check(network, INPUT)
    assert report.failed == ("hygiene",)
    assert report["lock"].passed
    assert report["lockstep"].passed


def test_the_references_bottleneck_breaks_nothing() -> None:
    from nnx_ppo_ref import VariationalBottleneck

    report = check(VariationalBottleneck(2, nnx.Rngs(0)), INPUT)
    assert report.failed == ()
    assert report["hygiene"].passed


@pytest.mark.parametrize("name", ["VariationalBottleneck", "AR1VariationalBottleneck"])
def test_nnx_ppos_bottlenecks_draw_and_split_one_key(name: str) -> None:
    variational = pytest.importorskip("nnx_ppo.networks.variational")
    report = check(getattr(variational, name)(2, nnx.Rngs(0)), INPUT)
    assert report.failed == ("hygiene",)
    assert "KeyReuseError" in report["hygiene"].evidence
    config: Any = jax.config
    assert config.jax_debug_key_reuse  # the check leaves the flag as it was


def split(keys: Any) -> Any:
    return jax.vmap(lambda key: tuple(jax.random.split(key)))(keys)


def normal(keys: Any, x: Any) -> Any:
    return jax.vmap(lambda key, row: jax.random.normal(key, row.shape))(keys, x)


REDRAWN: dict[str, Any] = {
    "a category": lambda keys, x: jax.vmap(jax.random.categorical)(keys, x),
    "a category, one-hot": lambda keys, x: jax.nn.one_hot(
        jax.vmap(jax.random.categorical)(keys, x), 3
    ),
    "the best category": lambda keys, x: jnp.argmax(x, axis=-1),
    "coins": lambda keys, x: jax.vmap(lambda k, p: jax.random.bernoulli(k, nnx.sigmoid(p)))(
        keys, x
    ),
    "a sign": lambda keys, x: jnp.sign(x + normal(keys, x)),
    "clipped": lambda keys, x: jnp.clip(10 * x + normal(keys, x), -1, 1),
}


def policy(draw: Any, *, use: bool) -> Any:
    """A step that draws from carried keys; `use` says whether extras are read."""

    def call(self: Any, keys: Any, x: Any, rollout_extras: Any = None) -> Any:
        keys, used = split(keys)
        logits = self.linear(x)
        action = draw(used, logits)
        if use and rollout_extras is not None:
            action = rollout_extras
        output = {"action": action, "log_likelihood": logits.sum(axis=-1)}
        return self.output(keys, output, jnp.zeros(len(x)), {}, action)

    return call


@pytest.mark.parametrize("name", REDRAWN)
def test_a_discrete_action_that_is_drawn_again_is_not_locked(
    name: str, library: Any, layer: Any
) -> None:
    for use in (False, True):
        call = policy(REDRAWN[name], use=use)
        made = staticmethod(library.StatefulModuleOutput)
        report = check(layer(lambda *_: None, __call__=call, output=made), jnp.zeros(3))
        assert report.failed == (() if use else ("lock",)), str(report)


def test_a_parameter_of_a_kind_of_its_own_is_changed_too(library: Any, layer: Any) -> None:
    class Mean(nnx.Param[Any]):
        pass

    def call(self: Any, keys: Any, x: Any, rollout_extras: Any = None) -> Any:
        keys, used = split(keys)
        action = self.mean[...] + normal(used, x)
        output = {"action": action, "log_likelihood": x.sum(axis=-1)}
        return library.StatefulModuleOutput(keys, output, jnp.zeros(len(x)), {}, action)

    module = layer(lambda *_: None, __call__=call)
    module.mean = Mean(jnp.zeros(3))
    assert check(module, jnp.zeros(3)).failed == ("lock",)


def test_a_stored_action_may_be_put_on_top_of_what_is_observed(library: Any, layer: Any) -> None:
    def call(self: Any, keys: Any, x: Any, rollout_extras: Any = None) -> Any:
        keys, used = split(keys)
        raw = x + normal(used, x) if rollout_extras is None else rollout_extras
        output = {"action": raw + x, "log_likelihood": -jnp.sum((raw - x) ** 2, axis=-1)}
        return library.StatefulModuleOutput(keys, output, jnp.zeros(len(x)), {}, raw)

    report = check(layer(lambda *_: None, __call__=call), jnp.zeros(3))
    assert report.failed == ()
    assert report["lock"].passed


@pytest.mark.parametrize("scale", [0.0, 1e-9])
def test_one_class_may_sample_and_draw_carried_noise(
    scale: float, library: Any, layer: Any
) -> None:
    def call(self: Any, keys: Any, x: Any, rollout_extras: Any = None) -> Any:
        keys, used = split(keys)
        mean = self.linear(x) + normal(used, x) + scale * self.rngs.normal(x.shape)
        raw = mean + self.rngs.normal(x.shape)
        raw = raw if rollout_extras is None else rollout_extras
        score = -jnp.sum((raw - mean) ** 2, axis=-1)
        entropy = jnp.sum(mean + self.rngs.normal(x.shape), axis=-1)
        output = {"action": raw, "log_likelihood": score}
        return library.StatefulModuleOutput(keys, output, entropy, {}, raw)

    report = check(layer(lambda *_: None, __call__=call), jnp.zeros(3))
    assert set(report.failed) == ({"replay", "purity"} if scale else set()), str(report)


@pytest.mark.parametrize("is_moved", [False, True])
def test_a_sampler_keeps_its_exemption_beside_noise_from_a_counted_key_that_nothing_moves(
    is_moved: bool, library: Any, layer: Any
) -> None:
    def call(self: Any, state: Any, x: Any, rollout_extras: Any = None) -> Any:
        env, step = state
        fold = jax.vmap(jax.random.fold_in, in_axes=(None, 0))
        keys = jax.vmap(jax.random.fold_in)(fold(self.key[...], env), step)
        if is_moved:
            self.key[...] = jax.random.fold_in(self.key[...], 99)
        mean = x + normal(keys, x)
        raw = mean + self.rngs.normal(x.shape)
        raw = raw if rollout_extras is None else rollout_extras
        output = {"action": raw, "log_likelihood": -jnp.sum((raw - mean) ** 2, axis=-1)}
        return library.StatefulModuleOutput((env, step + 1), output, jnp.array(0.0), {}, raw)

    def start(self: Any, batch: int) -> Any:
        return jnp.arange(batch), jnp.zeros(batch, int)

    report = check(layer(lambda *_: None, __call__=call, initialize_state=start), jnp.zeros(3))
    assert set(report.failed) == ({"replay", "purity"} if is_moved else set()), str(report)


def test_keys_that_come_back_as_extras_replay(library: Any, layer: Any) -> None:
    def call(self: Any, state: Any, x: Any, rollout_extras: Any = None) -> Any:
        keys = jax.random.split(self.rngs(), len(x))
        keys = keys if rollout_extras is None else rollout_extras
        output = x + normal(keys, x)
        return library.StatefulModuleOutput(state, output, jnp.zeros(len(x)), {}, keys)

    report = check(layer(lambda *_: None, __call__=call), jnp.zeros(3))
    assert report.failed == (), str(report)


def test_a_container_that_copies_extras_excuses_nothing_but_the_sampler(
    library: Any, sampler: Any, layer: Any, chain: Any
) -> None:
    class Copying(library.StatefulModule):  # type: ignore[misc]
        def __init__(self, inner: Any) -> None:
            self.inner = inner

        def initialize_state(self, batch: int) -> Any:
            return self.inner.initialize_state(batch)

        def __call__(self, state: Any, x: Any, rollout_extras: Any = None) -> Any:
            out = self.inner(state, x, rollout_extras)
            extras = jax.lax.stop_gradient(out.rollout_extras)
            return library.StatefulModuleOutput(
                out.next_state, out.output, out.regularization_loss, {}, extras
            )

    def noisy(self: Any, state: Any, x: Any, rollout_extras: Any = None) -> Any:
        return library.StatefulModuleOutput(state, x, self.rngs.normal((len(x),)), {})

    loss = layer(lambda *_: None, __call__=noisy)
    assert check(Copying(sampler()), INPUT).failed == ()
    report = check(Copying(chain(loss, sampler())), INPUT)
    assert set(report.failed) == {"replay", "purity"}
