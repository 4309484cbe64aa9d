"""Freshness and independence: what is new noise, and for whom."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from nnx_ppo_ref.oracle import Verdict, check

INPUT = jnp.zeros(3)
Step = Callable[[Any, Any, Any], Any]


def split(keys: Any) -> Any:
    return jax.vmap(lambda key: tuple(jax.random.split(key)))(keys)


def normal(keys: Any, x: Any) -> Any:
    return jax.vmap(lambda key, row: jax.random.normal(key, row.shape))(keys, x)


def drawing(draw: Callable[[Any, Any], Any]) -> Step:
    """A step that splits the carried keys and adds what `draw(keys, x)` says."""

    def step(module: Any, keys: Any, x: Any) -> Any:
        keys, use = split(keys)
        return keys, x + draw(use, x)

    return step


def counted(keys: Any, counter: Any, x: Any) -> Any:
    return x + normal(jax.vmap(jax.random.fold_in)(keys, counter), x)


def counter_carry(self: Any, batch: int) -> Any:
    return {"key": jax.random.split(self.rngs(), batch), "step": jnp.zeros(batch, jnp.int32)}


def counting(module: Any, state: Any, x: Any) -> Any:
    output = counted(state["key"], state["step"], x)
    return {"key": state["key"], "step": state["step"] + 1}, output


def constant_keys(self: Any, state: Any) -> Any:
    return jax.random.wrap_key_data(jnp.zeros_like(jax.random.key_data(state)))


def folded(keys: Any) -> Any:
    """Keys of a batch, as in the rollout, or one, as in the loss."""
    if keys.ndim:
        return jax.vmap(lambda key: jax.random.fold_in(key, 7))(keys)
    return jax.random.fold_in(keys, 7)


SOUND: dict[str, Callable[[Any, Any], Any]] = {
    "poisson": lambda keys, x: jax.vmap(lambda k, r: jax.random.poisson(k, 3.0, r.shape))(keys, x),
    "gamma": lambda keys, x: jax.vmap(lambda k, r: jax.random.gamma(k, jnp.abs(r) + 1))(keys, x),
    "permutation": lambda keys, x: jax.vmap(lambda k: jax.random.permutation(k, 3))(keys),
    "categorical": lambda keys, x: jax.vmap(jax.random.categorical)(keys, x)[:, None],
    "rare bernoulli": lambda keys, x: jax.vmap(
        lambda k, r: jax.random.bernoulli(k, 0.999, r.shape)
    )(keys, x),
    "bytes": lambda keys, x: jax.vmap(lambda k: jax.random.bits(k, (), "uint8"))(keys)[:, None] % 3,
    "flattened keys": lambda keys, x: jax.vmap(jax.random.normal)(
        jax.vmap(lambda k: jax.random.split(k, 3))(keys).reshape(-1)
    ).reshape(x.shape),
    "the environments last": lambda keys, x: (
        jax.vmap(lambda k: jax.random.normal(k, (3,)), out_axes=1)(keys).T
    ),
}


@pytest.mark.parametrize("name", SOUND)
def test_any_distribution_is_new_for_every_step_and_environment(name: str, layer: Any) -> None:
    report = check(layer(drawing(SOUND[name])), INPUT)
    assert report.failed == ()
    for observable in ("replay", "freshness", "independence"):
        assert report[observable].passed


CARRIES: dict[str, tuple[Step, dict[str, Any], str]] = {
    "a key that is not advanced": (
        lambda m, keys, x: (keys, x + normal(keys, x)),
        {},
        "freshness hygiene",
    ),
    "a base key and a counter": (counting, {"initialize_state": counter_carry}, ""),
    "a counter that a reset sets back": (
        counting,
        {
            "initialize_state": counter_carry,
            "reset_state": lambda self, s: {"key": s["key"], "step": jnp.zeros_like(s["step"])},
        },
        "freshness",
    ),
    "a class-level key and a carried counter": (
        lambda m, s, x: (
            s + 1,
            x + normal(jax.vmap(lambda i: jax.random.fold_in(m.key[...], i))(s), x),
        ),
        {"initialize_state": lambda self, batch: jnp.arange(batch) * 1000},
        "",
    ),
    "counters that overlap": (
        lambda m, s, x: (
            s + 1,
            x + normal(jax.vmap(lambda i: jax.random.fold_in(m.key[...], i))(s), x),
        ),
        {"initialize_state": lambda self, batch: jnp.arange(batch)},
        "independence",
    ),
    "copies of one key": (
        drawing(normal),
        {"initialize_state": lambda self, batch: jnp.broadcast_to(self.rngs(), (batch,))},
        "independence",
    ),
    "raw keys": (
        lambda m, s, x: ((keys := split(s))[0], x + normal(keys[1], x)),
        {
            "initialize_state": lambda self, batch: jax.random.key_data(
                jax.random.split(self.rngs(), batch)
            )
        },
        "",
    ),
    "keys that a reset makes constant": (
        drawing(normal),
        {"reset_state": constant_keys},
        "freshness independence",
    ),
    "keys that every reset makes of the same ones": (
        lambda m, s, x: (
            {**s, "key": (keys := split(s["key"]))[0]},
            x + normal(keys[1], x),
        ),
        {
            "initialize_state": lambda self, batch: {
                "base": (base := jax.random.split(self.rngs(), batch)),
                "key": base,
            },
            "reset_state": lambda self, s: {**s, "key": folded(s["base"])},
        },
        "freshness",
    ),
    "a counter that a reset sets to a hundred": (
        counting,
        {
            "initialize_state": counter_carry,
            "reset_state": lambda self, s: {"key": s["key"], "step": 0 * s["step"] + 100},
        },
        "freshness",
    ),
    "keys that a reset folds": (
        drawing(normal),
        {
            "reset_state": lambda self, s: folded(s),
        },
        "",
    ),
}


@pytest.mark.parametrize("name", CARRIES)
def test_what_the_carry_holds_decides(name: str, layer: Any) -> None:
    step, methods, broken = CARRIES[name]
    report = check(layer(step, **methods), INPUT)
    assert set(report.failed) == set(broken.split()), str(report)
    assert report["replay"].passed


def test_one_key_for_all_breaks_independence_and_cannot_be_cut_into_minibatches(layer: Any) -> None:
    def step(module: Any, key: Any, x: Any) -> Any:
        key, use = jax.random.split(key)
        return key, x + jax.random.normal(use, x.shape)

    report = check(layer(step, initialize_state=lambda self, batch: self.rngs()), INPUT)
    assert {"replay", "independence", "trace"} <= set(report.failed)
    assert "minibatch" in report["trace"].evidence


def test_noise_from_a_key_in_the_observation_is_not_the_modules(layer: Any) -> None:
    def step(module: Any, state: Any, obs: Any) -> Any:
        return state, obs["x"] + normal(obs["key"], obs["x"])

    report = check(layer(step), {"x": INPUT, "key": jax.random.key(0)})
    assert report.failed == ()
    assert report["independence"].verdict is Verdict.NOT_APPLICABLE


def test_noise_that_is_a_function_of_the_observation_is_not_the_modules(layer: Any) -> None:
    def step(module: Any, state: Any, n: Any) -> Any:
        keys = jax.vmap(lambda i: jax.random.fold_in(module.key[...], i))(n)
        return state, normal(keys, jnp.zeros((len(n), 3)))

    report = check(layer(step), jnp.array(1000))
    assert report.failed == ()
    assert report["freshness"].verdict is Verdict.NOT_APPLICABLE
    assert report["independence"].verdict is Verdict.NOT_APPLICABLE


def test_a_choice_by_the_observation_does_not_make_a_key_the_observations(layer: Any) -> None:
    def step(module: Any, state: Any, x: Any) -> Any:
        key = jax.lax.cond(x.sum() > 0, lambda: jax.random.key(0), lambda: jax.random.key(1))
        return state, x + jax.random.normal(key, x.shape)

    assert {"replay", "freshness"} <= set(check(layer(step), INPUT).failed)


def test_noise_from_a_callback_is_the_hosts(layer: Any) -> None:
    generator = np.random.default_rng(0)
    kind = jax.ShapeDtypeStruct((), jnp.float32)

    def step(module: Any, state: Any, x: Any) -> Any:
        noise = jax.pure_callback(lambda: np.float32(generator.normal()), kind)
        return state, x + 1e-9 * noise

    report = check(layer(step), INPUT)
    assert "replay" in report.failed
    assert "Python or NumPy" in report["replay"].cause


def test_a_module_without_draws_has_no_noise_to_judge(layer: Any) -> None:
    report = check(layer(lambda m, s, x: (s, m.linear(x))), INPUT)
    for observable in ("freshness", "independence", "lock", "lockstep"):
        assert report[observable].verdict is Verdict.NOT_APPLICABLE
        assert report[observable].evidence


def test_noise_that_is_switched_off_does_not_count(layer: Any) -> None:
    report = check(layer(lambda m, s, x: (s, x + 0.0 * m.rngs.normal(x.shape))), INPUT)
    assert report.failed == ("purity",)


def test_a_branch_that_only_the_host_takes_breaks_freshness(layer: Any) -> None:
    def step(module: Any, state: Any, x: Any) -> Any:
        module.held["calls"] = module.held.get("calls", 0) + 1
        return state, (2.0 * x if module.held["calls"] % 2 else x - 1.0)

    assert "freshness" in check(layer(step), INPUT).failed


@pytest.mark.parametrize("envs", [4, 5, 7, 9])
def test_the_size_of_the_batch_does_not_matter(envs: int, layer: Any) -> None:
    assert check(layer(drawing(normal)), INPUT, batch_size=envs).failed == ()
    shared = layer(lambda m, s, x: (s, x + m.rngs.normal((3,))))
    assert "independence" in check(shared, INPUT, batch_size=envs).failed


def test_a_shared_draw_of_the_batchs_own_size_is_told_apart(layer: Any) -> None:
    shared = layer(lambda m, s, x: (s, x + m.rngs.normal((7,))[:3]))
    assert "independence" in check(shared, INPUT, batch_size=7).failed


def test_a_container_that_drops_its_childs_state_repeats_its_noise(
    layer: Any, library: Any
) -> None:
    class Holder(library.StatefulModule):  # type: ignore[misc]
        def __init__(self) -> None:
            self.child = layer(drawing(normal))

        def initialize_state(self, batch: int) -> Any:
            return self.child.initialize_state(batch)

        def __call__(self, state: Any, x: Any, rollout_extras: Any = None) -> Any:
            out = self.child(state, x)
            return library.StatefulModuleOutput(state, out.output, jnp.array(0.0), {})

    report = check(Holder(), INPUT)
    assert "freshness" in report.failed
    assert "unchanged" in report["freshness"].cause
    assert report["replay"].passed


def test_one_half_of_the_steps_with_old_noise_is_enough(layer: Any) -> None:
    def step(module: Any, state: Any, x: Any) -> Any:
        counter = state["step"] // 2
        return {**state, "step": state["step"] + 1}, counted(state["key"], counter, x)

    report = check(layer(step, initialize_state=counter_carry), INPUT)
    assert report.failed == ("freshness",)


LOOPS: dict[str, Callable[[Any, Any], Any]] = {
    "map": lambda keys, x: jax.lax.map(lambda a: jax.random.normal(a[0], a[1].shape), (keys, x)),
    "scan": lambda keys, x: jax.lax.scan(
        lambda carry, a: (carry, jax.random.normal(a[0], a[1].shape)), 0, (keys, x)
    )[1],
    "Python": lambda keys, x: jnp.stack(
        [jax.random.normal(key, row.shape) for key, row in zip(keys, x, strict=True)]
    ),
}


@pytest.mark.parametrize("name", LOOPS)
def test_a_loop_over_the_environments_draws_for_one_at_a_time(name: str, layer: Any) -> None:
    report = check(layer(drawing(LOOPS[name])), INPUT)
    assert report.failed == (), str(report)
    assert report["independence"].passed


@pytest.mark.parametrize("name", LOOPS)
def test_copies_of_a_key_are_seen_in_a_loop_over_the_environments(name: str, layer: Any) -> None:
    copies = layer(
        drawing(LOOPS[name]),
        initialize_state=lambda self, batch: jnp.broadcast_to(self.rngs(), (batch,)),
    )
    assert check(copies, INPUT).failed == ("independence",)


def test_one_row_of_noise_from_the_first_key_is_no_loop(layer: Any) -> None:
    first = layer(drawing(lambda keys, x: jax.random.normal(keys[0], (3,))))
    report = check(first, INPUT)
    assert set(report.failed) == {"replay", "independence"}
    assert "environment 0's key" in report["independence"].evidence


def test_one_permutation_for_all_is_shared_even_if_it_is_the_one_that_zeros_give(
    layer: Any,
) -> None:
    def permuted(self: Any, keys: Any, x: Any) -> Any:
        return keys, jax.random.permutation(keys[0], x, axis=1)

    for seed in range(4):  # one of two permutations of two columns, the same in every step
        stuck = layer(
            permuted,
            initialize_state=lambda self, batch, s=seed: jax.random.split(jax.random.key(s), batch),
        )
        assert "independence" in check(stuck, jnp.zeros(2)).failed


def test_a_loop_that_ends_for_each_environment_by_itself_replays(layer: Any) -> None:
    def positive(key: Any) -> Any:
        def again(carry: Any) -> Any:
            key, use = jax.random.split(carry[0])
            return key, jax.random.normal(use)

        return jax.lax.while_loop(lambda carry: carry[1] < 0.5, again, (key, 0.0))[1]

    report = check(layer(drawing(lambda keys, x: jax.vmap(positive)(keys)[:, None])), INPUT)
    assert report.failed == (), str(report)
    assert "largest difference 0" in report["replay"].evidence


def test_noise_that_is_lost_in_rounding_is_not_shared(layer: Any) -> None:
    step = drawing(lambda keys, x: 1e-12 * normal(keys, x) + 1)
    mixed = lambda m, s, x: (  # noqa: E731
        (out := step(m, s, x))[0],
        {"lost": out[1], "seen": normal(split(s)[1], x)},
    )
    assert "independence" not in check(layer(mixed), INPUT).failed


def test_a_row_that_is_taken_out_again_for_the_same_fold_is_not_used_twice(layer: Any) -> None:
    def noise(keys: Any, x: Any) -> Any:
        return sum(
            jax.random.normal(jax.random.fold_in(keys[-1], 0), (len(x), 3)) for _ in range(2)
        )

    assert "hygiene" not in check(layer(drawing(noise)), INPUT).failed

    def again(keys: Any, x: Any) -> Any:
        return sum(jax.random.normal(keys[-1], (len(x), 3)) for _ in range(2))

    assert "hygiene" in check(layer(drawing(again)), INPUT).failed
