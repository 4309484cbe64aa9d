"""Methods that Python calls by itself, in classes of the project."""

from __future__ import annotations

import textwrap

import pytest
import support
from interpreting import events_in, told_all, value_of

BOX = """
class Box:
    def __init__(self, r): self.r = r
    def __getitem__(self, index): return self.r.item()
    def __iter__(self): return iter([self.r, 1])
    def __enter__(self): return self.r
    def __exit__(self, *error): pass
    def __add__(self, other): return self.r.add()
    def __rmul__(self, other): return self.r.rmul()
    def __matmul__(self, other): return self.r.matmul()
    def __rshift__(self, other): return other(self.r)
class Plain:
    def __init__(self, r): self.r = r
"""

DRAWS: dict[str, tuple[str, str, str]] = {
    # code, what draws, where from
    "an item": ("self.b[0]", "self.r.item()", "self.b.r.item"),
    "a section": ("self.b[1:]", "self.r.item()", "self.b.r.item"),
    "a loop": ("for s in self.b: s()", "s()", "self.b.r"),
    "a comprehension": ("[s() for s in self.b]", "s()", "self.b.r"),
    "a with": ("with self.b as s: s()", "s()", "self.b.r"),
    "a sum": ("self.b + x", "self.r.add()", "self.b.r.add"),
    "a product from the right": ("x * self.b", "self.r.rmul()", "self.b.r.rmul"),
    "a matrix product": ("self.b @ x", "self.r.matmul()", "self.b.r.matmul"),
    "a chain": ("self.b >> (lambda r: r())", "r()", "self.b.r"),
    "a filter": ("[s() for s in filter(None, self.b)]", "s()", "self.b.r"),
}


@pytest.mark.parametrize(("code", "drawing", "source"), DRAWS.values(), ids=DRAWS.keys())
def test_a_draw_stands_in_the_method_behind(code: str, drawing: str, source: str) -> None:
    told = events_in(code, init="self.b = Box(rngs)", before=BOX)
    assert told == [f"{drawing} draws from {source}"]


@pytest.mark.parametrize("code", ["self.b - x", "x + self.b", "self.b ** 2"])
def test_an_operator_that_the_class_does_not_define_draws_nothing(code: str) -> None:
    assert events_in(code, init="self.b = Box(rngs)", before=BOX) == []


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        pytest.param("self.b[x]", "data@self.b", id="an item"),
        pytest.param("[i for i in self.b]", "[data{self.b}...]", id="a loop"),
        pytest.param("with self.b as s: pass\ns", "Plain@self.b", id="a with"),
        pytest.param("self.b + x", "data{input, self.b}", id="a sum"),
    ],
)
def test_an_object_without_such_methods_is_data(code: str, expected: str) -> None:
    assert value_of(code, init="self.b = Plain(rngs)", before=BOX) == expected


def test_either_of_two_objects_is_asked() -> None:
    code = "(self.b if x else self.c)[0]"
    told = events_in(code, init="self.b, self.c = Box(rngs), Box(rngs)", before=BOX)
    assert told == [f"self.r.item() draws from self.{name}.r.item" for name in "bc"]


def test_a_generator_may_be_a_context() -> None:
    before = "@contextlib.contextmanager\ndef opened(module):\n    yield module.rngs\n"
    told = events_in("with opened(self) as s: s()", before=f"import contextlib\n{before}")
    assert told == ["s() draws from self.rngs"]


@pytest.mark.parametrize("decorator", ["", "@dataclasses.dataclass\n"])
@pytest.mark.parametrize("base", ["", "(nnx.Module)"])
def test_what_a_dataclass_runs_after_its_constructor_is_run(decorator: str, base: str) -> None:
    before = f"""{decorator}class D{base}:
    r: nnx.Rngs
    def __post_init__(self): self.s = self.r.fork()
"""
    assert events_in("D(self.rngs)", before=before) == ["self.r.fork() advances self.rngs"]
    assert value_of("self.d.s", init="self.d = D(rngs)", before=before) == "rngs@self.d.s"


def test_what_a_dataclass_of_its_own_runs_after_its_constructor_is_run() -> None:
    code = """
    @dataclasses.dataclass
    class M(StatefulModule):
        child: nnx.Module
        def __post_init__(self): self.s = nnx.Rngs(0)
        def __call__(self, state, x, rollout_extras=None): return self.s()
    """
    audit = support.audit_of(textwrap.dedent(code))
    assert told_all(audit.rollout) == ["self.s() draws from self.s"]


def test_an_item_is_what_the_class_says() -> None:
    cls = """
        class C(nnx.Module):
            def __init__(self, r): self.r = r
            def __getitem__(self, i): return (i, self.r)
    """
    assert value_of("self.c[0]", init="self.c = C(rngs)", before=cls) == "(0, rngs@self.c.r)"
