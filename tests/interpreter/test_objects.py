"""Objects of the project's classes, `super()` and records."""

from __future__ import annotations

import pytest
from interpreting import events_in, value_of

BEFORE = """
class Pair(NamedTuple):
    a: int
    b: int
    def total(self): return self.a
@dataclasses.dataclass
class Base:
    a: int
@dataclasses.dataclass
class Derived(Base):
    b: int
    LIMIT = 3
    if jax:
        c: int
@dataclasses.dataclass
class Layer(nnx.Module):
    a: int
    b: int = 5
class Plain:
    def __init__(self, a, r=None): self.a, self.r = a, r
class Declared:
    a: int
    def __init__(self, b): self.a = (b, b)
class Never:
    def __init__(self): raise ValueError
"""

OBJECTS: dict[str, tuple[str, str]] = {
    "a record by position": ("Pair(1, 2)", "Pair(a=1, b=2)"),
    "a record by name": ("Pair(b=2, a=1)", "Pair(a=1, b=2)"),
    "a record of what a star brings": (
        "Pair(*state)",
        "Pair(a=data{carry}@state[...], b=data{carry}@state[...])",
    ),
    "a record of a tuple": ("Pair(*(1, 2))", "Pair(a=1, b=2)"),
    "fields of the base come first": ("Derived(1, 2)", "Derived(a=1, b=2)"),
    "a module with fields by position": ("Layer(1, 2).b", "2"),
    "a module with fields by name": ("Layer(a=1).a", "1"),
    "a module's default": ("Layer(1).b", "5"),
    "an object with a constructor": ("Plain(1).a", "1"),
    "an object that declares what its constructor sets": ("Declared(1).a", "(1, 1)"),
    "an object's default": ("Plain(1).r", "None"),
    "two objects of one class": ("p = Plain(1)\nq = Plain(2)\n(p.a, q.a)", "(1, 2)"),
    "an output by position": ("StatefulModuleOutput(1, 2, 3, 4, 5).rollout_extras", "5"),
    "an output by name": ("StatefulModuleOutput(1, output=2).output", "2"),
    "an output without extras": ("StatefulModuleOutput(1, 2, 3, 4).rollout_extras", "None"),
    "an output changed": (
        "dataclasses.replace(StatefulModuleOutput(1, 2), output=3).output",
        "3",
    ),
    "a record changed": ("dataclasses.replace(Pair(1, 2), b=3)", "Pair(a=1, b=3)"),
    "either of two changed": (
        "dataclasses.replace(Pair(1, 2) if x else state, b=3)",
        "Pair(a=1, b=3) | data{carry}",
    ),
    "data changed": ("dataclasses.replace(state, b=x)", "data{carry, input}"),
    "nothing changed": ("dataclasses.replace()", "data"),
    "a record as a dict": ("dataclasses.asdict(Pair(1, 2))", "{'a': 1, 'b': 2}"),
    "data as a dict": ("dataclasses.asdict(state)", "data{carry}"),
    "nothing as a dict": ("dataclasses.asdict()", "data"),
    "super": ("super()", "super of M@self after M"),
    "super by name": ("super(M, self)", "super of M@self after M"),
    "super of something that is no class": ("super(1, self)", "super of M@self after M"),
    "super of something that is no object": ("super(M, 1)", "data"),
    "super in a function that is no method": ("f()", "data"),
}


DEFAULTS = """
KEY = nnx.RngKey(0)
class Config(NamedTuple):
    size: int
    noisy: bool = True
    key: object = KEY
@dataclasses.dataclass
class Further(Config):
    noisy: bool = False
"""


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("Config(1)", "Config(size=1, noisy=True, key=key@KEY)"),
        ("Config(1, key=state).key", "data{carry}@state"),
        ("Config()", "Config(size=None, noisy=True, key=key@KEY)"),
        ("Further(1).noisy", "False"),
    ],
)
def test_the_fields_of_a_record_have_the_defaults_of_its_class(code: str, expected: str) -> None:
    assert value_of(code, before=DEFAULTS) == expected


@pytest.mark.parametrize(("code", "expected"), OBJECTS.values(), ids=OBJECTS.keys())
def test_an_object_is(code: str, expected: str) -> None:
    before = BEFORE + "def f(): return super(1, 2)"
    assert value_of(code, before=before) == expected


def test_a_record_has_the_defaults_of_its_class() -> None:
    before = "class Config(NamedTuple):\n    noisy: bool = True"
    assert events_in("if Config().noisy: self.rngs()", before=before) != []


def test_the_constructor_of_an_object_of_the_pass_is_part_of_the_pass() -> None:
    before = "class C:\n    def __init__(self, r): self.k = r()"
    assert events_in("C(self.rngs)", before=before) == ["r() draws from self.rngs"]


def test_an_object_whose_constructor_always_raises_ends_the_pass() -> None:
    assert events_in("Never()\nself.rngs()", before=BEFORE) == []


def test_objects_made_at_one_place_in_a_loop_are_one() -> None:
    assert value_of("for i in x:\n    p = Plain(i)\np.a", before=BEFORE).startswith("data")


def test_an_object_of_the_pass_draws_from_what_it_was_given() -> None:
    told = events_in("Plain(1, self.rngs).r()", before=BEFORE)
    assert told == ["Plain(1, self.rngs).r() draws from self.rngs"]
