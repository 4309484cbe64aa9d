"""What `value.name` means for each kind of value."""

from __future__ import annotations

import libcst as cst
import pytest
import support
from interpreting import events_in, shown, value_of

from flake8_nnx_rng.interpreter.attributes import unknown_attribute
from flake8_nnx_rng.interpreter.inheritance import decorator_names
from flake8_nnx_rng.interpreter.values import Instance

MEMBERS = """
K = nnx.RngKey(0)
J: nnx.Rngs
D: nnx.Dropout
N: int
F = lambda self: self.key
for LOOP in (1,): pass
class Inner: pass
if jax:
    def either(self): return 1
else:
    def either(self): return 2

@property
def prop(self): return self.rngs()

@functools.cached_property
def cached(self): return self.rngs()

@staticmethod
def static(a): return a

@classmethod
def of_class(cls, a): return cls, a

def method(self, a): return a

L: nnx.Rngs
N2: int
def _read(self): return self.key
def _three(self, a, b): return self, a, b
made = property(_read)
made_static = staticmethod(lambda a: a)
given = functools.partialmethod(_three, 1)
def _go_a(self): return 1
def _go_b(self): return 2
"""
INIT = """
self.drop = nnx.Dropout(thing)
self.linear = nnx.Linear(1, 1)
self.child = Child()
self.pair = (key, rngs)
self.L, self.N2 = thing, thing
"""
BEFORE = """
class Base:
    G = 1
class Child(Base):
    def __init__(self): self.size = 1
"""

ATTRIBUTES: dict[str, tuple[str, str]] = {
    "what the constructor set": ("self.key", "key@self.key"),
    "a pair": ("self.pair", "(key@self.pair[0], rngs@self.pair[1])"),
    "what nothing set": ("self.absent", "data@self.absent"),
    "what nothing set, in an object of the pass": ("Child().absent", "data"),
    "what the class sets": ("self.K", "key@self.K"),
    "what a base class sets": ("self.child.G", "data@self.child.G"),
    "what a base class sets, in an object of the pass": ("Child().G", "data@Base.G"),
    "what the class declares": ("self.J", "rngs@self.J"),
    "a layer that the class declares": ("self.D", "Dropout@self.D"),
    "what the class declares of no consequence": ("self.N", "data@self.N"),
    "what a loop of the class body sets": ("self.LOOP", "data@self.LOOP"),
    "a lambda of the class": ("self.F()", "key@self.key"),
    "a class in the class": ("self.Inner", "class M.Inner"),
    "a method": ("self.method", "M@self.method"),
    "a method that is called": ("self.method(1)", "1"),
    "either of two methods": ("self.either()", "1 | 2"),
    "a static method": ("self.static(1)", "1"),
    "a class method": ("self.of_class(1)", "(class M, 1)"),
    "a property": ("self.prop", "key{drawn self.rngs(), sample self.rngs(), self.rngs}"),
    "a property by its function": ("self.made", "key@self.key"),
    "a static method by its function": ("self.made_static(1)", "1"),
    "a method with arguments given": ("self.given(2)", "(M@self, data@M.given, 2)"),
    "methods of a known beginning": ("getattr(self, '_go_' + x)()", "1 | 2"),
    "methods of a known formatted beginning": ("getattr(self, f'_go_{x}')()", "1 | 2"),
    "nothing of a known beginning": ("getattr(self, f'_stop_{x}')", "data@self._stop_..."),
    "what was set under a computed name": (
        "setattr(self, x, state)\ngetattr(self, 'any' + x)",
        "data | data{carry}@state",
    ),
    "everything at once": ("self.child.__dict__", "{'size': data@self.child.size}"),
    "what an annotation declares of data": ("self.L", "rngs@self.L"),
    "what an annotation says nothing of": ("self.N2", "data@self.N2"),
    "the class": ("self.__class__", "class M"),
    "a class's attribute": ("M.K", "key@M.K"),
    "a class's method": ("M.method(self, 2)", "2"),
    "a class's static method": ("M.static(1)", "1"),
    "a class's absent attribute": ("M.absent", "class M.absent"),
    "a library": ("jax.random.normal", "jax.random.normal"),
    "a library under its other name": ("nnx.rnglib.Rngs", "flax.nnx.Rngs"),
    "a named stream": ("self.rngs.noise", "stream{self.rngs}@self.rngs.noise"),
    "a named stream of the pass": ("nnx.Rngs(state).noise", "stream{carry}"),
    "a stream's method": ("self.rngs.normal", "rngs@self.rngs.normal"),
    "a stream's mapping": ("self.rngs.items", "rngs@self.rngs.items"),
    "a stream's key": ("self.stream.key", "key{self.stream}@self.stream.key"),
    "a stream's count": ("self.stream.count", "key{self.stream}@self.stream.count"),
    "a stream's tag": ("self.stream.tag", "data{self.stream}@self.stream.tag"),
    "the key of a stream of the pass": ("nnx.RngStream(state).key", "key{carry}"),
    "the tag of a stream of the pass": ("nnx.RngStream(state).tag", "data{carry}"),
    "a key's value": ("self.key.value", "key@self.key"),
    "a key's raw value": ("self.key.raw_value", "key@self.key"),
    "a key's shape": ("self.key.shape", "data"),
    "a key's method": ("self.key.sum", "key@self.key.sum"),
    "data within data": ("self.thing.a.b", "data{self.thing}@self.thing.a.b"),
    "the value of data": ("self.thing.value", "data@self.thing"),
    "the shape of data": ("x.shape", "{0: data{batch_size}, **data}"),
    "another dimension of data": ("x.shape[1]", "data"),
    "data of no place": ("(x + 1).T", "data{input}"),
    "a layer's stream": ("self.drop.rngs", "rngs@self.drop.rngs"),
    "a layer's argument": ("self.drop.rate", "data{self.drop.rate, thing}@self.drop.rate"),
    "a layer's method": ("self.linear.__call__", "Linear@self.linear.__call__"),
    "a layer of the pass": ("nnx.Linear(state, 1).kernel", "data{carry}"),
    "the stream of a layer of the pass": ("nnx.Dropout(0.5).rngs", "rngs"),
    "a host generator's method": ("np.random.default_rng(0).normal", "default_rng.normal"),
    "a record's field": ("StatefulModuleOutput(1, 2).output", "2"),
    "a record's method": ("StatefulModuleOutput(1).items", "%s.items"),
    "a literal's method": ("(1).real", "1.real"),
    "either": ("(self.key if x else self.thing).value", "data@self.thing | key@self.key"),
}
OUTPUT = (
    "StatefulModuleOutput(next_state=1, output=None, regularization_loss=None, metrics=None, "
    "rollout_extras=None)"
)


@pytest.mark.parametrize(("code", "expected"), ATTRIBUTES.values(), ids=ATTRIBUTES.keys())
def test_an_attribute_is(code: str, expected: str) -> None:
    found = value_of(code, init=INIT, members=MEMBERS, before=BEFORE)
    assert found == expected.replace("%s", OUTPUT)


def test_a_library_is_known_by_its_longest_name() -> None:
    assert value_of("nnx.nn.stochastic.Dropout") == "flax.nnx.Dropout"


def test_a_class_method_called_on_the_class_is_given_the_class() -> None:
    assert value_of("M.of_class(1)", members=MEMBERS) == "(class M, 1)"


@pytest.mark.parametrize("name", ["prop", "cached"])
def test_a_property_draws_where_it_is_read(name: str) -> None:
    assert events_in(f"self.{name}", members=MEMBERS) == ["self.rngs() draws from self.rngs"]


def test_a_setter_does_not_hide_its_property() -> None:
    members = """
    @property
    def p(self): return self.rngs()
    @p.setter
    def p(self, value): pass
    """
    assert events_in("self.p", members=members) == ["self.rngs() draws from self.rngs"]


def test_a_function_kept_in_an_attribute_draws_from_the_stream_that_it_captured() -> None:
    init = "def draw(v):\n    return rngs.noise()\nself.draw = draw"
    assert events_in("self.draw(x)", init=init) == ["rngs.noise() draws from rngs.noise"]


def test_a_lambda_kept_in_an_attribute_draws_from_the_stream_that_it_captured() -> None:
    assert events_in("self.f(x)", init="self.f = lambda v: rngs()") == ["rngs() draws from rngs"]


def test_a_method_kept_in_an_attribute_is_bound_to_its_object() -> None:
    members = "def method(self): return self.rngs()"
    told = events_in("self.f()", members=members, init="self.f = self.method")
    assert told == ["self.rngs() draws from self.rngs"]


FAMILY = """
class Grand(nnx.Module):
    def _helper(self): return self.rngs.grand()
    def only(self): return self.rngs.only()
class Parent(Grand):
    pass
class Mixin:
    def _helper(self): return self.rngs.mixin()
"""


@pytest.mark.parametrize(
    ("call", "stream"),
    [
        pytest.param("super()._helper()", "grand", id="the parent's helper"),
        pytest.param("super(Child, self)._helper()", "grand", id="named"),
        pytest.param("super(Parent, self)._helper()", "grand", id="past the parent"),
        pytest.param("self._helper()", "own", id="without super the class's own"),
    ],
)
def test_super_finds_the_method_of(call: str, stream: str) -> None:
    before = f"""{FAMILY}
class Child(Parent):
    def __init__(self, rngs: nnx.Rngs): self.rngs = rngs
    def _helper(self): return self.rngs.own()
    def go(self): return {call}
"""
    told = events_in("self.child.go()", init="self.child = Child(rngs)", before=before)
    assert told == [f"self.rngs.{stream}() draws from self.child.rngs.{stream}"]


def test_super_in_a_mixin_follows_the_order_of_the_object() -> None:
    before = (
        FAMILY
        + """
class First(Mixin):
    def _helper(self): return super()._helper()
class Child(First, Grand):
    def __init__(self, rngs: nnx.Rngs): self.rngs = rngs
"""
    )
    told = events_in("self.child._helper()", init="self.child = Child(rngs)", before=before)
    assert told == ["self.rngs.mixin() draws from self.child.rngs.mixin"]


def test_super_of_a_library_is_its_own_business() -> None:
    assert value_of("super().method") == "data.super().method"
    assert value_of("super(Base, self).method", before=BEFORE) == "data.super().method"


def test_an_attribute_that_nobody_sets_is_unknown() -> None:
    (cls,) = support.parse("class C: pass\n").classes
    assert shown(unknown_attribute(Instance(cls, 1, "p"), "a")) == "data@p.a"
    assert shown(unknown_attribute(Instance(cls, 1), "a")) == "data"


def test_decorators_are_known_by_their_last_names() -> None:
    code = "@property\n@functools.cache\n@jax.jit(static=0)\n@[1][0]\ndef f(): pass"
    definition = cst.parse_module(code).body[0]
    assert decorator_names(definition) == {"property", "cache", "jit"}
    assert decorator_names(cst.parse_expression("lambda: 1")) == set()


def test_a_property_by_its_function_yields_what_the_function_returns() -> None:
    members = "made = property(lambda self: jax.random.normal(self.rngs()))"
    assert "sample" in value_of("self.made", members=members)


def test_an_attribute_by_an_unknown_name_comes_from_its_object() -> None:
    cls = "class C(nnx.Module): pass"
    assert value_of("getattr(self.c, name) + 1", init="self.c = C()", before=cls) == "data{self.c}"
