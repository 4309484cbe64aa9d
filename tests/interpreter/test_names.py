"""What a name means: a variable of a call in progress, or what the file defines."""

from __future__ import annotations

import pytest
from interpreting import events_in, machine, value_of

from flake8_nnx_rng.interpreter import names
from flake8_nnx_rng.interpreter.values import Const, Opaque

VARIABLES: dict[str, tuple[str, str]] = {
    "a parameter": ("x", "data{input}@x"),
    "a constant of the language": ("(None, True, False)", "(None, True, False)"),
    "a builtin": ("len", "builtins.len"),
    "a variable": ("a = 1\na", "1"),
    "the last assignment": ("a = 1\na = 2\na", "2"),
    "a variable that the file also defines": ("LITERAL = 1\nLITERAL", "1"),
    "a variable of an enclosing function": ("a = self.key\n(lambda: a)()", "key@self.key"),
    "its value at the call": ("a = 1\nf = lambda: a\na = 2\nf()", "2"),
    "a parameter before a variable outside": ("a = 1\n(lambda a: a)(2)", "2"),
    "a default before the variable changes": ("a = 1\n(lambda b=a: b)()", "1"),
    "a variable two functions out": ("a = 1\n(lambda: (lambda: a)())()", "1"),
    "a nonlocal": ("a = 1\ndef f():\n    nonlocal a\n    a = self.key\nf()\na", "key@self.key"),
    "a nonlocal two functions out": (
        "a = 1\ndef f():\n    def g():\n        nonlocal a\n        a = 2\n    g()\nf()\na",
        "2",
    ),
    "a local beside an enclosing one": ("a = 1\ndef f():\n    a = 2\nf()\na", "1"),
    "a global": ("global LITERAL\nLITERAL", "3"),
    "a global that is written": ("global LITERAL\nLITERAL = self.key\nLITERAL", "key@self.key"),
    "a global hides no variable of its caller": (
        "a = 1\ndef f():\n    global a\n    a = 2\nf()\na",
        "1",
    ),
    "a nonlocal that nobody holds": ("def f():\n    nonlocal b\n    return b\nf()", "data"),
}

FILE = """
import jax.random as jr
from numpy import random as host
from flax.nnx import Rngs as Streams

LITERAL = 3
KEY = jr.key(0)
STREAM = Streams(0)
FIRST, SECOND = KEY, STREAM
TABLE = {"noise": KEY}
declared: nnx.Rngs
untyped: int
if KEY:
    EITHER = 1
else:
    EITHER = KEY
for LOOP in (1, 2): pass
CYCLE = CYCLE_TOO
CYCLE_TOO = CYCLE
METHOD = STREAM.normal

def function(): pass

class Class:
    INNER = LITERAL
    OUTER = INNER
"""

GLOBALS: dict[str, tuple[str, str]] = {
    "an import": ("jr.normal", "jax.random.normal"),
    "an imported name": ("host.rand", "numpy.random.rand"),
    "an imported name of flax": ("Streams", "flax.nnx.Rngs"),
    "a literal": ("LITERAL", "3"),
    "a key": ("KEY", "key@KEY"),
    "a stream": ("STREAM", "rngs@STREAM"),
    "an unpacked name is unknown": ("FIRST", "data@FIRST"),
    "an entry": ("TABLE['noise']", "key@TABLE['noise']"),
    "a declaration": ("declared", "rngs@declared"),
    "a declaration of no consequence": ("untyped", "data@untyped"),
    "either arm of a branch": ("EITHER", "1 | key@EITHER"),
    "a loop variable": ("LOOP", "data@LOOP"),
    "a cycle of names ends": ("CYCLE", "data@CYCLE"),
    "a method": ("METHOD", "rngs@METHOD.normal"),
    "a function": ("function", "function function"),
    "a class": ("Class", "class Class"),
    "a class body's own name": ("Class.OUTER", "data@Class.OUTER"),
}


@pytest.mark.parametrize(("code", "expected"), VARIABLES.values(), ids=VARIABLES.keys())
def test_a_variable_is(code: str, expected: str) -> None:
    assert value_of(code, before=FILE) == expected


@pytest.mark.parametrize(("code", "expected"), GLOBALS.values(), ids=GLOBALS.keys())
def test_a_name_of_the_file_is(code: str, expected: str) -> None:
    assert value_of(code, before=FILE) == expected


def test_a_walrus_binds_in_the_call() -> None:
    assert value_of("(a := self.key)\na") == "key@self.key"


def test_a_walrus_in_a_comprehension_binds_in_the_call_around_it() -> None:
    assert value_of("[(a := k) for k in (self.key,)]\na") == "key@self.key"


def test_a_comprehension_keeps_its_variable_to_itself() -> None:
    assert value_of("k = 1\n[k for k in (2, 3)]\nk") == "1"


def test_what_a_file_evaluates_outside_the_pass_is_not_recorded() -> None:
    assert events_in("KEY", before="KEY = jax.random.normal(nnx.Rngs(0)())") == []


def test_a_parameter_of_a_function_around_a_class_is_known_by_its_type() -> None:
    before = """
    def make(rngs: nnx.Rngs, other):
        class Child(nnx.Module):
            def __call__(self, y):
                return rngs(), other
        return Child()
    """
    assert events_in("make(1, 2)(x)", before=before) == ["rngs() draws from rngs"]
    taints = "(key{drawn rngs(), rngs, sample rngs()}, data@other)"
    assert value_of("make(1, 2)(x)", before=before) == taints


DECORATED: dict[str, tuple[str, str]] = {
    "a function of the file": ("@deco\ndef f(v): return STREAM()", "STREAM() draws from STREAM"),
    "a factory of the file": (
        "@factory(3)\ndef f(v): return STREAM()",
        "STREAM() draws from STREAM",
    ),
    "several, from the inside out": (
        "@deco\n@partially\ndef f(v, r): return r()",
        "r() draws from STREAM",
    ),
    "a library": (
        "@functools.partial(jax.jit, static_argnums=0)\ndef f(v): return STREAM()",
        "STREAM() draws from STREAM",
    ),
    "something that returns no function": (
        "@register\ndef f(v): return STREAM()",
        "STREAM() draws from STREAM",
    ),
    "something that returns a partial": (
        "@partially\ndef f(v, r): return r()",
        "r() draws from STREAM",
    ),
    "something that draws by itself": (
        "@noisy\ndef f(v): return v",
        "STREAM.own() draws from STREAM.own",
    ),
    "an alias of a class": ("@Class\ndef f(v): return STREAM()", "STREAM() draws from STREAM"),
}

DECORATORS = """
STREAM = nnx.Rngs(0)
def deco(function):
    @functools.wraps(function)
    def inner(*args, **kwargs):
        return function(*args, **kwargs)
    return inner
def factory(n):
    return deco
def register(function):
    return 1
def partially(function):
    return functools.partial(function, r=STREAM)
def noisy(function):
    def inner(*args):
        return STREAM.own(), function(*args)
    return inner
class Class: pass

"""


@pytest.mark.parametrize(("code", "expected"), DECORATED.values(), ids=DECORATED.keys())
def test_the_draws_of_a_function_are_found_when_it_is_decorated_by(
    code: str, expected: str
) -> None:
    assert events_in("f(x)", before=DECORATORS + code) == [expected]


@pytest.mark.parametrize(("code", "expected"), DECORATED.values(), ids=DECORATED.keys())
def test_the_draws_of_a_local_function_are_found_when_it_is_decorated_by(
    code: str, expected: str
) -> None:
    assert events_in(f"{code}\nf(x)", before=DECORATORS) == [expected]


def test_a_function_may_be_decorated_twice_by_the_same() -> None:
    code = "@deco\n@deco\ndef f(v): return STREAM()"
    assert events_in("f(x)", before=DECORATORS + code) == ["STREAM() draws from STREAM"]


def test_a_decorator_itself_runs_outside_the_pass() -> None:
    before = "STREAM = nnx.Rngs(0)\ndef deco(f):\n    STREAM()\n    return f\n@deco\ndef f(v): pass"
    assert events_in("f(x)", before=before) == []


def test_a_name_is_looked_up_once() -> None:
    it = machine("KEY = 1")
    scope = it.frame.scope
    assert names.global_value(it, "KEY", scope) == Const(1)
    steps = it.steps
    assert names.global_value(it, "KEY", scope) == Const(1)
    assert it.steps == steps


def test_what_is_written_is_read_again() -> None:
    it = machine("")
    assert names.read_name(it, "name") == Opaque()
    names.write_name(it, "name", Const(1))
    assert names.read_name(it, "name") == Const(1)
