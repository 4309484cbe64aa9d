"""The order of member lookup is Python's own."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support import parse

from flake8_nnx_rng.project import ClassInfo, Hierarchy, LibraryClass

Bases = list[list[int]]


def _source(bases: Bases) -> str:
    """Classes `C0`, `C1`, … each with some of the earlier ones as bases."""
    return "".join(
        f"class C{number}({', '.join(f'C{base}' for base in of)}): ...\n"
        for number, of in enumerate(bases)
    )


def _ours(text: str) -> dict[str, list[str]]:
    hierarchy = Hierarchy()
    return {cls.name: [c.name for c in hierarchy.mro(cls)] for cls in parse(text).classes}


def _python_s(text: str) -> dict[str, list[str]]:
    """The names in each class's `__mro__`, up to the first class that Python refuses."""
    namespace: dict[str, Any] = {}
    for line in text.splitlines():
        try:
            exec(line, namespace)
        except (TypeError, NameError):
            break
    return {
        name: [c.__name__ for c in cls.__mro__ if c is not object]
        for name, cls in namespace.items()
        if isinstance(cls, type)
    }


@st.composite
def _hierarchies(draw: st.DrawFn) -> Bases:
    size = draw(st.integers(1, 9))
    return [
        draw(st.lists(st.integers(0, number - 1), max_size=4, unique=True)) if number else []
        for number in range(size)
    ]


@pytest.mark.parametrize(
    "bases",
    [
        pytest.param([[], [0], [1]], id="chain"),
        pytest.param([[], [0], [0], [1, 2]], id="diamond"),
        pytest.param([[], [0], [0], [2, 1]], id="diamond, other order"),
        pytest.param([[], [], [0, 1], [1], [2, 3]], id="mixin"),
        pytest.param([[], [], [], [0, 1], [1, 2], [3, 4]], id="overlap"),
        pytest.param([[], [0], [0], [0], [1, 2], [2, 3], [4, 5, 3]], id="three layers"),
        pytest.param([[], [], [], [], [], [0, 1, 2], [3, 1, 4], [3, 0], [5, 6, 7]], id="textbook"),
    ],
)
def test_a_textbook_hierarchy_is_linearised_as_python_does(bases: Bases) -> None:
    text = _source(bases)
    expected = _python_s(text)
    assert len(expected) == len(bases)
    assert _ours(text) == expected


@settings(deadline=None)
@given(_hierarchies())
def test_any_hierarchy_is_linearised_as_python_does(bases: Bases) -> None:
    text = _source(bases)
    expected = _python_s(text)
    assert expected
    ours = _ours(text)
    assert {name: ours[name] for name in expected} == expected


@settings(deadline=None)
@given(_hierarchies())
def test_a_hierarchy_that_python_refuses_still_gives_every_ancestor_once(bases: Bases) -> None:
    ancestors: list[set[int]] = []
    for number, of in enumerate(bases):
        ancestors.append({number}.union(*(ancestors[base] for base in of)))
    for number, (name, mro) in enumerate(_ours(_source(bases)).items()):
        assert mro[0] == name
        assert sorted(mro) == sorted(f"C{ancestor}" for ancestor in ancestors[number])


@pytest.mark.parametrize(
    ("text", "mro"),
    [
        pytest.param(
            "class A: ...\nclass B(A): ...\nclass C(A, B): ...\n", ["C", "A", "B"], id="base first"
        ),
        pytest.param(
            "class A: ...\nclass B: ...\nclass X(A, B): ...\nclass Y(B, A): ...\n"
            "class Z(X, Y): ...\n",
            ["Z", "X", "Y", "A", "B"],
            id="contradiction",
        ),
        pytest.param("class A: ...\nclass B(A, A): ...\n", ["B", "A"], id="base twice"),
        pytest.param("class A(A): ...\n", ["A"], id="itself"),
        pytest.param("B = A\nclass A(B): ...\n", ["A"], id="itself by another name"),
    ],
)
def test_bases_that_python_refuses_do_not_hang(text: str, mro: list[str]) -> None:
    assert list(_ours(text).values())[-1] == mro


def test_classes_that_derive_from_each_other_do_not_hang() -> None:
    mros = _ours("class A(B): ...\nclass B(C): ...\nclass C(A): ...\n")
    assert [mro[0] for mro in mros.values()] == ["A", "B", "C"]
    assert all(set(mro) == {"A", "B", "C"} for mro in mros.values())


def test_library_classes_continue_the_order() -> None:
    file = parse(
        "from nnx_ppo.networks.sampling_layers import NormalTanhSampler\n"
        "class Mixin: ...\n"
        "class A(Mixin, NormalTanhSampler): ...\n"
    )
    names = [cls.name for cls in Hierarchy().mro(file.classes[-1])]
    assert names == [
        "A",
        "Mixin",
        "nnx_ppo.NormalTanhSampler",
        "nnx_ppo.ActionSampler",
        "nnx_ppo.StatefulModule",
        "flax.nnx.Module",
    ]


def test_a_library_class_has_an_order_of_its_own() -> None:
    (first, *rest) = Hierarchy().mro(LibraryClass("nnx_ppo.Dense"))
    assert first == LibraryClass("nnx_ppo.Dense")
    assert [cls.name for cls in rest] == ["nnx_ppo.StatefulModule", "flax.nnx.Module"]
    assert not any(isinstance(cls, ClassInfo) for cls in rest)
