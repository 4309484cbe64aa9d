"""A scan cut into phases computes what `jax.lax.scan` computes."""

from __future__ import annotations

import collections
from collections.abc import Callable, Iterator
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from nnx_ppo_ref.algorithms import fission, pure
from nnx_ppo_ref.algorithms.replay import Seen, replay
from nnx_ppo_ref.keys import is_key, split_keys
from nnx_ppo_ref.trees import clone_keys

from ..networks.libraries import OURS
from .kinds import KINDS, build, unoptimized

LENGTH, SIZE = 4, 3
Parts = tuple[Callable[[Any, Any], tuple[Any, Any]], Any, Any]
"""A step, its first carry, and its inputs."""


def xs(p: jax.Array) -> jax.Array:
    return jnp.outer(jnp.arange(1.0, LENGTH + 1), jnp.cos(p))


def keys() -> jax.Array:
    return jax.random.split(jax.random.key(3), SIZE)


@jax.custom_vjp
def doubled_gradient(x: jax.Array) -> jax.Array:
    return jnp.sin(x)


doubled_gradient.defvjp(lambda x: (jnp.sin(x), x), lambda x, g: (2.0 * g * jnp.cos(x),))


@jax.custom_jvp
def tripled_gradient(x: jax.Array) -> jax.Array:
    return jnp.sin(x)


tripled_gradient.defjvp(lambda x, t: (jnp.sin(x[0]), 3.0 * t[0] * jnp.cos(x[0])))


def draws(p: jax.Array) -> Parts:
    def step(carry: jax.Array, x: jax.Array) -> tuple[jax.Array, Any]:
        following, use = split_keys(carry)
        return following, (p * x * jax.vmap(jax.random.normal)(use), following)

    return step, keys(), xs(p)


def draws_by_counting(p: jax.Array) -> Parts:
    def step(carry: Any, x: jax.Array) -> tuple[Any, Any]:
        key, count = carry
        use = jax.vmap(jax.random.fold_in)(key, count)
        return (key, count + 1), jax.vmap(jax.random.uniform)(use) * x

    return step, (keys(), jnp.arange(SIZE)), xs(p)


def draws_behind_a_recurrence(p: jax.Array) -> Parts:
    def step(carry: Any, x: jax.Array) -> tuple[Any, Any]:
        following, use = split_keys(carry["key"])
        h = jnp.tanh(carry["h"] * p + x)
        drawn = h + jax.vmap(jax.random.normal)(use)
        return {"key": following, "h": h}, {"drawn": drawn, "before": carry["h"]}

    return step, {"key": keys(), "h": p}, xs(p)


def draws_that_feed_the_recurrence(p: jax.Array) -> Parts:
    def step(carry: Any, x: jax.Array) -> tuple[Any, Any]:
        following, use = split_keys(carry[0])
        return (following, jnp.tanh(carry[1] + jax.vmap(jax.random.normal)(use) * p)), x

    return step, (keys(), p), xs(p)


def one_branch_would_be_nan(p: jax.Array) -> Parts:
    def step(carry: jax.Array, x: jax.Array) -> tuple[jax.Array, Any]:
        def root(x: jax.Array) -> jax.Array:
            return jnp.sqrt(x[0] - 1.5 * jnp.cos(p[0]))

        of_input = jax.lax.cond(x[0] > 1.5 * jnp.cos(p[0]), root, lambda x: x[1], x)
        of_carry = jax.lax.cond(carry[0] > p[0], lambda c: jnp.log(c[0] - p[0]), jnp.sum, carry)
        return carry + 1.0, (of_input, of_carry)

    return step, p, xs(p)


def while_behind_and_ahead(p: jax.Array) -> Parts:
    def halvings(x: jax.Array) -> Any:
        x = jax.lax.stop_gradient(jnp.sum(jnp.abs(x)))
        return jax.lax.while_loop(lambda v: v[0] > 1.0, lambda v: (v[0] / 2, v[1] + 1), (x, 0))[1]

    return lambda c, x: (c + x * p, (halvings(x), halvings(c), c * p)), p, xs(p)


def nested(wrap: Callable[[Any], Any]) -> Callable[[jax.Array], Parts]:
    """A transformed function in each phase."""

    def case(p: jax.Array) -> Parts:
        f = wrap(lambda a, b: jnp.tanh(a * b + a))

        def step(carry: Any, x: jax.Array) -> tuple[Any, Any]:
            h = f(carry, f(p, p))
            return h + x, (f(x, p), f(h, x), f(carry, carry))

        return step, p, xs(p)

    return case


def scanned(f: Callable[..., jax.Array]) -> Callable[..., jax.Array]:
    def repeated(a: jax.Array, b: jax.Array) -> jax.Array:
        end, _ = jax.lax.scan(lambda c, _: (f(c, b), None), a, length=2)
        return end

    return repeated


def chosen(f: Callable[..., jax.Array]) -> Callable[..., jax.Array]:
    return lambda a, b: jax.lax.cond(a[0] > b[0], f, lambda a, b: a - b, a, b)


STEPS: dict[str, Callable[[jax.Array], Parts]] = {
    "no carry": lambda p: (lambda c, x: (c, x * p), (), xs(p)),
    "no outputs": lambda p: (lambda c, x: (c * x + p, None), p, xs(p)),
    "nothing at all": lambda p: (lambda c, x: (c, ()), (), xs(p)),
    "a carry that stays": lambda p: (lambda c, x: (c, c * x), p, xs(p)),
    "a carry that stays and is not read": lambda p: (lambda c, x: (c, x), p, xs(p)),
    "a carry of inputs only": lambda p: (lambda c, x: (jnp.sin(x), c * p), p, xs(p)),
    "a carry that is an input": lambda p: (lambda c, x: (x, c), p, xs(p)),
    "a carry of a parameter": lambda p: (lambda c, x: (jnp.sin(p), c * x), p * 2, xs(p)),
    "a carry that is a parameter": lambda p: (lambda c, x: (p, c * x), p * 2, xs(p)),
    "a carry that is a literal": lambda p: (lambda c, x: (1.5, c * x), jnp.sum(p), xs(p)),
    "a carry that is a constant": lambda p: (lambda c, x: (np.ones(SIZE), c * x), p, xs(p)),
    "swapped carries": lambda p: (lambda c, x: ((c[1], c[0]), c[0] * x), (p, 2 * p), xs(p)),
    "rotated carries": lambda p: (
        lambda c, x: ((c[1], c[2], c[0] * x), c[0]),
        (p, 2 * p, 3 * p),
        xs(p),
    ),
    "a carry that becomes one that stays": lambda p: (
        lambda c, x: ((c[0], c[0]), c[1] * x),
        (p, 2 * p),
        xs(p),
    ),
    "a carry of another's old value": lambda p: (
        lambda c, x: ((c[0] * x, c[0]), c[1] + c[0]),
        (p, 2 * p),
        xs(p),
    ),
    "two carries with the same new value": lambda p: (
        lambda c, x: ((c[0] * x,) * 2, c[1]),
        (p, 2 * p),
        xs(p),
    ),
    "outputs of every kind": lambda p: (
        lambda c, x: (
            c + x,
            (1.5, 3, True, np.arange(2), p, x, x, c, c + x, c + x, jnp.sin(p), (), None),
        ),
        p,
        xs(p),
    ),
    "a recurrence with a product on each side": lambda p: (
        lambda c, x: (
            jnp.tanh(jnp.outer(x, p) @ x + jnp.outer(p, p) @ c),
            jnp.outer(p, p) @ jnp.sin(c),
        ),
        p,
        xs(p),
    ),
    "integers and flags": lambda p: (
        lambda c, x: (
            {"n": c["n"] + x["i"], "f": c["f"] ^ x["b"], "h": jnp.where(c["f"], c["h"], x["v"])},
            (c["n"] * 2, ~c["f"], c["h"] * p),
        ),
        {"n": jnp.array(1), "f": jnp.array(False), "h": p},
        {"i": jnp.arange(LENGTH), "b": jnp.arange(LENGTH) % 2 == 0, "v": xs(p)},
    ),
    "trees of several kinds": lambda p: (
        lambda c, x: (
            collections.OrderedDict(b=[c["a"], (c["b"][1][0] + x,)], a=c["a"] * x),
            {"z": c["b"], "y": (x,)},
        ),
        collections.OrderedDict(b=[2 * p, (3 * p,)], a=p),
        xs(p),
    ),
    "half precision": lambda p: (
        lambda c, x: (c * x.astype(jnp.bfloat16), c.astype(jnp.float32)),
        jnp.ones(SIZE, jnp.bfloat16),
        jax.lax.stop_gradient(xs(p)),
    ),
    "a weakly typed carry": lambda p: (lambda c, x: (c + x[0], c * p), 0.0, xs(p)),
    "an integer that becomes a float": lambda p: (lambda c, x: (c * 2 + x[0], c * 3), 1, xs(p)),
    "draws": draws,
    "draws by counting": draws_by_counting,
    "draws behind a recurrence": draws_behind_a_recurrence,
    "draws that feed the recurrence": draws_that_feed_the_recurrence,
    "keys as inputs": lambda p: (
        lambda c, k: (c + 1, jax.random.normal(k, (SIZE,)) * c * p),
        jnp.array(0),
        jax.random.split(jax.random.key(0), LENGTH),  # a new one each time
    ),
    "one branch would be NaN": one_branch_would_be_nan,
    "while": while_behind_and_ahead,
    "jit": nested(jax.jit),
    "cond": nested(chosen),
    "scan": nested(scanned),
    "remat": nested(jax.checkpoint),
    "vmap": nested(jax.vmap),
    "grad": nested(lambda f: jax.grad(lambda a, b: jnp.sum(f(a, b) ** 2))),
    "custom_jvp": nested(lambda f: lambda a, b: tripled_gradient(f(a, b))),
    "custom_vjp": nested(lambda f: lambda a, b: doubled_gradient(f(a, b))),
    "jit of remat of custom_vjp": nested(
        lambda f: jax.jit(jax.checkpoint(lambda a, b: doubled_gradient(f(a, b))))
    ),
    "another fission": nested(
        lambda f: lambda a, b: fission.scan(lambda c, x: (f(c, b), x), a, jnp.stack([a, b]))[0]
    ),
}

P = jnp.array([0.3, -0.7, 1.1])


def results(scan: Any, case: Callable[[jax.Array], Parts], p: jax.Array) -> Any:
    """Final carry and outputs, and the gradient of all of them in everything at once."""

    def total(p: jax.Array) -> Any:
        step, carry, inputs = case(p)
        both = scan(step, carry, clone_keys(inputs))
        floats = [x for x in jax.tree.leaves(both) if jnp.issubdtype(jnp.result_type(x), float)]
        return sum((jnp.sum(jnp.sin(x)) for x in floats), start=jnp.sum(p)), both

    slope, both = jax.grad(total, has_aux=True)(p)
    return both, slope


@pytest.fixture(scope="module")
def computed() -> dict[str, Any]:
    """What our scan and JAX's compute of each step, or what they raise; compiled only once."""
    raised: dict[str, Any] = {}

    @jax.jit
    def everything(p: jax.Array) -> dict[str, Any]:
        done = {}
        for name, case in STEPS.items():
            try:
                done[name] = [results(scan, case, p) for scan in (fission.scan, jax.lax.scan)]
            except Exception as error:  # it fails the test of this step, not all of them
                raised[name] = error
        return done

    with unoptimized(), jax.debug_key_reuse(True):
        return {**everything(P), **raised}


def assert_equal(actual: Any, expected: Any) -> None:
    structures: list[Any] = [jax.tree.structure(actual), jax.tree.structure(expected)]
    assert structures[0] == structures[1]
    for leaf, other in zip(jax.tree.leaves(actual), jax.tree.leaves(expected), strict=True):
        assert (leaf.shape, leaf.dtype) == (other.shape, other.dtype)
        if is_key(leaf):
            leaf, other = jax.random.key_data(leaf), jax.random.key_data(other)
        if jnp.issubdtype(leaf.dtype, jnp.inexact):
            assert bool(jnp.all(jnp.isfinite(leaf)))
            tolerance = 1e-2 if leaf.dtype == jnp.bfloat16 else 1e-4
            np.testing.assert_allclose(leaf, other, rtol=tolerance, atol=1e-5)
        else:
            np.testing.assert_array_equal(leaf, other)


@pytest.mark.parametrize("name", STEPS)
def test_it_equals_lax_scan(name: str, computed: dict[str, Any]) -> None:
    if isinstance(computed[name], Exception):
        raise computed[name]
    assert_equal(*computed[name])


@pytest.mark.parametrize("length", [1, 2])
@pytest.mark.parametrize("name", ["draws behind a recurrence", "swapped carries", "no carry"])
def test_it_equals_a_short_lax_scan(name: str, length: int) -> None:
    def of(scan: Any) -> Any:
        step, carry, inputs = STEPS[name](P)
        return scan(step, carry, inputs[:length])

    with unoptimized():
        assert_equal(*jax.jit(lambda: [of(fission.scan), of(jax.lax.scan)])())


def test_it_maps_and_nests_like_lax_scan() -> None:
    def of(scan: Any) -> Any:
        def one(p: jax.Array) -> Any:
            return results(scan, draws_behind_a_recurrence, p)

        return jax.jit(jax.vmap(one))(jnp.stack([P, 2 * P]))

    with unoptimized():
        assert_equal(of(fission.scan), of(jax.lax.scan))


def test_it_runs_without_jit() -> None:
    with unoptimized():
        for name in ("draws", "outputs of every kind"):
            step, carry, inputs = STEPS[name](P)
            ours = fission.scan(step, clone_keys(carry), inputs)
            assert_equal(ours, jax.lax.scan(step, carry, inputs))


def test_callbacks_come_in_their_order() -> None:
    seen: list[float] = []

    def step(carry: jax.Array, x: jax.Array) -> tuple[jax.Array, jax.Array]:
        jax.debug.callback(lambda v: seen.append(float(v)), x, ordered=True)
        jax.debug.callback(lambda v: seen.append(float(v)), carry, ordered=True)
        return carry + x, carry

    jax.block_until_ready(fission.scan(step, jnp.array(10.0), jnp.arange(3.0)))
    jax.effects_barrier()
    assert seen == [0.0, 10.0, 1.0, 10.0, 2.0, 11.0]


@pytest.mark.parametrize(
    ("carry", "after"),
    {
        "other structure": ((1.0, (2.0,)), lambda c: ((c[0],), c[1][0])),
        "other shape": (jnp.ones(2), lambda c: c[:1]),
        "a strong type that does not fit": (jnp.ones(2, int), lambda c: c * jnp.float32(1.5)),
    }.values(),
)
def test_a_carry_that_changes_is_refused_as_by_lax_scan(carry: Any, after: Any) -> None:
    for scan in (fission.scan, jax.lax.scan):
        with pytest.raises(TypeError, match="carry"):
            scan(lambda c, x: (after(c), x), carry, jnp.arange(3.0))


def test_a_key_that_a_step_uses_twice_is_an_error() -> None:
    def step(key: jax.Array, x: jax.Array) -> tuple[jax.Array, jax.Array]:
        following, _ = split_keys(key)
        return following, jax.vmap(jax.random.normal)(key) * x

    with pytest.raises(jax.errors.KeyReuseError):
        jax.jit(lambda: fission.scan(step, keys(), xs(P)))()


# What stays in the loop.


def equations(jaxpr: Any, inside: bool = False) -> Iterator[tuple[str, bool]]:
    """The name of every primitive, and whether it is in a loop."""
    for equation in jaxpr.eqns:
        name = equation.primitive.name
        yield name, inside
        for value in jax.tree.leaves(list(equation.params.values()), is_leaf=is_jaxpr):
            if is_jaxpr(value):
                inner = getattr(value, "jaxpr", value)
                yield from equations(inner, inside or name in ("scan", "while"))


def is_jaxpr(value: Any) -> bool:
    return hasattr(value, "eqns")


def counted(function: Callable[..., Any], *args: Any) -> dict[bool, collections.Counter[str]]:
    """How often each primitive is in a loop (True) and outside of it (False)."""
    found = {True: collections.Counter[str](), False: collections.Counter[str]()}
    for name, inside in equations(jax.make_jaxpr(function)(*args).jaxpr):
        found[inside][name] += 1
    return found


def replay_of(kind: str) -> dict[bool, collections.Counter[str]]:
    parts = pure.split(build(KINDS[kind], OURS))
    batch = 3
    inputs = Seen(
        obs=jnp.ones((LENGTH, batch, 3)),
        done=jnp.zeros((LENGTH, batch), bool),
        rollout_extras=None,
        reset_draws={},
    )
    state = pure.merge(parts).initialize_state(batch)
    return counted(lambda *args: tuple(replay(*args)), parts, state, inputs)


@pytest.mark.parametrize(
    ("kind", "products", "draws"),
    [
        ("VariationalBottleneck", 0, 0),
        ("LSTM", 1, 0),
        # The latent of the step before enters the loss, so latents are carried.
        ("AR1VariationalBottleneck", 0, 1),
    ],
)
def test_only_what_the_next_carry_needs_stays_in_the_loop(
    kind: str, products: int, draws: int
) -> None:
    found = replay_of(kind)
    assert found[True]["dot_general"] == products
    assert found[True]["random_bits"] == draws
    assert found[False]["dot_general"] > 0
    assert found[False]["random_bits"] > 0


def test_work_that_nothing_needs_is_not_done() -> None:
    def step(carry: jax.Array, x: jax.Array) -> tuple[jax.Array, jax.Array]:
        jnp.sin(carry)
        return carry + x, x

    found = counted(lambda: fission.scan(step, jnp.zeros(()), jnp.ones(3)))
    assert found[True]["sin"] + found[False]["sin"] == 0
