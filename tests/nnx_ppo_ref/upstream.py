"""Runs nnx-ppo's own tests against `nnx_ppo_ref`.

A test file is read where it is installed, its imports of `nnx_ppo` are turned into imports of
`nnx_ppo_ref`, and each of its `unittest` methods becomes one pytest case. No line of it is copied.

    @pytest.mark.parametrize("case", cases("networks.delay_test"))
    def test_delay_passes_nnx_ppos_tests(case: Case) -> None:
        case.run()
"""

from __future__ import annotations

import ast
import contextlib
import importlib.util
import inspect
import sys
import types
import unittest
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jax
import pytest
from flax import struct

THEIRS, OURS = "nnx_ppo", "nnx_ppo_ref"

STAYS = (
    "nnx_ppo.test_dummies",
    "nnx_ppo.jax_dataclass",
    "nnx_ppo.networks.recording",
    "nnx_ppo.networks.graph",
)
"""What `nnx_ppo_ref` does not have: it is used as it is, and meets the contract by shape alone."""

PLAYGROUND = "mujoco_playground"


@dataclass(frozen=True)
class Case:
    """One test method of nnx-ppo's, or the reason why its file could not be loaded."""

    method: unittest.TestCase | None
    missing: str = ""

    def run(self) -> None:
        """Runs it; what it raises is the failure."""
        if self.method is None:
            pytest.skip(self.missing)
        # These tests step twice from one state, which consumes its keys twice.
        with jax.debug_key_reuse(False):
            type(self.method).setUpClass()
            try:
                self.method.debug()
            except unittest.SkipTest as reason:
                pytest.skip(str(reason))
            finally:
                type(self.method).doClassCleanups()


def cases(
    *files: str,
    only: Collection[str] | None = None,
    stays: tuple[str, ...] = (),
) -> list[Any]:  # of ParameterSet, which pytest does not export
    """The test methods of some of nnx-ppo's test files, for `pytest.mark.parametrize`.

    Args:
        *files: Modules without the package's name, such as `networks.delay_test`.
        only: Names of the test methods to run; None for all.
        stays: Further modules of nnx-ppo whose imports are left alone.
    """
    found = [case for file in files for case in _cases(file, stays)]
    return [
        pytest.param(case, id=name)
        for name, case in found
        if only is None or case.method is None or name.rpartition(".")[2] in only
    ]


def _cases(file: str, stays: tuple[str, ...]) -> Iterator[tuple[str, Case]]:
    if importlib.util.find_spec(THEIRS) is None:
        yield f"{file}.file", Case(None, f"{THEIRS} is not installed")
        return
    try:
        module = load(file, stays)
    except ModuleNotFoundError as error:
        # Only what is still to be written may be missing; anything else is a failure.
        if error.name is None or not _within(error.name, OURS):
            raise
        yield f"{file}.file", Case(None, f"needs {error.name}")
        return
    for cls in vars(module).values():
        if not inspect.isclass(cls) or not issubclass(cls, unittest.TestCase):
            continue
        if cls.__module__ == module.__name__:
            for method in unittest.defaultTestLoader.getTestCaseNames(cls):
                yield f"{file}.{cls.__name__}.{method}", Case(cls(method))


def load(name: str, stays: tuple[str, ...] = ()) -> types.ModuleType:
    """A test file of nnx-ppo's as a module that tests `nnx_ppo_ref`.

    Raises:
        ModuleNotFoundError: If it needs a module that `nnx_ppo_ref` does not have.
    """
    package = importlib.util.find_spec(THEIRS)
    assert package is not None and package.origin is not None
    path = Path(package.origin).parent.joinpath(*name.split(".")).with_suffix(".py")
    tree = _Redirect((*STAYS, *stays)).visit(ast.parse(path.read_bytes(), str(path)))
    module = types.ModuleType(f"upstream.{name}")
    module.__file__ = str(path)
    with playground():
        exec(compile(tree, str(path), "exec"), vars(module))
    return module


class _Redirect(ast.NodeTransformer):
    """Turns imports of nnx-ppo's modules into imports of ours."""

    def __init__(self, stays: tuple[str, ...]) -> None:
        self.stays = stays

    def visit_Import(self, node: ast.Import) -> ast.Import:
        for alias in node.names:
            if self._moves(alias.name):
                # `import a.b` binds `a`, so the new name would be another one.
                assert alias.asname is not None, ast.unparse(node)
                alias.name = _ours(alias.name)
        return node

    def visit_ImportFrom(self, node: ast.ImportFrom) -> list[ast.ImportFrom]:
        if node.module is None or not self._moves(node.module):
            return [node]
        # `from package import a, b`: one of the names may be a module that stays.
        parts: dict[str, list[ast.alias]] = {_ours(node.module): [], node.module: []}
        for alias in node.names:
            moves = self._moves(f"{node.module}.{alias.name}")
            parts[_ours(node.module) if moves else node.module].append(alias)
        return [
            ast.copy_location(ast.ImportFrom(module, names, node.level), node)
            for module, names in parts.items()
            if names
        ]

    def _moves(self, name: str) -> bool:
        return _within(name, THEIRS) and not any(_within(name, stay) for stay in self.stays)


def _within(name: str, package: str) -> bool:
    return name == package or name.startswith(package + ".")


def _ours(name: str) -> str:
    return OURS + name.removeprefix(THEIRS)


@contextlib.contextmanager
def playground() -> Iterator[None]:
    """Lets nnx-ppo's dummy environments be imported without mujoco_playground.

    They need its `State`; a test that loads one of its environments is skipped.
    """
    if PLAYGROUND in sys.modules or importlib.util.find_spec(PLAYGROUND) is not None:
        yield
        return
    stub = types.ModuleType(PLAYGROUND)
    vars(stub).update(State=PlaygroundState, registry=types.SimpleNamespace(load=_no_environment))
    sys.modules[PLAYGROUND] = stub
    try:
        yield
    finally:
        del sys.modules[PLAYGROUND]


@struct.dataclass
class PlaygroundState:
    """The fields of `mujoco_playground.State`; a PyTree with `replace`."""

    data: Any
    obs: Any
    reward: jax.Array
    done: jax.Array
    metrics: dict[str, jax.Array]
    info: dict[str, Any]


def _no_environment(name: str, *_: Any, **__: Any) -> None:
    raise unittest.SkipTest(f"{name} is one of {PLAYGROUND}'s environments, which is not installed")
