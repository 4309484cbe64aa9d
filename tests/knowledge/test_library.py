"""The tables of classes against the installed libraries."""

from __future__ import annotations

import ast
import contextlib
import dataclasses
import doctest
import importlib
import importlib.util
import inspect
import pkgutil
import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import flax.nnx as nnx
import pytest

from flake8_nnx_rng import knowledge
from flake8_nnx_rng.knowledge import functions, layers, library, streams

INERT = {"Population", "Connection"}
"""Classes of nnx-ppo whose names a reader may expect: they are no StatefulModules."""

MODULES = [f"{knowledge.__name__}.{m.name}" for m in pkgutil.iter_modules(knowledge.__path__)]


def _classes(root: Path) -> Iterator[ast.ClassDef]:
    """Every class of a package, its tests aside, whether or not its modules can be imported."""
    for path in sorted(root.rglob("*.py")):
        if path.stem.endswith("_test") or "test_dummies" in path.parts:
            continue
        tree = ast.parse(path.read_text(encoding="utf-8"))
        yield from (node for node in ast.walk(tree) if isinstance(node, ast.ClassDef))


def _derived(root: Path, name: str) -> set[str]:
    """The classes of a package that derive from one of its classes, by their names."""
    bases = {
        cls.name: {ast.unparse(base).rpartition(".")[2] for base in cls.bases}
        for cls in _classes(root)
    }
    derived = {name}
    while more := {cls for cls, of in bases.items() if of & derived} - derived:
        derived |= more
    return derived


def _root() -> Path:
    pytest.importorskip("nnx_ppo")
    spec = importlib.util.find_spec("nnx_ppo")
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).parent


def _ours(base: str) -> set[str]:
    """The classes of our table that derive from one of them."""
    names = {base}
    while more := {n for n, of in library.CLASSES.items() if names & {*of}} - names:
        names |= more
    return {name.rpartition(".")[2] for name in names}


@pytest.mark.parametrize("base", [library.STATEFUL, library.SAMPLER])
def test_the_table_has_exactly_the_classes_that_nnx_ppo_derives(base: str) -> None:
    real = _derived(_root(), base.rpartition(".")[2])
    assert len(real) > 1
    ours = _ours(base) - {name.rpartition(".")[2] for name in library.REFERENCE_CLASSES}
    assert ours == real
    assert not real & INERT


def test_what_can_be_imported_of_nnx_ppo_has_the_bases_that_the_table_says() -> None:
    pytest.importorskip("nnx_ppo")
    types = importlib.import_module("nnx_ppo.networks.types")
    samplers = importlib.import_module("nnx_ppo.networks.sampling_layers")
    roots = {library.STATEFUL: types.StatefulModule, library.SAMPLER: samplers.ActionSampler}
    assert issubclass(roots[library.STATEFUL], nnx.Module)
    for package in ("containers", "feedforward", "recurrent", "sampling_layers", "variational"):
        module = importlib.import_module(f"nnx_ppo.networks.{package}")
        for name, cls in vars(module).items():
            if inspect.isclass(cls) and issubclass(cls, types.StatefulModule):
                assert name in _ours(library.STATEFUL)
                sampler = issubclass(cls, samplers.ActionSampler)
                assert (name in _ours(library.SAMPLER)) is sampler


def test_the_fields_of_an_output_are_those_of_the_real_one() -> None:
    pytest.importorskip("nnx_ppo")
    types = importlib.import_module("nnx_ppo.networks.types")
    fields = dataclasses.fields(types.StatefulModuleOutput)
    assert tuple(field.name for field in fields) == library.OUTPUT_FIELDS


def test_the_reference_s_classes_are_in_the_table() -> None:
    reference = importlib.import_module("nnx_ppo_ref")
    known = _ours(library.STATEFUL)
    for name in reference.__all__:
        value = getattr(reference, name)
        if inspect.isclass(value) and issubclass(value, reference.StatefulModule):
            assert name in known


def test_every_base_in_the_table_is_in_the_table() -> None:
    assert {base for bases in library.CLASSES.values() for base in bases} <= library.CLASSES.keys()


def test_no_stateless_package_defines_a_class_of_the_table() -> None:
    tops = {name.partition(".")[0] for name in library.CLASSES if name != library.MODULE}
    assert not tops & library.STATELESS_PACKAGES


def _public(module: ModuleType) -> dict[str, Any]:
    """The public classes and functions of a module, modules of its own aside."""
    return {
        name: value
        for name, value in vars(module).items()
        if not name.startswith("_") and not inspect.ismodule(value)
    }


@pytest.mark.parametrize("module", [nnx, nnx.bridge], ids=["nnx", "bridge"])
def test_what_flax_defines_has_one_name_whichever_module_it_comes_from(module: ModuleType) -> None:
    origins = {
        f"{value.__module__}.{name}": f"{module.__name__}.{name}"
        for name, value in _public(module).items()
        if getattr(value, "__name__", "") == name and value.__module__.startswith("flax.nnx.")
    }
    assert len(origins) > 5
    assert {name: library.canonical(name) for name in origins} == origins
    assert {name: library.canonical(name) for name in origins.values()} == {
        name: name for name in origins.values()
    }


TABLES = {
    *library.CLASSES,
    *functions.TRANSFORMS,
    *functions.GRADIENTS,
    *functions.DIFFERENTIATED,
    *functions.PASS_THROUGH,
    *streams.STREAM_TYPES,
    *streams.VARIABLE_TYPES,
    *streams.ADVANCE_FUNCTIONS,
    *streams.WRITE_FUNCTIONS,
    *streams.STATE_FUNCTIONS,
    *layers.MODELLED,
}
"""Names of which something is known."""


def _flax_modules() -> Iterator[ModuleType]:
    for found in pkgutil.walk_packages(nnx.__path__, "flax.nnx."):
        with contextlib.suppress(ImportError):  # some need what is not installed
            yield importlib.import_module(found.name)


def _meant(name: str, otherwise: Any) -> Any:
    """What a name of a table stands for in Flax itself."""
    owner = nnx.bridge if ".bridge." in name else nnx
    return getattr(owner, name.rpartition(".")[2], otherwise)


def test_no_other_thing_of_flax_takes_a_name_of_the_tables() -> None:
    confused = []
    for module in _flax_modules():
        for name, value in _public(module).items():
            canonical = library.canonical(f"{module.__name__}.{name}")
            bound = getattr(value, "func", value)  # flax.nnx.compat binds options of the same
            if canonical in TABLES and _meant(canonical, bound) not in (value, bound):
                confused.append(f"{module.__name__}.{name}")
    assert [name for name in confused if not name.endswith("compat.cached_partial")] == []


def test_a_name_is_canonical_at_once_or_module_by_module() -> None:
    for module in _flax_modules():
        short = library.canonical(module.__name__)
        for name in _public(module):
            canonical = library.canonical(f"{module.__name__}.{name}")
            assert library.canonical(f"{short}.{name}") == canonical
            assert library.canonical(canonical) == canonical


@pytest.mark.parametrize(
    ("name", "canonical"),
    [
        ("nnx_ppo.networks.types.StatefulModule", "nnx_ppo.StatefulModule"),
        ("nnx_ppo_ref.StatefulModule", "nnx_ppo.StatefulModule"),
        ("nnx_ppo.networks.types.helper", "nnx_ppo.networks.types.helper"),
        ("nnx_ppo", "nnx_ppo"),
        ("nnx_ppo_extra.types.StatefulModule", "nnx_ppo_extra.types.StatefulModule"),
        ("jax.nn.initializers.normal", "jax.nn.initializers.normal"),
        ("flax.nnx.initializers.normal", "jax.nn.initializers.normal"),
        ("flax.linen.initializers.normal", "jax.nn.initializers.normal"),
        ("acme.initializers.normal", "acme.initializers.normal"),
        ("flax.nnx.nn.recurrent.LSTMCell", "flax.nnx.LSTMCell"),
        ("flax.linen.Dropout", "flax.linen.Dropout"),
        ("", ""),
    ],
)
def test_names_of_libraries_have_one_form_and_others_are_left(name: str, canonical: str) -> None:
    assert library.canonical(name) == canonical


def test_a_file_that_imports_a_class_of_the_table_is_never_skipped_unread() -> None:
    for package in library.REFERENCE_PACKAGES:
        assert any(marker in package for marker in library.MARKERS)


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_in_the_tables_modules_hold(name: str) -> None:
    module = importlib.import_module(name)
    results = doctest.testmod(module)
    examples = len(re.findall(r"^ *>>> ", inspect.getsource(module), re.MULTILINE))
    assert (results.failed, results.attempted) == (0, examples)
