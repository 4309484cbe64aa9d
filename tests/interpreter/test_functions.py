"""Calling functions of the project: parameters, bodies, recursion, decorators."""

from __future__ import annotations

import pytest
import support
from interpreting import events_in, module, run, trails_in, value_of

from flake8_nnx_rng.interpreter.functions import MAX_CALLS

PARAMETERS: dict[str, tuple[str, str, str]] = {
    "by position": ("a, b", "1, 2", "a, b"),
    "by keyword": ("a, b", "b=1, a=2", "a, b"),
    "by default": ("a, b=3", "1", "a, b"),
    "keyword only": ("a, *, b", "1, b=2", "a, b"),
    "keyword only by default": ("a, *, b=3", "1", "a, b"),
    "position only": ("a, b, /", "1, 2", "a, b"),
    "further ones": ("a, *b", "1, 2, 3", "a, b"),
    "no further ones": ("a, *b", "1", "a, b"),
    "named ones": ("a, **b", "1, c=2", "a, b"),
    "a spread tuple": ("a, b", "*(1, 2)", "a, b"),
    "a spread dict": ("a, b", "**{'a': 1, 'b': 2}", "a, b"),
    "an unknown tuple": ("a, b=3", "*state", "a, b"),
    "an unknown tuple in further ones": ("*a", "1, *state", "a"),
    "an unknown dict in named ones": ("a, **b", "1, **state", "b"),
    "a missing argument": ("a, b", "1", "a, b"),
}
BOUND = {
    "by position": "(1, 2)",
    "by keyword": "(2, 1)",
    "by default": "(1, 3)",
    "keyword only": "(1, 2)",
    "keyword only by default": "(1, 3)",
    "position only": "(1, 2)",
    "further ones": "(1, (2, 3))",
    "no further ones": "(1, ())",
    "named ones": "(1, {'c': 2})",
    "a spread tuple": "(1, 2)",
    "a spread dict": "(1, 2)",
    "an unknown tuple": "(data{carry}@state[...], 3 | data{carry}@state[...])",
    "an unknown tuple in further ones": "[1 | data{carry}@state[...]...]",
    "an unknown dict in named ones": "{**data{carry}@state[...]}",
    "a missing argument": "(1, data)",
}


@pytest.mark.parametrize("case", PARAMETERS)
@pytest.mark.parametrize("form", ["def f({}): return {}", "f = lambda {}: ({})"])
def test_an_argument_is_given(case: str, form: str) -> None:
    parameters, arguments, result = PARAMETERS[case]
    code = f"{form.format(parameters, result)}\nf({arguments})"
    assert value_of(code) == BOUND[case]


RESULTS: dict[str, tuple[str, str]] = {
    "nothing": ("def f(): pass", "None"),
    "an empty return": ("def f():\n    return", "None"),
    "either of two returns": ("def f():\n    if x: return 1\n    return 2", "1 | 2"),
    "a return or the end": ("def f():\n    if x: return 1", "1 | None"),
    "a function that always raises": ("def f(): raise ValueError", ""),
    "a generator": ("def f():\n    yield 1\n    yield self.key", "[1 | key@self.key...]"),
    "a generator of nothing": ("def f():\n    yield", "[None...]"),
    "a generator of a generator": ("def f():\n    yield from (1, 2)", "[1 | 2...]"),
    "what was sent to a generator": ("def f():\n    y = yield 1\n    yield y", "[1 | data...]"),
    "a coroutine": ("async def f():\n    return await self.key", "key@self.key"),
    "one line": ("def f(): return 1", "1"),
    "a function of its own": (
        "def f():\n    def g(): return self.key\n    return g()",
        "key@self.key",
    ),
}


@pytest.mark.parametrize(("code", "expected"), RESULTS.values(), ids=RESULTS.keys())
def test_a_call_yields(code: str, expected: str) -> None:
    assert value_of(f"{code}\nf()") == expected


def test_what_was_done_before_a_return_stays_done() -> None:
    members = "def f(self, y):\n  if y:\n    self.a = self.key\n    return\n  self.a = 2"
    assert value_of("self.f(x)\nself.a", members=members) == "2 | key@self.key"


def test_a_branch_that_raises_leaves_nothing() -> None:
    members = "def f(self, y):\n  if y:\n    self.a = 1\n    raise ValueError\n  self.a = 2"
    assert value_of("self.f(x)\nself.a", members=members) == "2"


def test_nothing_happens_after_a_call_that_never_returns() -> None:
    assert events_in("f()\nself.rngs()", before="def f(): raise ValueError") == []


RECURSIONS = {
    "itself": "def f(self, n):\n    self.rngs()\n    return self.f(n)",
    "itself until the end": (
        "def f(self, n):\n    if n:\n        return 1\n    self.rngs()\n    return self.f(n)"
    ),
    "each other": (
        "def f(self, n): return self.g(n)\ndef g(self, n):\n    self.rngs()\n    return self.f(n)"
    ),
    "itself within its arguments": "def f(self, n):\n    return self.f(self.f(self.rngs()))",
    "itself by a lambda": "def f(self, n):\n    self.rngs()\n    return (lambda: self.f(n))()",
}


@pytest.mark.parametrize("members", RECURSIONS.values(), ids=RECURSIONS.keys())
def test_recursion_ends_for_functions_that_call(members: str) -> None:
    audit = run("self.f(x)", members=members)
    assert audit.is_complete
    assert events_in("self.f(x)", members=members) == ["self.rngs() draws from self.rngs"]


def test_a_call_that_recurses_too_deeply_depends_on_its_arguments() -> None:
    before = "def f(n, k): return f((n, 1), k) if n else 1"
    assert value_of("f(x, self.key)", before=before) == "1 | data{input, self.key}"


def _chain(length: int) -> str:
    links = [f"def f{i}(self, n): return self.f{i + 1}(n)" for i in range(length)]
    return "\n".join([*links, f"def f{length}(self, n): return self.rngs()"])


def test_calls_are_followed_to_a_certain_depth() -> None:
    assert events_in("self.f0(x)", members=_chain(MAX_CALLS - 2)) != []
    assert events_in("self.f0(x)", members=_chain(MAX_CALLS - 1)) == []


def test_many_levels_of_helpers_that_call_twice_are_followed_in_time() -> None:
    levels = 25
    links = [f"def f{i}(self, n): return self.f{i + 1}(n), self.f{i + 1}(n)" for i in range(levels)]
    members = "\n".join([*links, f"def f{levels}(self, n): return self.rngs()"])
    audit = run("self.f0(x)", members=members)
    assert audit.is_complete
    assert trails_in(audit)[0].startswith("M.__call__ > f0 > f1")


def test_a_helper_is_run_again_after_an_attribute_has_changed() -> None:
    code = "self.f()\nself.draw = self.rngs\nself.f()"
    told = events_in(code, members="def f(self): return self.draw(1)", init="self.draw = 1")
    assert told[-1] == "self.draw(1) draws from self.rngs"


def test_a_helper_that_writes_is_run_every_time() -> None:
    members = "def bump(self):\n    self.n = (self.n, 1)\n    return self.n"
    code = "self.n = 0\nself.bump()\nself.bump()"
    assert value_of(code, members=members) == "((0, 1), 1)"


def test_the_trail_is_the_calls_from_the_entry_point() -> None:
    audit = run(
        "self.outer()",
        members="def outer(self): return (lambda: inner(self))()",
        before="def inner(module): return [module.rngs() for _ in (1, 2)]",
    )
    assert trails_in(audit) == ["M.__call__ > outer > inner"]


def test_a_method_of_a_child_is_called_by_its_class() -> None:
    audit = run(
        "self.child.noise()",
        init="self.child = Child(rngs)",
        before="class Child:\n    def __init__(self, r): self.r = r\n"
        "    def noise(self): return self.r()",
    )
    assert trails_in(audit) == ["M.__call__ > Child.noise"]


def test_an_inherited_entry_point_is_called_by_the_class_audited() -> None:
    audit = support.audit_of(module("return self.rngs()") + "\nclass Derived(M): pass", "Derived")
    assert trails_in(audit) == ["Derived.__call__"]


def test_two_functions_made_at_two_places_keep_their_variables_apart() -> None:
    before = "def make(k):\n    def f(): return k\n    return f"
    assert value_of("a, b = make(1), make(2)\n(a(), b())", before=before) == "(1, 2)"


def test_functions_made_in_a_comprehension_keep_their_variables() -> None:
    before = "def make(k):\n    def f(): return k\n    return f"
    code = "fs = [make(k) for k in (self.key, state)]\nfs[0]()"
    assert "key@self.key" in value_of(code, before=before)


DEFAULTS: dict[str, tuple[str, str]] = {
    "a key": ("def f(k=jax.random.key(0)): return k", "key@f(k=...)"),
    "a key of the file": ("KEY = jax.random.key(0)\ndef f(k=KEY): return k", "key@f(k=...)"),
    "a stream": ("def f(*, r=nnx.Rngs(0)): return r", "rngs@f(r=...)"),
    "a literal": ("def f(n=3): return n", "3"),
    "None": ("def f(k=None): return k", "None"),
}


@pytest.mark.parametrize(("before", "expected"), DEFAULTS.values(), ids=DEFAULTS.keys())
def test_a_default_is_made_once_and_held_by_its_function(before: str, expected: str) -> None:
    assert value_of("f()", before=before) == expected
    assert events_in("f()", before=before) == []


def test_the_default_of_a_method_is_held_by_it() -> None:
    assert value_of("self.f()", members="def f(self, k=nnx.RngKey(0)): return k") == "key@f(k=...)"


def test_the_default_of_a_function_of_the_pass_is_evaluated_in_it() -> None:
    assert value_of("def f(k=state): return k\nf()") == "data{carry}@state"


ADVANCES: dict[str, tuple[str, list[str]]] = {
    "a stream": ("f(self.rngs, x)", ["self.rngs"]),
    "an object": ("f(self, self.rngs)", ["self", "self.rngs"]),
    "a layer": ("f(x, self.drop)", ["self.drop"]),
    "data alone": ("f(x, state)", []),
}


@pytest.mark.parametrize(("call", "advanced"), ADVANCES.values(), ids=ADVANCES.keys())
@pytest.mark.parametrize("decorator", ["@nnx.split_rngs(splits=3)", "@nnx.fork_rngs"])
def test_a_decorator_that_splits_streams_advances(
    call: str, advanced: list[str], decorator: str
) -> None:
    before = f"@[0][0]\n{decorator}\ndef f(a, b): pass"
    told = events_in(call, init="self.drop = nnx.Dropout(0.5)", before=before)
    assert told == [f"{decorator} advances {path}" for path in advanced]
