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
