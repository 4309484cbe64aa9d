"""What each kind of expression means."""

from __future__ import annotations

import pytest
from interpreting import events_in, value_of

VALUES: dict[str, tuple[str, str]] = {
    "numbers": ("(1, 2.5, 'a', b'a')", "(1, 2.5, 'a', b'a')"),
    "an imaginary number": ("1j", "data"),
    "an ellipsis": ("...", "Ellipsis"),
    "strings side by side": ("'a' 'b'", "'ab'"),
    "strings side by side with data": ("'a' f'{x}'", "data{input}"),
    "a formatted string": ("f'a{x}{state!r:>3}'", "data{carry, input}"),
    "a formatted string of nothing": ("f'a'", "data"),
    "a tuple": ("(1, x)", "(1, data{input}@x)"),
    "a list": ("[1, 2]", "(1, 2)"),
    "a set": ("{1, 2}", "[1 | 2...]"),
    "a spread tuple": ("(1, *(2, 3))", "(1, 2, 3)"),
    "spread data": ("[1, *state]", "[1 | data{carry}@state[...]...]"),
    "a dict": ("{'a': 1, 'b': 2}", "{'a': 1, 'b': 2}"),
    "a dict with an unknown key": ("{x: 1}", "{**1}"),
    "a dict in a dict": ("{'a': 1, **{'b': 2}}", "{'a': 1, 'b': 2}"),
    "data in a dict": ("{'a': 1, **state}", "{'a': 1, **data{carry}@state[...]}"),
    "an item": ("(1, 2)[1]", "2"),
    "an item from the end": ("(1, 2)[-1]", "2"),
    "a part of the carry": ("state['key']", "data{carry}@state['key']"),
    "an item of two indices": ("state[0, x]", "data{carry, input}@state[...]"),
    "a section": ("(1, 2, 3)[1:]", "(2, 3)"),
    "a section with a step": ("(1, 2, 3)[::2]", "(1, 3)"),
    "a section of unknown bounds": ("(1, 2, 3)[x:]", "[1 | 2 | 3...]"),
    "a section and an index": ("(1, 2)[:, 0]", "1 | 2"),
    "an item of either": ("((1, 2) if x else (3, 4))[0]", "1 | 3"),
    "a named stream": ("self.rngs['a']", "stream{self.rngs}@self.rngs.a"),
    "a choice": ("1 if x else 2", "1 | 2"),
    "a decided choice": ("1 if True else 2", "1"),
    "a decided choice of the other": ("1 if not True else 2", "2"),
    "x and y": ("x and 1", "1 | data{input}@x"),
    "true and y": ("1 and x", "data{input}@x"),
    "false and y": ("0 and x", "0"),
    "x or y": ("x or 1", "1 | data{input}@x"),
    "true or y": ("1 or x", "1"),
    "false or y": ("None or x", "data{input}@x"),
    "not": ("not x", "data{input}"),
    "not true": ("not 1", "False"),
    "minus a number": ("-1", "-1"),
    "minus data": ("-x", "data{input}"),
    "minus a string": ("-'a'", "data"),
    "plus": ("+1", "data"),
    "an equality": ("1 == 1", "True"),
    "an identity": ("None is not None", "False"),
    "an open comparison": ("x == state", "data{carry, input}"),
    "an order": ("x < 1", "data{input}"),
    "a chain of comparisons": ("1 < x < state", "data{carry, input}"),
    "a membership": ("x in (state,)", "data{carry, input}"),
    "a sum": ("x + state * 2", "data{carry, input}"),
    "a sum of tuples": ("(1,) + (2,)", "(1, 2)"),
    "a repeated list": ("[self.key] * 3", "[key@self.key...]"),
    "a merged dict": ("{'a': 1} | {'b': 2}", "{'a': 1, 'b': 2}"),
    "a walrus": ("(y := 1)\ny", "1"),
    "a lambda": ("(lambda: x)", "function lambda"),
    "a list of a tuple": ("[(k, 1) for k in (1, 2)]", "((1, 1), (2, 1))"),
    "a list of data": ("[k for k in state]", "[data{carry}@state[...]...]"),
    "a filtered list": ("[k for k in (1, 2) if x]", "[1 | 2...]"),
    "a list of lists": ("[(i, j) for i in (1, 2) for j in (3, 4)]", "((1 | 2, 3), (1 | 2, 4))"),
    "a list in a list": ("[[j for j in (i,)] for i in (1, 2)]", "((1), (2))"),
    "a set of a tuple": ("{k for k in (1, 2)}", "(1, 2)"),
    "a generator": ("next(k for k in (1, self.key))", "1 | key@self.key"),
    "a dict of data": ("{k: (k, 1) for k in state}", "{**(data{carry}@state[...], 1)}"),
    "a dict of a tuple's items": ("{k: (k, 1) for k in (1, 2)}", "{1: (1, 1), 2: (2, 1)}"),
    "a comprehension sees what is around it": ("a = 1\n[a for k in (1, 2)]", "(1, 1)"),
    "an expression that is not known": ("x @ state", "data{carry, input}"),
}


@pytest.mark.parametrize(("code", "expected"), VALUES.values(), ids=VALUES.keys())
def test_the_value_of(code: str, expected: str) -> None:
    assert value_of(code) == expected


def test_a_comprehension_over_a_long_tuple_keeps_its_items_apart_no_longer() -> None:
    assert value_of(f"[(k, 1) for k in {(1,) * 40}]") == f"({', '.join(['(1, 1)'] * 40)})"
    assert value_of(f"[(k, 1) for k in {(1,) * 41}]") == "[(1, 1)...]"


EVENTS: dict[str, tuple[str, list[str]]] = {
    "a choice": ("s() if x else 1", ["s() draws from self.rngs if x"]),
    "the other choice": ("1 if x else s()", ["s() draws from self.rngs unless x"]),
    "after and": ("x and s()", ["s() draws from self.rngs if x"]),
    "after or": ("x or s()", ["s() draws from self.rngs unless x"]),
    "after a decided and": ("1 and s()", ["s() draws from self.rngs"]),
    "after an and that is decided against": ("0 and s()", []),
    "before and": ("s() and x", ["s() draws from self.rngs"]),
    "a tuple": ("(1, s())", ["s() draws from self.rngs"]),
    "a dict's key": ("{s(): 1}", ["s() draws from self.rngs"]),
    "an index": ("x[s()]", ["s() draws from self.rngs"]),
    "a section": ("x[s():]", ["s() draws from self.rngs"]),
    "a section's step": ("x[::s()]", ["s() draws from self.rngs"]),
    "a comparison": ("x < s()", ["s() draws from self.rngs"]),
    "the right of a sum": ("x + s()", ["s() draws from self.rngs"]),
    "the left of a sum": ("s() + x", ["s() draws from self.rngs"]),
    "not": ("not s()", ["s() draws from self.rngs"]),
    "a formatted string": ("f'{s()}'", ["s() draws from self.rngs"]),
    "a formatted string in another": ("'a' f'{s()}'", ["s() draws from self.rngs"]),
    "a comprehension": ("[s() for _ in x]", ["s() draws from self.rngs"]),
    "a comprehension over two streams": (
        "[t() for t in (s.a, s.b)]",
        ["t() draws from self.rngs.a", "t() draws from self.rngs.b"],
    ),
    "a comprehension's filter": ("[1 for _ in x if s()]", ["s() draws from self.rngs"]),
    "a comprehension's source": ("[1 for _ in s()]", ["s() draws from self.rngs"]),
    "a dict comprehension's key": ("{s(): 1 for _ in x}", ["s() draws from self.rngs"]),
    "a dict comprehension's value": ("{1: s() for _ in x}", ["s() draws from self.rngs"]),
    "a generator": ("(s() for _ in x)", ["s() draws from self.rngs"]),
    "a lambda that is not called": ("lambda: s()", []),
    "a section of a matrix": ("x[s(), 0]", ["s() draws from self.rngs"]),
}


@pytest.mark.parametrize(("code", "expected"), EVENTS.values(), ids=EVENTS.keys())
def test_a_draw_stands_in(code: str, expected: list[str]) -> None:
    assert events_in(f"s = self.rngs\n({code})" if "\n" not in code else code) == expected


def test_a_draw_in_a_filtered_comprehension_does_not_know_its_filter() -> None:
    assert events_in("[self.rngs() for i in x if i]") == ["self.rngs() draws from self.rngs"]


def test_super_in_a_comprehension_is_that_of_the_method() -> None:
    assert value_of("[super() for _ in (1,)]") == "(super of M@self after M)"


def test_a_sum_of_many_terms_is_not_nested() -> None:
    assert value_of(" + ".join(["x"] * 500)) == "data{input}"
