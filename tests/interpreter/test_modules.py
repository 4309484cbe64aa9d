"""Layers and modules, when they are built and when they are called."""

from __future__ import annotations

import pytest
import support
from interpreting import events_in, module, value_of

from flake8_nnx_rng.interpreter.modules import is_layer_class


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("flax.nnx.Dropout", True),
        ("flax.nnx.bridge.ToNNX", True),
        ("flax.nnx.split_rngs", False),
        ("flax.linen.Dropout", False),
        ("jax.Array", False),
    ],
)
def test_classes_of_flax_are_known_by_their_capitals(name: str, expected: bool) -> None:
    assert is_layer_class(name) is expected


DRAWS: dict[str, tuple[str, str, str]] = {
    # constructor, call, where the layer draws from
    "dropout": ("nnx.Dropout(0.5)", "self.d(x)", "self.d.rngs"),
    "dropout at an unknown rate": ("nnx.Dropout(thing)", "self.d(x)", "self.d.rngs"),
    "dropout at a named rate": ("nnx.Dropout(rate=0.5)", "self.d(x)", "self.d.rngs"),
    "dropout told to be silent when it was built": (
        "nnx.Dropout(0.5, deterministic=True)",
        "self.d(x)",
        "self.d.rngs",
    ),
    "dropout told so by an attribute": (
        "nnx.Dropout(0.5)",
        "self.d(x, deterministic=self.thing)",
        "self.d.rngs",
    ),
    "dropout told not to be": (
        "nnx.Dropout(0.5)",
        "self.d(x, deterministic=False)",
        "self.d.rngs",
    ),
    "dropout with a key": ("nnx.Dropout(0.5)", "self.d(x, rngs=state)", "state"),
    "dropout with a stream": ("nnx.Dropout(0.5)", "self.d(x, rngs=self.rngs)", "self.rngs"),
    "dropout with a held key": ("nnx.Dropout(0.5)", "self.d(x, rngs=self.key)", "self.key"),
    "dropout with no key": ("nnx.Dropout(0.5)", "self.d(x, rngs=None)", "self.d.rngs"),
    "dropout with something else": ("nnx.Dropout(0.5)", "self.d(x, rngs=(state,))", "data{carry}"),
    "dropout by its method": ("nnx.Dropout(0.5)", "self.d.__call__(x)", "self.d.rngs"),
    "attention with dropout": (
        "nnx.MultiHeadAttention(2, dropout_rate=0.1)",
        "self.d(x)",
        "self.d.rngs",
    ),
    "attention of unknown arguments": (
        "nnx.MultiHeadAttention(2, **thing)",
        "self.d(x)",
        "self.d.rngs",
    ),
    "a bridge": ("nnx.bridge.ToNNX(thing)", "self.d(x)", "self.d.to_nnx__rngs"),
}


@pytest.mark.parametrize(("built", "call", "source"), DRAWS.values(), ids=DRAWS.keys())
def test_a_layer_draws(built: str, call: str, source: str) -> None:
    layer = built.removeprefix("nnx.").removeprefix("bridge.").partition("(")[0]
    told = events_in(call, init=f"self.d = {built}")
    assert told == [f"{call} draws from {source} in {layer}@self.d"]


SILENT: dict[str, tuple[str, str]] = {
    "a layer without randomness": ("nnx.Linear(1, 1, rngs=rngs)", "self.d(x)"),
    "dropout at the rate of zero": ("nnx.Dropout(0.0)", "self.d(x)"),
    "dropout at the whole rate of zero": ("nnx.Dropout(rate=0)", "self.d(x)"),
    "dropout of everything": ("nnx.Dropout(1.0)", "self.d(x)"),
    "dropout told so in the call": ("nnx.Dropout(0.5)", "self.d(x, deterministic=True)"),
    "attention without dropout": ("nnx.MultiHeadAttention(2)", "self.d(x)"),
    "attention at the rate of zero": ("nnx.MultiHeadAttention(2, dropout_rate=0.0)", "self.d(x)"),
    "a layer that is not called": ("nnx.Dropout(0.5)", "self.d.rate"),
    "the state of a layer": ("nnx.Dropout(0.5)", "self.d.rngs"),
}


@pytest.mark.parametrize(("built", "code"), SILENT.values(), ids=SILENT.keys())
def test_nothing_is_drawn_by(built: str, code: str) -> None:
    assert events_in(code, init=f"self.d = {built}") == []


def test_a_layer_of_which_only_the_type_is_known_may_draw() -> None:
    told = events_in("self.a(x)", members="a: nnx.MultiHeadAttention")
    assert told == ["self.a(x) draws from self.a.rngs in MultiHeadAttention@self.a"]


def test_a_layer_depends_on_its_arguments_and_on_its_own_parameters() -> None:
    assert (
        value_of("self.d(x)", init="self.d = nnx.Linear(1, 1)")
        == "data{input, learned by self.d, self.d}"
    )


BUILT: dict[str, tuple[str, list[str]]] = {
    "a held stream is drawn from": ("nnx.Linear(1, rngs=self.rngs)", ["advances self.rngs"]),
    "a stream of the pass is not held": (
        "nnx.Linear(1, rngs=nnx.Rngs(state))",
        [],
    ),
    "no stream": ("nnx.Linear(1)", []),
    "no stream by name": ("nnx.Linear(1, rngs=None)", []),
}


@pytest.mark.parametrize(("code", "expected"), BUILT.values(), ids=BUILT.keys())
def test_when_a_layer_is_built_in_the_pass(code: str, expected: list[str]) -> None:
    told = [e for e in events_in(code) if "constructs" not in e]
    assert told == [f"{code} {e}" for e in expected]


def test_a_layer_built_in_the_pass_draws_from_what_it_is_given() -> None:
    told = events_in("nnx.Dropout(0.5, rngs=nnx.Rngs(state))(x)")
    assert told[-1].endswith("draws from rngs{carry} in Dropout")
    assert events_in("nnx.Dropout(0.5)(x)") == ["nnx.Dropout(0.5)(x) draws from rngs in Dropout"]


CHAINS: dict[str, tuple[str, list[str]]] = {
    "layers": ("nnx.Linear(1, 1), nnx.Dropout(0.5)", ["self.s.layers[1].rngs"]),
    "two that draw": (
        "nnx.Dropout(0.5), nnx.Dropout(0.5)",
        ["self.s.layers[0].rngs", "self.s.layers[1].rngs"],
    ),
    "a list of layers": ("[nnx.Dropout(0.5)]", ["self.s.layers[0][0].rngs"]),
    "layers and a star": ("*[nnx.Dropout(0.5)]", ["self.s.layers[0].rngs"]),
    "a function": ("nnx.relu, lambda v: rngs()", ["rngs"]),
    "nothing": ("", []),
}


@pytest.mark.parametrize(("layers", "paths"), CHAINS.values(), ids=CHAINS.keys())
def test_a_chain_calls_its(layers: str, paths: list[str]) -> None:
    told = events_in("self.s(x)", init=f"self.s = nnx.Sequential({layers})")
    assert [e.split(" draws from ")[1].split()[0] for e in told] == paths


@pytest.mark.parametrize(
    "layers",
    ["*[nnx.Dropout(0.5) for _ in range(self.n)]", "nnx.Linear(1, 1), *layers"],
)
def test_a_chain_calls_an_unknown_number_of_layers(layers: str) -> None:
    init = "layers = []\nfor i in range(self.n): layers.append(nnx.Dropout(0.5))\n"
    (told,) = events_in("self.s(x)", init=f"{init}self.s = nnx.Sequential({layers})")
    assert "Dropout" in told


def test_a_loop_over_many_layers_calls_the_last() -> None:
    init = f"self.ls = [{'nnx.Linear(1, 1), ' * 13} nnx.Dropout(0.5)]"
    (told,) = events_in("for layer in self.ls: x = layer(x)", init=init)
    assert "Dropout" in told


def test_a_chain_passes_on_what_its_layers_return() -> None:
    init = "self.s = nnx.Sequential(lambda v: key, lambda k: (k, 1))"
    assert value_of("self.s(x)", init=init) == "(key@key, 1)"


def test_a_chain_of_the_pass_calls_its_layers() -> None:
    told = events_in("nnx.Sequential(nnx.Dropout(0.5), *state)(x)")
    assert told[0].endswith("draws from rngs in Dropout")


CARRIES: dict[str, tuple[str, str, bool]] = {
    "a random initial carry": ("carry_init=thing", "self.r(x)", True),
    "a random initial carry that is asked for": (
        "carry_init=thing",
        "self.r(x, initial_carry=None)",
        True,
    ),
    "an initial carry that is given": ("carry_init=thing", "self.r(x, initial_carry=state)", False),
    "an initial carry of zeros": ("", "self.r(x)", False),
}


@pytest.mark.parametrize(("option", "call", "draws"), CARRIES.values(), ids=CARRIES.keys())
@pytest.mark.parametrize("layer", ["RNN", "Bidirectional"])
def test_a_recurrent_layer_with(option: str, call: str, draws: bool, layer: str) -> None:
    told = events_in(call, init=f"self.r = nnx.{layer}(nnx.LSTMCell(1, 1, {option}))")
    expected = [f"{call} draws from self.r.rngs in {layer}@self.r"]
    assert told == (expected if draws else [])


@pytest.mark.parametrize(
    ("call", "path"),
    [
        pytest.param("self.c.initialize_carry((1,), self.rngs)", "self.rngs", id="by position"),
        pytest.param(
            "self.c.initialize_carry((1,), rngs=self.stream)", "self.stream", id="by name"
        ),
        pytest.param("self.c.initialize_carry((1,), state)", None, id="a key"),
        pytest.param("self.c.initialize_carry((1,))", None, id="its own"),
    ],
)
def test_asking_a_cell_for_a_carry_with_a_stream(call: str, path: str | None) -> None:
    told = events_in(call, init="self.c = nnx.LSTMCell(1, 1)")
    assert told == ([] if path is None else [f"{call} advances {path}"])


CHILD = """
class Child({base}):
    def __init__(self, r): self.r = r
    def __call__(self, state, x): return self.r()
class Silent(nnx.Module): pass
"""


def test_a_stateful_child_is_checked_by_itself() -> None:
    before = CHILD.format(base="StatefulModule")
    told = events_in("self.c(state, x)", init="self.c = Child(rngs)", before=before)
    assert told == ["self.c(state, x) calls child self.c"]
    fields = ("next_state", "output", "regularization_loss", "metrics", "rollout_extras")
    inside = ", ".join(
        f"{name}=data{{carry, input, {', '.join(sorted(['self.c', f'{name} of self.c']))}}}"
        for name in fields
    )
    found = value_of("self.c(state, x)", init="self.c = Child(rngs)", before=before)
    assert found == f"StatefulModuleOutput({inside})"


def test_any_other_child_belongs_to_its_parent() -> None:
    before = CHILD.format(base="nnx.Module")
    told = events_in("self.c(state, x)", init="self.c = Child(rngs)", before=before)
    assert told == ["self.r() draws from self.c.r"]


def test_an_object_that_cannot_be_called_takes_what_it_is_given_out_of_sight() -> None:
    before = CHILD.format(base="nnx.Module")
    told = events_in("self.c(self.rngs)", init="self.c = Silent()", before=before)
    assert told == ["self.c(self.rngs) hands self.rngs to Silent"]


def test_a_layer_hands_functions_to_code_that_calls_them() -> None:
    told = events_in("self.l(lambda: self.rngs())", init="self.l = nnx.Linear(1, 1)")
    assert told == ["self.rngs() draws from self.rngs"]


def test_the_children_of_a_list_are_layers() -> None:
    init = "self.l = nnx.List([nnx.Dropout(0.5) for _ in range(self.n)])"
    told = events_in("for layer in self.l: layer(x)", init=init)
    assert told == ["layer(x) draws from self.l[...].rngs in Dropout@self.l[...]"]


def test_a_module_that_calls_itself_is_checked_once() -> None:
    audit = support.audit_of(module("return self(state, x)"))
    assert audit.is_complete


def test_a_layer_that_writes_is_told_with_what_it_makes_of_it() -> None:
    assert events_in("self.norm(x)", init="self.norm = nnx.BatchNorm(3, rngs=rngs)") == [
        "self.norm(x) writes self.norm: BatchNorm@self.norm -> "
        "data{input, learned by self.norm, self.norm}"
    ]
