"""The two passes of PPO over one class."""

from __future__ import annotations

import pytest
import support
from interpreting import events_in, module, returned, run, told_all, trails_in, value_of

from flake8_nnx_rng.interpreter import Returned, audit
from flake8_nnx_rng.interpreter.values import Record, taint_of
from flake8_nnx_rng.project import Hierarchy

ENTRIES: dict[str, tuple[str, str, str]] = {
    # definition of the entry point, what the rollout returns, what the replay returns
    "the usual signature": (
        "def __call__(self, state, x, rollout_extras=None): return (state, x, rollout_extras)",
        "(data{carry}@state, data{input}@x, None)",
        "(data{carry}@state, data{input}@x, data{extras}@rollout_extras)",
    ),
    "other names": (
        "def __call__(self, a, b, c): return (a, b, c)",
        "(data{carry}@state, data{input}@x, None)",
        "(data{carry}@state, data{input}@x, data{extras}@rollout_extras)",
    ),
    "positions only": (
        "def __call__(self, a, b, c=None, /): return c",
        "None",
        "data{extras}@rollout_extras",
    ),
    "no extras": (
        "def __call__(self, a, b): return (a, b)",
        "(data{carry}@state, data{input}@x)",
        "(data{carry}@state, data{input}@x)",
    ),
    "no input": (
        "def __call__(self, a): return a",
        "data{carry}@state",
        "data{carry}@state",
    ),
    "extras by name alone": (
        "def __call__(self, a, b, *, rollout_extras=None): return rollout_extras",
        "None",
        "data{extras}@rollout_extras",
    ),
    "extras after something else": (
        "def __call__(self, a, b, flag=3, rollout_extras=None): return (flag, rollout_extras)",
        "(3, None)",
        "(3, data{extras}@rollout_extras)",
    ),
    "further parameters": (
        "def __call__(self, a, b, c=None, d=4, *, e, f=5): return (d, e, f)",
        "(4 | data{input}, data{input}@x, 5 | data{input})",
        "(4 | data{input}, data{input}@x, 5 | data{input})",
    ),
    "a star": (
        "def __call__(self, *args): return args",
        "(data{carry}@state, data{input}@x, None)",
        "(data{carry}@state, data{input}@x, data{extras}@rollout_extras)",
    ),
    "named arguments": ("def __call__(self, a, b, **kwargs): return kwargs", "{}", "{}"),
    "a lambda": (
        "__call__ = lambda self, a, b, rollout_extras=None: rollout_extras",
        "None",
        "data{extras}@rollout_extras",
    ),
    "another method": (
        "def forward(self, a, b, c=None): return c\n__call__ = forward",
        "None",
        "data{extras}@rollout_extras",
    ),
    "a transformed method": (
        "def forward(self, a, b): return a\n__call__ = nnx.jit(forward)",
        "data{carry}@state",
        "data{carry}@state",
    ),
    "a decorated method": (
        "@nnx.jit\ndef __call__(self, a, b): return a",
        "data{carry}@state",
        "data{carry}@state",
    ),
    "a method of a decorator of the file": (
        "@deco\ndef __call__(self, a, b): return a",
        "data{carry}@state",
        "data{carry}@state",
    ),
    "either of two": (
        "if jax:\n    def __call__(self, a, b): return 1\n"
        "else:\n    def __call__(self, a, b): return 2",
        "1 / 2",
        "1 / 2",
    ),
    "something that cannot be followed": (
        "__call__ = functools.partial(nnx.Dropout(0.5))",
        "",
        "",
    ),
    "none": (
        "",
        "",
        "",
    ),
}
DECO = """
def deco(function):
    def inner(*args, **kwargs): return function(*args, **kwargs)
    return inner
"""


def _class(members: str, base: str = "StatefulModule") -> str:
    indented = "\n".join(f"    {line}" for line in members.splitlines())
    return f"{DECO}\nclass M({base}):\n    pass\n{indented}\n"


@pytest.mark.parametrize(("members", "rollout", "replay"), ENTRIES.values(), ids=ENTRIES.keys())
def test_an_entry_point_with(members: str, rollout: str, replay: str) -> None:
    passes = support.audit_of(_class(members), "M")
    assert returned(passes.rollout) == rollout
    assert returned(passes.replay) == replay
    assert passes.is_complete


def test_the_extras_decide_what_happens_in_either_pass() -> None:
    body = "if rollout_extras is None:\n    return self.rngs()\nreturn self.stream()"
    passes = run(body)
    assert told_all(passes.rollout) == [
        "self.rngs() draws from self.rngs if rollout_extras is None"
    ]
    assert told_all(passes.replay) == ["self.stream() draws from self.stream"]
    assert told_all(tuple(passes.events())) == told_all(passes.rollout + passes.replay)


def test_the_fields_of_the_output_are_kept_apart() -> None:
    body = """
    noise = jax.random.normal(self.rngs(), x.shape)
    action = noise if rollout_extras is None else rollout_extras
    return StatefulModuleOutput(state, action, 0.0, {"n": noise}, rollout_extras=action)
    """
    (event,) = (e for e in run(body).replay if isinstance(e, Returned))
    assert isinstance(event.value, Record)
    taints = {name: sorted(type(s).__name__ for s in taint_of(v)) for name, v in event.value.fields}
    assert taints == {
        "next_state": ["Carried"],
        "output": ["Entry"],
        "regularization_loss": [],
        "metrics": ["Call", "Drawn", "Held", "Sample", "Sample"],
        "rollout_extras": ["Entry"],
    }


@pytest.mark.parametrize(("base", "expected"), [("StatefulModule", False), ("ActionSampler", True)])
def test_a_sampler_is_known(base: str, expected: bool) -> None:
    passes = support.audit_of(_class("", base), "M")
    assert passes.is_sampler is expected
    assert passes.cls.name == "M"


def test_the_constructor_draws_as_it_likes() -> None:
    assert events_in("return x", init="self.a = rngs(); rngs.fork(); np.random.normal()") == []


HELD: dict[str, tuple[str, str]] = {
    "an argument": ("self.a = thing", "data@self.a"),
    "an argument of a known type": ("self.a = rngs", "rngs@self.a"),
    "what was derived": ("self.a = jax.random.split(key)", "key@self.a"),
    "a fork": ("self.a = rngs.fork()", "rngs@self.a"),
    "a literal": ("self.a = 3", "data@self.a"),
    "a stream or none": ("self.a = rngs if thing else None", "rngs@self.a"),
    "a list": ("self.a = [rngs, key]", "(rngs@self.a[0], key@self.a[1])"),
    "a dict": ("self.a = {'n': rngs}", "{'n': rngs@self.a['n']}"),
    "a layer": ("self.a = nnx.Linear(1, 1, rngs=rngs)", "Linear@self.a"),
    "an object": ("self.a = Child(rngs)", "Child@self.a"),
    "a stream in an object": ("self.a = Child(rngs).r", "rngs@self.a"),
    "what the last statement says": ("self.a = 1\nself.a = rngs", "rngs@self.a"),
    "either arm": ("if thing: self.a = rngs\nelse: self.a = key", "key@self.a | rngs@self.a"),
    "what a helper sets": ("self._build(rngs)", "rngs@self.a"),
}
CHILD = "class Child:\n    def __init__(self, r, parent=None): self.r, self.parent = r, parent"


@pytest.mark.parametrize(("init", "expected"), HELD.values(), ids=HELD.keys())
def test_an_attribute_that_the_constructor_sets_is_found_as(init: str, expected: str) -> None:
    helper = "def _build(self, r): self.a = r"
    assert value_of("self.a", init=init, members=helper, before=CHILD) == expected


NESTED: dict[str, tuple[str, str, str]] = {
    "a child": ("self.c = Child(rngs)", "self.c.r", "rngs@self.c.r"),
    "a child of a list": ("self.c = [Child(rngs)]", "self.c[0].r", "rngs@self.c[0].r"),
    "a child of a child": ("self.c = Child(Child(rngs))", "self.c.r.r", "rngs@self.c.r.r"),
    "a child that knows its parent": (
        "self.c = Child(rngs, self)",
        "self.c.parent",
        "M@self.c.parent",
    ),
}


@pytest.mark.parametrize(("init", "code", "expected"), NESTED.values(), ids=NESTED.keys())
def test_the_attributes_are_sealed_of(init: str, code: str, expected: str) -> None:
    assert value_of(code, init=init, before=CHILD) == expected


CONSTRUCTORS: dict[str, tuple[str, str]] = {
    "every kind of parameter": (
        "def __init__(self, a, /, b, *c, d, **e): self.v = (a, b, c, d, e)",
        "(data@self.v[0], data@self.v[1], [data@self.v[2][...]...], data@self.v[3], "
        "{**data@self.v[4][...]})",
    ),
    "a default, which an argument replaces": ("def __init__(self, a=1): self.v = a", "data@self.v"),
    "the parent's": (
        "def __init__(self, *a, **k):\n    super().__init__(*a, **k)\n    self.v = 1",
        "data@self.v",
    ),
    "none": ("", "data@self.v"),
    "a library's": ("__init__ = nnx.Module.__init__", "data@self.v"),
    "one that always raises": ("def __init__(self): raise NotImplementedError", "data@self.v"),
}


@pytest.mark.parametrize(("init", "expected"), CONSTRUCTORS.values(), ids=CONSTRUCTORS.keys())
def test_a_constructor_is_run_with(init: str, expected: str) -> None:
    passes = support.audit_of(_class(f"{init}\ndef __call__(self, state, x): return self.v"), "M")
    assert returned(passes.rollout) == expected


def test_the_constructor_of_the_parent_is_run() -> None:
    derived = """
class Derived(M):
    def __init__(self, *args, rngs: nnx.Rngs, **kwargs):
        super().__init__(rngs, *args, **kwargs)
        self.own = rngs
"""
    code = module("return self.rngs.a(), self.own()") + derived
    passes = support.audit_of(code, "Derived")
    assert told_all(passes.rollout) == [
        "self.rngs.a() draws from self.rngs.a",
        "self.own() draws from self.own",
    ]


def test_an_abstract_entry_point_returns_nothing() -> None:
    passes = run("raise NotImplementedError")
    assert passes.rollout == passes.replay == ()


def test_a_method_that_the_entry_point_does_not_reach_is_not_run() -> None:
    assert events_in("return x", members="def sample(self): return self.rngs()") == []


def test_the_passes_of_a_class_do_not_depend_on_those_before() -> None:
    file = support.parse(support.module(module("return self.rngs()")))
    (cls,) = file.classes
    first, second = audit(cls, Hierarchy()), audit(cls, Hierarchy())
    assert told_all(first.rollout) == told_all(second.rollout)
    assert trails_in(first) == trails_in(second) == ["M.__call__"]


def test_a_pass_knows_nothing_of_the_functions_that_an_earlier_pass_defined() -> None:
    members = "def __call__(self, a, b, c=None):\n    a = (lambda: a, 1)[1]\n    return a"
    passes = support.audit_of(_class(members), "M")
    assert returned(passes.rollout) == returned(passes.replay) == "1"


def test_the_carry_of_a_dict_that_is_only_partly_known_has_unknown_entries() -> None:
    start = "def initialize_state(self, n): return {'a': 1, **self.thing}"
    assert value_of("state['b']", members=start) == "data{carry}@state[...]"
