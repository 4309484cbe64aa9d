"""The table of what nnx-ppo's modules need, against their sources as the interpreter reads them."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from pathlib import Path

import pytest

from flake8_nnx_rng.interpreter import Auditor
from flake8_nnx_rng.knowledge import library
from flake8_nnx_rng.knowledge.children import LIBRARY, promise_of_library
from flake8_nnx_rng.lint import deep_stack
from flake8_nnx_rng.project import ClassInfo, Hierarchy, LibraryClass, SourceFile
from flake8_nnx_rng.source import read_document

ROOTS = {library.STATEFUL, library.SAMPLER}


def _sources() -> Iterator[Path]:
    for package in library.REFERENCE_PACKAGES:
        spec = importlib.util.find_spec(package)
        if spec is not None and spec.submodule_search_locations:
            root = Path(spec.submodule_search_locations[0], "networks")
            yield from (p for p in sorted(root.rglob("*.py")) if not p.stem.endswith("_test"))


def _modules() -> Iterator[tuple[str, ClassInfo, Hierarchy]]:
    for path in _sources():
        hierarchy = Hierarchy(frozenset({LibraryClass("nnx_ppo.NamedChildren")}))
        for cls in SourceFile.parse(read_document(path)).classes:
            name = f"nnx_ppo.{cls.name}"
            if name in library.CLASSES and name not in ROOTS and hierarchy.is_stateful(cls):
                yield f"{path.parts[-3]}.{cls.name}", cls, hierarchy


MODULES = list(_modules())


def test_every_module_of_the_library_is_classified() -> None:
    assert set(LIBRARY) == set(library.CLASSES) - ROOTS - {library.MODULE}


def test_the_table_is_held_against_sources() -> None:
    assert len(MODULES) > 20


@pytest.mark.parametrize(
    ("cls", "hierarchy"), [m[1:] for m in MODULES], ids=[name for name, _, _ in MODULES]
)
def test_a_module_s_own_passes_show_what_the_table_says(
    cls: ClassInfo, hierarchy: Hierarchy
) -> None:
    if not hierarchy.defines(cls, "__call__"):
        pytest.skip("its pass stands in another file")
    with deep_stack():
        assert Auditor(hierarchy).promise(cls) == LIBRARY[f"nnx_ppo.{cls.name}"]


@pytest.mark.parametrize("name", ["make_mlp", "make_mlp_layers", "make_mlp_actor_critic"])
def test_factories_are_known_wherever_they_are_imported_from(name: str) -> None:
    promises = {
        promise_of_library(f"{package}{inner}.{name}")
        for package in library.REFERENCE_PACKAGES
        for inner in ("", ".networks.factories")
    }
    assert len(promises) == 1
    assert None not in promises
    assert promise_of_library(f"elsewhere.{name}") is None
