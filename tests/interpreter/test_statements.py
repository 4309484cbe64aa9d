"""What each kind of statement does."""

from __future__ import annotations

import pytest
from interpreting import events_in, run, value_of

VALUES: dict[str, tuple[str, str]] = {
    "either arm of an if": ("a = 1\nif x: a = 2\na", "1 | 2"),
    "both arms of an if": ("if x: a = 1\nelse: a = 2\na", "1 | 2"),
    "every arm of a chain": ("if x: a = 1\nelif state: a = 2\nelse: a = 3\na", "1 | 2 | 3"),
    "an arm that raises": ("a = 1\nif x:\n    a = 2\n    raise ValueError(x)\na", "1"),
    "an arm that raises again": ("a = 1\nif x:\n    a = 2\n    raise\na", "1"),
    "a loop that may not run": ("a = 1\nfor i in x: a = 2\na", "1 | 2"),
    "a loop's variable": ("for i in (1, 2): pass\ni", "2"),
    "a loop that takes known items one at a time": (
        "t = ()\nfor i in (1, 2): t = (t, i)\nt",
        "(((), 1), 2)",
    ),
    "a loop over known items that may break": ("for i in (1, 2):\n    if x: break\ni", "1 | 2"),
    "a loop over known items that does break": (
        "for i in (1, 2, 3):\n    if i == 2: break\ni",
        "2",
    ),
    "a loop over known items that may continue": (
        "a = 0\nfor i in (1, 2):\n    if x: continue\n    a = i\na",
        "0 | 1 | 2",
    ),
    "a loop over known items that returns": ("for i in (1, 2): return i\n3", "1"),
    "a loop over pairs": ("for i in zip((1, 2), (3, 4)): pass\ni", "(2, 4)"),
    "a loop over as many items as are taken one at a time": (
        f"a = 0\nfor i in {(1,) * 40}: a = i\na",
        "1",
    ),
    "a loop over more items than that": (f"a = 0\nfor i in {(1,) * 41}: a = i\na", "0 | 1"),
    "a loop's variables": ("for i, (a, b) in [(1, (2, 3))]: pass\n(i, a, b)", "(1, 2, 3)"),
    "a loop that breaks": ("a = 1\nfor i in x:\n    a = 2\n    break\n    a = 3\na", "1 | 2"),
    "a loop that continues": (
        "a = 1\nfor i in x:\n    if i:\n        a = 2\n        continue\n    a = 3\na",
        "1 | 2 | 3",
    ),
    "an inner loop that breaks": (
        "a = 1\nfor i in x:\n    for j in x:\n        break\n    a = 2\na",
        "1 | 2",
    ),
    "a loop and what follows it": ("for i in x: a = 1\nelse: a = 2\na", "2"),
    "a while loop with a walrus": ("while (a := x): pass\na", "data{input}@x"),
    "a while loop and what follows it": ("while x: pass\nelse: a = 2\na", "2"),
    "a try": ("a = 1\ntry: a = 2\nexcept ValueError: pass\na", "1 | 2"),
    "a try's handler": ("try: a = 1\nexcept ValueError as e: a = e\na", "1 | data"),
    "a try's else": ("try: a = 1\nexcept ValueError: a = 2\nelse: a = 3\na", "2 | 3"),
    "a try's end": ("try: a = 1\nfinally: a = 2\na", "2"),
    "a try of groups": ("a = 1\ntry: a = 2\nexcept* ValueError: a = 3\na", "2 | 3"),
    "a handler after the end of its path": (
        "a = 1\ntry: raise ValueError\nexcept ValueError: a = 2\na",
        "2",
    ),
    "a with": ("with self.thing as t: a = t\na", "data@self.thing"),
    "a with of several": ("with self.thing, self.key as (k, l): pass\nk", "key@self.key"),
    "a match": ("match state:\n    case 1: a = 1\n    case _: a = 2\na", "1 | 2"),
    "a match that may not match": ("a = 0\nmatch state:\n    case 1: a = 1\na", "0 | 1"),
    "a match's name": ("match state:\n    case a: pass\na", "data{carry}@state"),
    "a match's sequence": (
        "match state:\n    case [a, *b]: pass\n(a, b)",
        "(data{carry}, data{carry})",
    ),
    "a match's items": (
        "match (self.key, x):\n    case (a, b): pass\n(a, b)",
        "(key@self.key, data{input}@x)",
    ),
    "a match's list": ("match [1, 2]:\n    case [a, b]: pass\na", "1"),
    "a match's sequence of another length": ("match (1, 2):\n    case (a,): pass\na", "data"),
    "a match's last resort": (
        "match x:\n    case _ if state: a = 1\n    case b: a = b\na",
        "1 | data{input}@x",
    ),
    "a match's mapping": ("match state:\n    case {'k': a, **b}: pass\na", "data{carry}"),
    "a match's class": ("match state:\n    case C(1, k=a) | [a]: pass\na", "data{carry}"),
    "a match's as": ("match state:\n    case [1] as a: pass\na", "data{carry}"),
    "a sum": ("a = 1\na += x\na", "data{input}"),
    "an import": ("import numpy.random as a\na", "numpy.random"),
    "a name from an import": ("from flax.nnx import Rngs as A\nA", "flax.nnx.Rngs"),
    "an import of everything": ("from numpy import *\n1", "1"),
    "a class": ("class C: pass\nC", "class M.C"),
    "a function": ("def f(): pass\nf", "function f"),
    "a deletion": ("a = 1\ndel a\n2", "2"),
    "a line of several": ("a = 1; b = 2\n(a, b)", "(1, 2)"),
    "an assertion": ("assert x, 'no'\nx", "data{input}@x"),
}


@pytest.mark.parametrize(("code", "expected"), VALUES.values(), ids=VALUES.keys())
def test_after(code: str, expected: str) -> None:
    assert value_of(code) == expected


LOOPS = {
    "a tuple that nests": ("t = ()\nfor i in x: t = (t, self.key)\nt", "key@self.key"),
    "a tuple that lengthens": ("t = ()\nfor i in x: t = t + (self.key,)\nt", "key@self.key"),
    "a list": ("t = []\nfor i in x: t.append(self.key)\nt[0]", "key@self.key"),
    "a dict": ("t = {}\nfor i in x: t[i] = self.key\nt[x]", "key@self.key"),
    "a dict that nests": ("t = {}\nfor i in x: t = {'a': t, 'b': self.key}\nt['b']", "self.key"),
    "an attribute that nests": (
        "self.t = ()\nwhile x: self.t = (self.t, self.key)\nself.t[1]",
        "key@self.key",
    ),
    "a chain of closures": (
        "t = lambda: self.key\nfor i in x: t = lambda t=t: t()\nt()",
        "self.key",
    ),
    "a partial that grows": (
        "t = lambda *a: a[0]\nfor i in x: t = functools.partial(t, i)\nt()",
        "data{input}",
    ),
    "a counter": ("t = 0\nwhile t < 3: t = t + 1\n(t, self.key)", "key@self.key"),
    "two that swap": ("a, b = self.key, state\nfor i in x: a, b = b, a\n(a, b)", "key@self.key"),
}


@pytest.mark.parametrize(("code", "kept"), LOOPS.values(), ids=LOOPS.keys())
def test_a_loop_comes_to_an_end_with(code: str, kept: str) -> None:
    *statements, last = code.split("\n")
    audit = run("\n".join([*statements, "self.rngs()", f"return {last}"]))
    assert audit.is_complete
    assert kept in value_of(code)


EVENTS: dict[str, tuple[str, list[str]]] = {
    "an if": ("if x: s()", ["s() draws from self.rngs if x"]),
    "an else": ("if x: pass\nelse: s()", ["s() draws from self.rngs unless x"]),
    "an elif": (
        "if x: pass\nelif state: s()",
        ["s() draws from self.rngs unless x if state"],
    ),
    "an if in an if": ("if x:\n    if state: s()", ["s() draws from self.rngs if x if state"]),
    "after an if": ("if x: pass\ns()", ["s() draws from self.rngs"]),
    "a test": ("if s(): pass", ["s() draws from self.rngs"]),
    "a loop": ("for i in x: s()", ["s() draws from self.rngs"]),
    "a loop's source": ("for i in s(): pass", ["s() draws from self.rngs"]),
    "a loop's else": ("for i in x: pass\nelse: s()", ["s() draws from self.rngs"]),
    "the end of a loop, next time round": (
        "t = 1\nfor i in x:\n    t = t()\n    t = s",
        ["t() draws from self.rngs"],
    ),
    "a while loop's test": ("while s(): pass", ["s() draws from self.rngs"]),
    "a while loop": ("while x: s()", ["s() draws from self.rngs"]),
    "a try": ("try: s()\nexcept ValueError: pass", ["s() draws from self.rngs"]),
    "a handler": ("try: pass\nexcept ValueError: s()", ["s() draws from self.rngs"]),
    "a handler after a return": (
        "try: return 1\nexcept ValueError: s()",
        ["s() draws from self.rngs"],
    ),
    "a final block": ("try: pass\nfinally: s()", ["s() draws from self.rngs"]),
    "a final block after a return": ("try: return 1\nfinally: s()", ["s() draws from self.rngs"]),
    "a final block after a raise": (
        "try: raise ValueError\nfinally: s()",
        ["s() draws from self.rngs"],
    ),
    "a with": ("with x: s()", ["s() draws from self.rngs"]),
    "a with's subject": ("with s(): pass", ["s() draws from self.rngs"]),
    "a match's arm": ("match x:\n    case 1: s()", ["s() draws from self.rngs"]),
    "a match's subject": ("match s():\n    case 1: pass", ["s() draws from self.rngs"]),
    "a match's guard": ("match x:\n    case 1 if s(): pass", ["s() draws from self.rngs"]),
    "an assertion": ("assert s()", ["s() draws from self.rngs"]),
    "a raise": ("raise s()", ["s() draws from self.rngs"]),
    "a return": ("return s()", ["s() draws from self.rngs"]),
    "an augmented assignment": ("a = 1\na += s()", ["s() draws from self.rngs"]),
    "a walrus": ("if (k := s()) is not None: pass", ["s() draws from self.rngs"]),
    "a loop over names": (
        "for n in ('a', 'b'): s[n]()",
        ["s[n]() draws from self.rngs.a", "s[n]() draws from self.rngs.b"],
    ),
    "a loop over nothing": ("for i in (): s()", []),
    "after a return": ("return 1\ns()", []),
    "a loop over what never comes": (
        "def never(): raise ValueError\nfor i in never(): s()",
        [],
    ),
    "after a raise": ("raise ValueError\ns()", []),
    "after a break": ("for i in x:\n    break\n    s()", []),
    "after a continue": ("for i in x:\n    continue\n    s()", []),
    "after both arms returned": ("if x: return 1\nelse: return 2\ns()", []),
    "a function that is not called": ("def f(): s()", []),
    "a break outside a loop": ("break\ns()", []),
    "a continue outside a loop": ("continue\ns()", []),
}


@pytest.mark.parametrize(("code", "expected"), EVENTS.values(), ids=EVENTS.keys())
def test_a_draw_stands_in(code: str, expected: list[str]) -> None:
    assert events_in(f"s = self.rngs\n{code}") == expected


ASYNCHRONOUS = {
    "a with": "async def f():\n    async with x: return self.rngs()",
    "a loop": "async def f():\n    async for i in x: self.rngs()",
    "a comprehension": "async def f(): return [self.rngs() async for i in x]",
}


@pytest.mark.parametrize("code", ASYNCHRONOUS.values(), ids=ASYNCHRONOUS.keys())
def test_a_draw_stands_in_an_asynchronous(code: str) -> None:
    assert events_in(f"{code}\nf()") == ["self.rngs() draws from self.rngs"]


def test_a_local_class_draws_from_what_its_objects_hold() -> None:
    code = "class C:\n    def __init__(self, r): self.r = r\n    def go(self): return self.r()\n"
    assert events_in(f"{code}C(self.rngs).go()") == ["self.r() draws from self.rngs"]


def test_a_key_of_the_file_is_written() -> None:
    before = "KEY = jax.random.key(0)"
    told = events_in("global KEY\nKEY = jax.random.split(KEY)[0]", before=before)
    assert any(" writes KEY" in event for event in told)


def test_the_returns_of_the_entry_point_alone_are_recorded() -> None:
    members = "def f(self): return 1"
    assert value_of("(self.f(), (lambda: 2)(), 3)", members=members) == "(1, 2, 3)"
