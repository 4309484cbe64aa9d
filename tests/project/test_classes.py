"""What a class is, as far as the file and the tables say."""

from __future__ import annotations

import pytest
from support import PRELUDE, parse

from flake8_nnx_rng.project import (
    ClassInfo,
    ClassSymbol,
    ExpressionSymbol,
    Hierarchy,
    LibraryClass,
)

STATEFUL = "nnx_ppo.StatefulModule"


def _last(text: str) -> ClassInfo:
    return parse(text).classes[-1]


@pytest.mark.parametrize(
    ("text", "bases"),
    [
        ("class A: ...", []),
        ("class A(): ...", []),
        ("class A(object, metaclass=M): ...", ["builtins.object"]),
        ("import a\nclass A(a.B): ...", ["a.B"]),
        ("from a import B, C\nclass A(B, C): ...", ["a.B", "a.C"]),
        ("from nnx_ppo.networks.types import StatefulModule as S\nclass A(S): ...", [STATEFUL]),
        ("import nnx_ppo.networks.types as t\nclass A(t.StatefulModule): ...", [STATEFUL]),
        ("import nnx_ppo\nclass A(nnx_ppo.StatefulModule): ...", [STATEFUL]),
        ("from nnx_ppo_ref import StatefulModule\nclass A(StatefulModule): ...", [STATEFUL]),
        ("from flax.nnx.module import Module\nclass A(Module): ...", ["flax.nnx.Module"]),
        ("import typing as t\nclass A(t.Generic[T]): ...", ["typing.Generic"]),
        ("class B: ...\nclass A(B[int]): ...", ["B"]),
        ("class B: ...\nC = B\nclass A(C): ...", ["B"]),
        ("class A(make(B)): ...", ["?.make(B)"]),
        ("class B:\n    class C: ...\nclass A(B.C): ...", ["B.C"]),
        ("class B:\n    C = D\nclass A(B.C): ...", ["?.B.C"]),
        ("class B: ...\nclass A(B.C): ...", ["?.B.C"]),
        ("B = type('B', (), {})\nclass A(B): ...", ["?.B"]),
        ("def f(B):\n    class A(B): ...", ["?.B"]),
        ("class A(*bases): ...", ["?.bases"]),
        ("if x:\n    from a import B\nelse:\n    from c import B\nclass A(B): ...", ["a.B", "c.B"]),
        ("from a import B\nif x:\n    from c import B\nclass A(B): ...", ["c.B", "a.B"]),
        ("class A(StatefulModule): ...", ["?.StatefulModule"]),
        ("from nnx_ppo.networks.types import *\nclass A(StatefulModule): ...", [STATEFUL]),
        ("from .layers import *\nclass A(Layer): ...", [".layers.Layer"]),
        ("from a import *\nfrom b import *\nclass A(B): ...", ["b.B", "a.B"]),
        ("from a import A\nclass A(A): ...", ["a.A"]),
        ("from a import A\nclass A(A[int]): ...", ["a.A"]),
        ("from a import A\nif x:\n    class A(A): ...", ["a.A"]),
        ("class A: ...\nclass A(A): ...", ["A"]),
    ],
)
def test_bases_are_resolved_to_classes_of_the_file_or_of_a_library(
    text: str, bases: list[str]
) -> None:
    assert [base.name for base in _last(text).bases] == bases


def test_every_class_is_found_in_source_order_under_its_qualified_name() -> None:
    file = parse(
        "class A:\n"
        "    class B: ...\n"
        "    def f(self):\n"
        "        class C:\n"
        "            class D: ...\n"
        "if x:\n"
        "    class E: ...\n"
        "else:\n"
        "    class F: ...\n"
        "try:\n"
        "    class G: ...\n"
        "except E:\n"
        "    class H: ...\n"
        "match x:\n"
        "    case 1:\n"
        "        class I: ...\n"
        "def g():\n"
        "    with x:\n"
        "        class J: ...\n"
    )
    names = [cls.name for cls in file.classes]
    assert names == ["A", "A.B", "A.C", "A.C.D", "E", "F", "G", "H", "I", "J"]
    assert all(file.class_of(cls.node) is cls for cls in file.classes)


def test_a_member_is_what_the_class_body_binds_last() -> None:
    cls = _last(
        "class A:\n"
        "    x = 1\n"
        "    class B: ...\n"
        "    def f(self): ...\n"
        "    def f(self, y): ...\n"
        "    if t:\n"
        "        def g(self): ...\n"
        "    else:\n"
        "        g = None\n"
    )
    outer = cls.scope.file.classes[0]
    (x,) = outer.member("x")
    assert isinstance(x, ExpressionSymbol)
    (nested,) = outer.member("B")
    assert nested == ClassSymbol(cls.node)
    assert outer.member("y") == ()
    method = outer.method("f")
    assert method is not None
    assert len(method.params.params) == 2
    assert outer.method("x") is outer.method("nowhere") is None
    assert outer.method("g") is not None


@pytest.mark.parametrize(
    ("text", "stateful", "sampler", "module"),
    [
        pytest.param("class A(StatefulModule): ...", True, False, True, id="stateful"),
        pytest.param("class A(ActionSampler): ...", True, True, True, id="sampler"),
        pytest.param("class A(nnx.Module): ...", False, False, True, id="plain module"),
        pytest.param("class A(nnx.Linear): ...", False, False, False, id="layer"),
        pytest.param("class A: ...", False, False, False, id="no base"),
        pytest.param(
            "class B(StatefulModule): ...\nclass A(B): ...", True, False, True, id="grandchild"
        ),
        pytest.param(
            "class M: ...\nclass A(M, StatefulModule): ...", True, False, True, id="mixin"
        ),
        pytest.param(
            "from typing import Generic\nclass A(StatefulModule, Generic[T]): ...",
            True,
            False,
            True,
            id="generic",
        ),
        pytest.param(
            "def f():\n    class A(StatefulModule): ...", True, False, True, id="in a function"
        ),
        pytest.param(
            "class StatefulModule(abc.ABC, nnx.Module): ...\nclass A(StatefulModule): ...",
            True,
            False,
            True,
            id="vendored",
        ),
        pytest.param(
            "class StatefulModule(nnx.Module): ...\nclass ActionSampler(StatefulModule): ...\n"
            "class A(ActionSampler): ...",
            True,
            True,
            True,
            id="vendored sampler",
        ),
        pytest.param(
            "class StatefulModule: ...\nclass A(StatefulModule): ...",
            False,
            False,
            False,
            id="another class of that name",
        ),
        pytest.param("class A(acme.Layer): ...", False, False, False, id="unknown"),
    ],
)
def test_what_a_class_derives_from_decides_what_it_is(
    text: str, stateful: bool, sampler: bool, module: bool
) -> None:
    cls = _last(PRELUDE + "import abc\nimport acme\n" + text)
    hierarchy = Hierarchy()
    assert hierarchy.is_stateful(cls) is stateful
    assert hierarchy.is_sampler(cls) is sampler
    assert hierarchy.is_module(cls) is module


def test_a_named_base_counts_as_stateful_and_a_named_sampler_as_both() -> None:
    hierarchy = Hierarchy(
        frozenset({LibraryClass("acme.Layer")}), frozenset({LibraryClass("acme.Sampler")})
    )
    layer = _last("import acme\nclass A(acme.Layer): ...")
    sampler = _last("from acme import Sampler as S\nclass B(S): ...\nclass A(B): ...")
    assert hierarchy.is_stateful(layer)
    assert not hierarchy.is_sampler(layer)
    assert hierarchy.is_stateful(sampler)
    assert hierarchy.is_sampler(sampler)
    assert hierarchy.unknown_bases(layer) == hierarchy.unknown_bases(sampler) == []


@pytest.mark.parametrize(
    ("text", "unknown"),
    [
        ("class A: ...", []),
        ("import abc, typing\nclass A(abc.ABC, typing.Protocol): ...", []),
        ("from flax import linen\nclass A(linen.Module): ...", []),
        ("from nnx_ppo.networks.feedforward import Dense\nclass A(Dense): ...", []),
        ("import acme\nclass A(acme.B): ...", ["acme.B"]),
        ("import acme\nclass B(acme.C): ...\nclass A(B, acme.D): ...", ["acme.C", "acme.D"]),
        ("from .types import B\nclass A(B): ...", [".types.B"]),
        ("class A(make()): ...", ["?.make()"]),
        ("from nnx_ppo.new import Layer\nclass A(Layer): ...", ["nnx_ppo.Layer"]),
    ],
)
def test_ancestors_of_which_nothing_is_known_are_listed(text: str, unknown: list[str]) -> None:
    assert [base.name for base in Hierarchy().unknown_bases(_last(text))] == unknown


@pytest.mark.parametrize(
    ("name", "known"),
    [
        ("builtins.object", True),
        ("collections.abc.Mapping", True),
        ("typing.Generic", True),
        ("flax.nnx.Linear", True),
        ("jax.Array", True),
        ("nnx_ppo.StatefulModule", True),
        ("nnx_ppo.Unheard", False),
        ("acme.Layer", False),
        (".types.StatefulModule", False),
        ("?.f()", False),
    ],
)
def test_a_class_of_a_package_without_stateful_modules_is_known(name: str, known: bool) -> None:
    assert LibraryClass(name).is_known is known


def test_a_class_may_take_the_name_of_its_base() -> None:
    text = "from nnx_ppo.networks.feedforward import Dense\nclass Dense(Dense): ...\n"
    cls = _last(text)
    assert [base.name for base in cls.bases] == ["nnx_ppo.Dense"]
    assert Hierarchy().is_stateful(cls)
    assert "Dense" in [base.name for base in _last(text + "class A(Dense): ...").bases]
