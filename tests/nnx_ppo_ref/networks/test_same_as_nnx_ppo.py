"""Every class that nnx-ppo has does what nnx-ppo's does, also inside nnx-ppo's containers."""

from __future__ import annotations

import collections
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from flax import nnx

from nnx_ppo_ref.keys import split_keys

from .libraries import (
    CONTAINERS,
    LAYERS,
    OURS,
    OURS_AROUND_THEIRS,
    THEIRS,
    THEIRS_AROUND_OURS,
    Library,
    assert_same,
    clone,
    gradients,
    trained,
    variables,
)

pytest.importorskip("nnx_ppo")
pytestmark = pytest.mark.slow

BATCH, STEPS, SIZE = 3, 3, 4


def features(size: int = SIZE) -> Callable[[jax.Array], jax.Array]:
    return lambda key: jax.random.normal(key, (BATCH, size))


def named(**sizes: int) -> Callable[[jax.Array], dict[str, jax.Array]]:
    def draw(key: jax.Array) -> dict[str, jax.Array]:
        keys = jax.random.split(key, len(sizes))
        return {
            name: jax.random.normal(keys[i], (BATCH, size))
            for i, (name, size) in enumerate(sizes.items())
        }

    return draw


def mixed_dtypes(key: jax.Array) -> dict[str, jax.Array]:
    return {"f": jax.random.normal(key, (BATCH, 2)), "i": jnp.arange(BATCH)}


def ordered(key: jax.Array) -> collections.OrderedDict[str, jax.Array]:
    return collections.OrderedDict(named(p=2, q=3)(key))


def used_key(keys: jax.Array) -> jax.Array:
    """The key that ours draws from: nnx-ppo's draws from the one that it is given."""
    return split_keys(keys)[1]


def used_keys(carry: dict[str, jax.Array]) -> dict[str, jax.Array]:
    return {**carry, "keys": used_key(carry["keys"])}


@dataclass(frozen=True)
class Case:
    """How to build a module in either library, and what to feed it."""

    build: Callable[[Library, nnx.Rngs], Any]
    x: Callable[[jax.Array], Any]
    their_carry: Callable[[Any], Any] | None = None
    """The carry with which nnx-ppo's draws the noise that ours draws, if it is another one."""

    def pair(self, ours: Library = OURS) -> tuple[Any, Any]:
        """The module in both libraries, with the state of nnx-ppo's in both."""
        theirs = trained(self.build(THEIRS, nnx.Rngs(0)))
        module = self.build(ours, nnx.Rngs(1))
        nnx.update(module, nnx.state(theirs))
        return module, theirs

    def inputs(self) -> list[Any]:
        return [self.x(key) for key in jax.random.split(jax.random.key(5), STEPS)]

    def for_theirs(self, carry: Any) -> Any:
        return clone(carry) if self.their_carry is None else self.their_carry(clone(carry))


def deterministic(module: Any) -> Any:
    module.eval()
    return module


LAYER_CASES = {
    "Dense": Case(lambda lib, rngs: lib.Dense(SIZE, 2, rngs), features()),
    "Dense with all arguments": Case(
        lambda lib, rngs: lib.Dense(SIZE, 2, rngs, nnx.tanh, use_bias=False), features()
    ),
    "LSTM": Case(lambda lib, rngs: lib.LSTM(SIZE, 2, rngs), features()),
    "LSTM with all arguments": Case(
        lambda lib, rngs: lib.LSTM(
            SIZE,
            2,
            rngs,
            gate_fn=nnx.hard_sigmoid,
            activation_fn=nnx.soft_sign,
            kernel_init=nnx.initializers.ones,
            recurrent_kernel_init=nnx.initializers.zeros,
            bias_init=nnx.initializers.ones,
            use_optimized=False,
            trainable_initial_state=True,
        ),
        features(),
    ),
    "Delay": Case(lambda lib, _: lib.Delay(jnp.zeros(SIZE), 2), features()),
    "Delay of a tree": Case(
        lambda lib, _: lib.Delay({"f": jnp.zeros(2), "i": jnp.array(0)}, 1, 3.0), mixed_dtypes
    ),
    "Normalizer": Case(lambda lib, _: lib.Normalizer(SIZE), features()),
    "Normalizer of a shape": Case(
        lambda lib, _: lib.Normalizer((2, 3)), lambda key: jax.random.normal(key, (BATCH, 2, 3))
    ),
    "Normalizer of a mapping": Case(
        lambda lib, _: lib.Normalizer(collections.OrderedDict(p=2, q=3)), ordered
    ),
    "Splitter": Case(lambda lib, _: lib.Splitter(b=2, a=1), features()),
    "Scale": Case(lambda lib, _: lib.Scale(2), named(a=2, b=3)),
    "Filter": Case(
        lambda lib, _: lib.Filter({"k": "a", "path": ("b",), "f": lambda x: x["a"] * 2}),
        named(a=2, b=3),
    ),
    "Flattener": Case(lambda lib, _: lib.Flattener(), named(b=2, a=3)),
    "Flattener below a level": Case(
        lambda lib, _: lib.Flattener(1),
        lambda key: [named(b=2, a=3)(key), (jnp.ones((BATCH, 2, 2)),)],
    ),
    "NormalTanhSampler": Case(lambda lib, rngs: lib.NormalTanhSampler(rngs, 0.1), features()),
    "NormalTanhSampler with all arguments": Case(
        lambda lib, rngs: deterministic(lib.NormalTanhSampler(rngs, 0.1, 0.2, 0.3)), features()
    ),
    "VariationalBottleneck": Case(
        lambda lib, rngs: lib.VariationalBottleneck(2, rngs, 0.3, 0.01), features(), used_key
    ),
    "AR1VariationalBottleneck": Case(
        lambda lib, rngs: lib.AR1VariationalBottleneck(2, rngs), features(), used_keys
    ),
    "AR1VariationalBottleneck with all arguments": Case(
        lambda lib, rngs: lib.AR1VariationalBottleneck(2, rngs, 0.3, 0.01, 0.7, False),
        features(),
        used_keys,
    ),
    "make_mlp": Case(lambda lib, rngs: lib.make_mlp([SIZE, 3, 2], rngs), features()),
    "make_mlp_layers": Case(
        lambda lib, rngs: lib.Sequential(
            lib.make_mlp_layers([SIZE, 3, 2], rngs, nnx.tanh, False, use_bias=False)
        ),
        features(),
    ),
    "make_mlp_actor_critic": Case(
        lambda lib, rngs: lib.make_mlp_actor_critic(SIZE, 2, [3], [3, 2], rngs), features()
    ),
    "make_mlp_actor_critic with all arguments": Case(
        lambda lib, rngs: lib.make_mlp_actor_critic(
            SIZE, 2, [], [3], rngs, "swish", False, 0.5, 0.1, 0.2, 0.3
        ),
        features(),
    ),
}

CONTAINER_CASES = {
    "Sequential": Case(
        lambda lib, rngs: lib.Sequential(
            [lib.Normalizer(SIZE), lib.LSTM(SIZE, 4, rngs), lib.NormalTanhSampler(rngs, 0.1)]
        ),
        features(),
    ),
    "Concat": Case(
        lambda lib, rngs: lib.Concat(a=lib.Normalizer(2), b=lib.LSTM(3, 2, rngs)),
        named(a=2, b=3),
    ),
    "Parallel": Case(
        lambda lib, rngs: lib.Parallel(
            {"an actor": lib.NormalTanhSampler(rngs, 0.1), "critic": lib.LSTM(SIZE, 1, rngs)}
        ),
        features(),
    ),
    "Merge": Case(
        lambda lib, rngs: lib.Merge(
            a=lib.Splitter(k=2, i=1),
            b=lib.Sequential([lib.Delay(jnp.ones(SIZE), 1), lib.Splitter(j=3)]),
        ),
        features(),
    ),
    "Map": Case(
        lambda lib, rngs: lib.Map(
            a=lib.NormalTanhSampler(rngs, 0.1), b=lib.Dense(3, 2, rngs, nnx.tanh)
        ),
        named(a=2, b=3, unused=1),
    ),
    "PPOAdapter": Case(
        lambda lib, rngs: lib.PPOAdapter(
            action=lib.NormalTanhSampler(rngs, 0.1), value=lib.LSTM(SIZE, 1, rngs)
        ),
        features(),
    ),
    "PPOAdapter of several heads": Case(
        lambda lib, rngs: lib.PPOAdapter(
            lib.Map(a=lib.NormalTanhSampler(rngs, 0.1), b=lib.NormalTanhSampler(rngs, 0.2)),
            lib.Parallel(
                one=lib.Sequential([lib.Flattener(), lib.Dense(6, 1, rngs)]),
                two=lib.Sequential([lib.Flattener(), lib.Dense(6, 2, rngs)]),
            ),
        ),
        named(a=2, b=4),
    ),
}

CASES = [
    *(
        pytest.param(case, OURS, id=name)
        for name, case in {**LAYER_CASES, **CONTAINER_CASES}.items()
    ),
    *(
        pytest.param(case, library, id=f"{name}, {what}")
        for name, case in CONTAINER_CASES.items()
        for what, library in {
            "ours around theirs": OURS_AROUND_THEIRS,
            "theirs around ours": THEIRS_AROUND_OURS,
        }.items()
    ),
]
each_case = pytest.mark.parametrize(("case", "library"), CASES)


@each_case
def test_it_begins_the_same_from_the_same_streams(case: Case, library: Library) -> None:
    ours, theirs = case.build(library, nnx.Rngs(3)), case.build(THEIRS, nnx.Rngs(3))
    assert_same(variables(ours), variables(theirs))
    assert_same(ours.initialize_state(BATCH), theirs.initialize_state(BATCH))
    assert_same(variables(ours), variables(theirs))


@each_case
def test_it_steps_resets_and_replays_the_same(case: Case, library: Library) -> None:
    ours, theirs = case.pair(library)
    same_keys = case.their_carry is None
    carry = ours.initialize_state(BATCH)
    theirs.initialize_state(BATCH)  # so that the streams stand alike
    for t, x in enumerate(case.inputs()):
        extras = None
        with jax.debug_key_reuse(False):  # theirs draws from a key and then splits it
            for _ in range(2):  # the rollout, then the replay with its extras
                out = ours(clone(carry), x, extras)
                expected = theirs(case.for_theirs(carry), x, extras)
                assert_same(out, expected, keys=same_keys)
                extras = out.rollout_extras
        carry = out.next_state
        if t == 1:
            assert_same(ours.reset_state(clone(carry)), theirs.reset_state(clone(carry)))
            carry = ours.reset_state(carry)
    assert_same(variables(ours), variables(theirs))


@each_case
def test_it_has_the_same_gradients_in_both_passes(case: Case, library: Library) -> None:
    ours, theirs = case.pair(library)
    first, x, _ = case.inputs()
    carry = ours(ours.initialize_state(BATCH), first).next_state
    extras = ours(clone(carry), x).rollout_extras
    nnx.update(theirs, nnx.state(ours))
    for given in (None, extras):
        with jax.debug_key_reuse(False):
            assert_same(
                gradients(ours, clone(carry), x, given),
                gradients(theirs, case.for_theirs(carry), x, given),
            )


@each_case
def test_it_learns_the_same_statistics(case: Case, library: Library) -> None:
    ours, theirs = case.pair(library)
    carry = ours.initialize_state(BATCH)
    extras = [ours(clone(carry), x).rollout_extras for x in case.inputs()]
    nnx.update(theirs, nnx.state(ours))
    history = jax.tree.map(lambda *steps: jnp.stack(steps), *extras)
    ours.update_statistics(history)
    theirs.update_statistics(history)
    assert_same(variables(ours), variables(theirs))


METHODS = ("__init__", "__call__", "initialize_state", "reset_state", "update_statistics")


@pytest.mark.parametrize("name", sorted({**CONTAINERS, **LAYERS}))
def test_it_takes_the_same_arguments(name: str) -> None:
    def parameters(library: Library) -> list[list[tuple[Any, ...]]]:
        called = getattr(library, name)
        methods = (
            [getattr(called, method) for method in METHODS if hasattr(called, method)]
            if inspect.isclass(called)
            else [called]
        )
        return [
            [(p.name, p.kind, p.default) for p in inspect.signature(method).parameters.values()]
            for method in methods
        ]

    assert parameters(OURS) == parameters(THEIRS)


def test_samples_are_the_same_to_the_last_bit() -> None:
    case = LAYER_CASES["NormalTanhSampler"]
    ours, theirs = case.pair()
    for x in case.inputs():
        out, expected = ours((), x), theirs((), x)
        np.testing.assert_array_equal(out.rollout_extras, expected.rollout_extras)
        np.testing.assert_array_equal(out.output["action"], expected.output["action"])
        np.testing.assert_allclose(
            out.regularization_loss, expected.regularization_loss, rtol=1e-5, atol=1e-7
        )


def dense(lib: Library) -> Any:
    return lib.Dense(2, 2, nnx.Rngs(0))


Misuse = tuple[type[Exception], Callable[[Library], Any]]


def misuse_of_named_children(name: str) -> dict[str, Misuse]:
    def container(lib: Library) -> Any:
        return getattr(lib, name)

    return {
        f"{name} without children": (ValueError, lambda lib: container(lib)()),
        f"{name} of an empty dict": (ValueError, lambda lib: container(lib)({})),
        f"{name} of a dict and a keyword": (
            ValueError,
            lambda lib: container(lib)({"a": dense(lib)}, b=dense(lib)),
        ),
        f"{name} without a child's carry": (
            KeyError,
            lambda lib: container(lib)(a=dense(lib))({}, {"a": jnp.ones((1, 2))}),
        ),
    }


MISUSE: dict[str, Misuse] = {
    **misuse_of_named_children("Concat"),
    **misuse_of_named_children("Parallel"),
    **misuse_of_named_children("Merge"),
    **misuse_of_named_children("Map"),
    "Concat without a child's input": (
        KeyError,
        lambda lib: lib.Concat(a=dense(lib))({"a": ()}, {"b": jnp.ones((1, 2))}),
    ),
    "Map without a child's input": (
        KeyError,
        lambda lib: lib.Map(a=dense(lib))({"a": ()}, {"b": jnp.ones((1, 2))}),
    ),
    "Splitter without slices": (ValueError, lambda lib: lib.Splitter()),
    "Splitter of an empty slice": (ValueError, lambda lib: lib.Splitter(a=0)),
    "Delay of no step": (ValueError, lambda lib: lib.Delay(jnp.ones(2), 0)),
    "Flattener above the root": (ValueError, lambda lib: lib.Flattener(-1)),
    "Flattener below a leaf": (TypeError, lambda lib: lib.Flattener(1)((), jnp.ones((1, 2)))),
    "Filter of a list": (TypeError, lambda lib: lib.Filter(["a"])),
    "Filter by a number": (TypeError, lambda lib: lib.Filter({"a": 1})),
    "Filter of a missing key": (KeyError, lambda lib: lib.Filter({"a": "b"})((), {})),
    "Merge of an array": (
        TypeError,
        lambda lib: lib.Merge(a=dense(lib))({"a": ()}, jnp.ones((1, 2))),
    ),
    "Merge of the same key": (
        ValueError,
        lambda lib: lib.Merge(a=lib.Splitter(k=1), b=lib.Splitter(k=1))(
            {"a": (), "b": ()}, jnp.ones((1, 2))
        ),
    ),
    "an unknown activation": (
        KeyError,
        lambda lib: lib.make_mlp_actor_critic(2, 1, [], [], nnx.Rngs(0), "step"),
    ),
    "no __call__": (TypeError, lambda lib: lib.StatefulModule()),
    "a sampler without __call__": (TypeError, lambda lib: lib.ActionSampler()),
}


@pytest.mark.parametrize("what", MISUSE)
def test_it_refuses_the_same_misuse(what: str) -> None:
    error, misuse = MISUSE[what]
    for library in (THEIRS, OURS):
        with pytest.raises(error):
            misuse(library)


def test_children_stay_in_the_order_given_where_nnx_ppo_sorts_them_under_jit() -> None:
    def outputs(library: Library) -> list[list[float]]:
        net = library.Concat(b=library.Scale(2), a=library.Scale(3))
        x = {"a": jnp.ones((1, 1)), "b": jnp.ones((1, 1))}

        def output(net: Any) -> Any:
            return net(net.initialize_state(1), x).output[0]

        return [output(net).tolist(), nnx.jit(output)(net).tolist()]

    assert outputs(OURS) == [[2, 3], [2, 3]]
    assert outputs(THEIRS) == [[2, 3], [3, 2]]  # if this fails, nnx-ppo has mended it
