"""Classes of the project that derive from layers of the library, and variables of theirs."""

from __future__ import annotations

import pytest
from interpreting import events_in, value_of

BEFORE = """
class Plain(nnx.Dropout): pass
class Wrapped(nnx.Dropout):
    def __init__(self, rngs): super().__init__(0.5, rngs=rngs)
    def __call__(self, y): return super().__call__(y)
class Silent(nnx.Dropout):
    def __init__(self): super().__init__(0.0)
class Forgetful(nnx.Dropout):
    def __init__(self): pass
class Chain(nnx.Sequential):
    def __init__(self, *layers): super().__init__(*layers)
class Dense(nnx.Linear):
    def __call__(self, y): return super().__call__(y)
class Cached(nnx.Variable): pass
class Noise(nnx.RngState): pass
"""

DRAWS: dict[str, tuple[str, list[str]]] = {
    "one that adds nothing": (
        "Plain(0.5, rngs=rngs)",
        ["self.d(x) draws from self.d.rngs in Dropout@self.d"],
    ),
    "one with a constructor and a call of its own": (
        "Wrapped(rngs)",
        ["super().__call__(y) draws from self.d.rngs in Dropout@self.d"],
    ),
    "one whose constructor says nothing of a rate": (
        "Forgetful()",
        ["self.d(x) draws from self.d.rngs in Dropout@self.d"],
    ),
    "a chain": (
        "Chain(nnx.Linear(1, 1), nnx.Dropout(0.5))",
        ["self.d(x) draws from self.d.layers[1].rngs in Dropout@self.d.layers[1]"],
    ),
    "one that is built to be silent": ("Plain(0.0, rngs=rngs)", []),
    "one that builds itself to be silent": ("Silent()", []),
    "a layer that does not draw": ("Dense(1, 1, rngs=rngs)", []),
}


@pytest.mark.parametrize(("built", "expected"), DRAWS.values(), ids=DRAWS.keys())
def test_a_call_of(built: str, expected: list[str]) -> None:
    assert events_in("self.d(x)", init=f"self.d = {built}", before=BEFORE) == expected


def test_a_derived_layer_may_be_told_to_be_silent() -> None:
    init = "self.d = Plain(0.5, rngs=rngs)"
    assert events_in("self.d(x, deterministic=True)", init=init, before=BEFORE) == []


def test_a_derived_layer_of_the_pass_draws_from_what_it_was_given() -> None:
    told = events_in("Plain(0.5, rngs=nnx.Rngs(state))(x)", before=BEFORE)
    assert told[-1].endswith(" draws from rngs{carry} in Dropout")
    assert events_in("Silent()(x)", before=BEFORE) == []


def test_the_layers_of_a_chain_are_known() -> None:
    init = "self.s = nnx.Sequential(nnx.Linear(1, 1), nnx.Dropout(0.5))"
    layers = "(Linear@self.s.layers[0], Dropout@self.s.layers[1])"
    assert value_of("self.s.layers", init=init) == layers


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("Cached(self.key)", "key{self.key}"),
        ("Cached(state)", "data{carry}"),
        ("Noise(self.key)", "key{self.key}"),
    ],
)
def test_a_variable_of_the_project_is_its_content(code: str, expected: str) -> None:
    assert value_of(code, before=BEFORE) == expected


SEALED: dict[str, tuple[str, list[str]]] = {
    "a layer of a chain": ("nnx.Sequential(Child(rngs))", ["self.s.layers[0].r"]),
    "a layer of a list of a chain": ("nnx.Sequential([Child(rngs)])", ["self.s.layers[0][0].r"]),
    "either of two layers of a chain": (
        "nnx.Sequential(Child(rngs) if thing else nnx.Dropout(0.5))",
        ["self.s.layers[0].r", "self.s.layers[0].rngs"],
    ),
    "a layer of an unknown number": (
        "nnx.Sequential(*[Child(rngs) for _ in thing])",
        ["self.s.layers[...].r"],
    ),
    "a layer and others": (
        "nnx.Sequential(Child(rngs), *[Child(rngs) for _ in thing])",
        ["self.s.layers[0].r", "self.s.layers[...].r"],
    ),
}
CHILD = """
class Child(nnx.Module):
    def __init__(self, r): self.r = r
    def __call__(self, y): return self.r()
"""


@pytest.mark.parametrize(("chain", "paths"), SEALED.values(), ids=SEALED.keys())
def test_a_draw_is_found_below_its_chain_from(chain: str, paths: list[str]) -> None:
    told = events_in("self.s(x)", init=f"self.s = {chain}", before=CHILD)
    assert [event.split(" draws from ")[1].split()[0] for event in told] == paths


def test_a_cell_with_a_random_carry_draws_when_it_is_asked_for_one() -> None:
    call = "self.c.initialize_carry((1,))"
    told = events_in(call, init="self.c = nnx.LSTMCell(1, 1, carry_init=thing)")
    assert told == [f"{call} draws from self.c.rngs in LSTMCell@self.c"]


def test_a_layer_that_is_initialized_later_is_that_layer() -> None:
    assert value_of("self.c.lazy_init(x)", init="self.c = nnx.LSTMCell(1, 1)") == "LSTMCell@self.c"
