"""Calls of other modules: what is told of them, and where their fields go."""

from __future__ import annotations

import pytest
import support
from interpreting import events_in, run, shown, value_of

from flake8_nnx_rng.interpreter import Auditor, CalledChild
from flake8_nnx_rng.knowledge.children import Promise, Threads
from flake8_nnx_rng.project import Hierarchy

CHILD = """
class Child(StatefulModule):
    def __call__(self, state, x, rollout_extras=None):
        return StatefulModuleOutput((), x, 0.0, {})
"""
INIT = "self.c, self.many = Child(), model"
VALUES = {
    "a field of a child": (
        "self.c(state, x).output",
        "data{carry, input, output of self.c, self.c}",
    ),
    "a field of something unknown": (
        "self.thing(state, x).next_state",
        "data{asked self.thing, carry, input, next_state of self.thing, self.thing}",
    ),
    "anything else of something unknown": (
        "self.thing(x, 1).T",
        "data{asked self.thing, input, metrics of self.thing, next_state of self.thing, "
        "output of self.thing, regularization_loss of self.thing, "
        "rollout_extras of self.thing, self.thing}",
    ),
    "the shape of something unknown": ("self.thing(x, 1).shape[1]", "data"),
    "something unknown with one argument": (
        "self.thing(x)",
        "data{asked self.thing, input, self.thing}",
    ),
    "an item of a held dict": (
        "[c for c in self.many.values()]",
        "[data{self.many}@self.many[...]...]",
    ),
    "noise that a child is given": (
        "self.c(state, self.rngs.normal(3)).output",
        "data{carry, output of self.c, passed self.rngs.normal(3), sample self.rngs.normal(3), "
        "self.c, self.rngs}",
    ),
    "extras that a child does not need": (
        "self.c(state, 1, x).output",
        "data{carry, output of self.c, self.c}",
    ),
}


@pytest.mark.parametrize(("code", "expected"), VALUES.values(), ids=VALUES)
def test_a_call_of_a_child_yields(code: str, expected: str) -> None:
    assert value_of(code, init=INIT, before=CHILD) == expected


def test_a_read_of_a_field_tells_that_the_callee_is_a_module() -> None:
    assert events_in("y = self.thing(state, x)") == ["self.thing(state, x) calls child self.thing"]
    assert events_in("y = self.thing(state, x).output") == [
        "self.thing(state, x) calls child self.thing",
        "self.thing(state, x).output reads a part",
    ]


def test_the_truth_of_what_something_unknown_returns_is_unknown() -> None:
    told = events_in("""
        if self.thing(state, x):
            self.rngs.a()
        else:
            self.rngs.b()
        if self.thing(x, state) is None:
            self.rngs.c()
    """)
    draws = [one.partition(" draws")[0] for one in told if " draws" in one]
    assert draws == ["self.rngs.a()", "self.rngs.b()", "self.rngs.c()"]


def test_another_module_s_pass_called_by_its_name_is_a_child_s() -> None:
    assert events_in("self.c.__call__(state, x)", init=INIT, before=CHILD) == [
        "self.c.__call__(state, x) calls child self.c"
    ]


PROMISES = {
    "nothing": ("", "return StatefulModuleOutput((), x, 0.0, {})", "NO", "NO"),
    "a state that is empty": (
        "def initialize_state(self, n): return ()",
        "return StatefulModuleOutput((), x, 0.0, {})",
        "NO",
        "NO",
    ),
    "a counter": (
        "def initialize_state(self, n): return jnp.zeros(n)",
        "return StatefulModuleOutput(state + 1, x, 0.0, {})",
        "NO",
        "YES",
    ),
    "what a given child carries": (
        "def initialize_state(self, n): return [self.c.initialize_state(n)]",
        "out = self.c(state[0], x, rollout_extras)\n"
        "        return StatefulModuleOutput([out.next_state], out.output, 0.0, {}, "
        "out.rollout_extras)",
        "AS_CHILDREN",
        "AS_CHILDREN",
    ),
    "what it draws and takes back": (
        "",
        "r = self.r.normal(3) if rollout_extras is None else rollout_extras\n"
        "        return StatefulModuleOutput((), r, 0.0, {}, r)",
        "YES",
        "NO",
    ),
    "what it draws from its carry and takes back, which the replay draws again": (
        "def initialize_state(self, n): return jax.random.split(self.r(), n)",
        "r = jax.vmap(jax.random.normal)(state) if rollout_extras is None else rollout_extras\n"
        "        return StatefulModuleOutput(state, r, 0.0, {}, r)",
        "NO",
        "YES",
    ),
    "the same of one env for all": (
        "def initialize_state(self, n): return jax.random.split(self.r(), n)",
        "r = jax.random.normal(state[0]) if rollout_extras is None else rollout_extras\n"
        "        return StatefulModuleOutput(state, r, 0.0, {}, r)",
        "YES",
        "YES",
    ),
    "the same with the place folded in": (
        "def initialize_state(self, n): return jax.random.split(self.r(), n)",
        "k = jax.vmap(jax.random.fold_in)(state, jnp.arange(x.shape[0]))\n"
        "        r = jax.vmap(jax.random.normal)(k) if rollout_extras is None else rollout_extras\n"
        "        return StatefulModuleOutput(state, r, 0.0, {}, r)",
        "YES",
        "YES",
    ),
    "an action that it draws from its carry": (
        "def initialize_state(self, n): return jax.random.split(self.r(), n)",
        "r = jax.vmap(jax.random.normal)(state) if rollout_extras is None else rollout_extras\n"
        "        output = {'action': r, 'log_likelihood': -r}\n"
        "        return StatefulModuleOutput(state, output, 0.0, {}, r)",
        "YES",
        "YES",
    ),
    "what it computes of its input": (
        "",
        "r = jnp.tanh(x) if rollout_extras is None else rollout_extras\n"
        "        return StatefulModuleOutput((), r, 0.0, {}, r)",
        "NO",
        "NO",
    ),
    "what it counts": (
        "",
        "self.c[...] += 1\n"
        "        r = x + self.c[...] if rollout_extras is None else rollout_extras\n"
        "        return StatefulModuleOutput((), r, 0.0, {}, r)",
        "YES",
        "NO",
    ),
    "what it emits and never takes back": (
        "",
        "return StatefulModuleOutput((), x, 0.0, {}, x)",
        "NO",
        "NO",
    ),
    "itself": (
        "",
        "return self(state, x, rollout_extras)",
        "NO",
        "NO",
    ),
}


@pytest.mark.parametrize(("seed", "body", "extras", "carry"), PROMISES.values(), ids=PROMISES)
def test_a_class_needs_of_its_caller(seed: str, body: str, extras: str, carry: str) -> None:
    file = support.parse(
        support.module(f"""
class M(StatefulModule):
    def __init__(self, c, r: nnx.Rngs):
        self.c, self.r = c, r
    {seed}
    def __call__(self, state, x, rollout_extras=None):
        {body}
""")
    )
    assert Auditor(Hierarchy()).promise(file.classes[0]) == Promise(Threads[extras], Threads[carry])


def test_a_child_that_is_built_for_one_call_goes_by_its_librarys_name() -> None:
    code = "nnx_ppo.networks.variational.VariationalBottleneck(4, self.rngs)(state, x)"
    told = events_in(code, before="import nnx_ppo.networks.variational")
    assert f"{code} calls child nnx_ppo.VariationalBottleneck" in told


@pytest.mark.parametrize("name", ["state", "module_state", "network_state", "key"])
def test_a_childs_state_may_be_given_by_name(name: str) -> None:
    audit = run(
        f"self.child({name}=state, x=x)",
        init="self.child = nnx_ppo.networks.variational.VariationalBottleneck(4, rngs)",
        before="import nnx_ppo.networks.variational",
    )
    (called,) = (event for event in audit.rollout if isinstance(event, CalledChild))
    assert called.state is not None
    assert shown(called.state) == "data{carry}@state"
