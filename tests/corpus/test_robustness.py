"""No file of the standard library, flax, JAX or nnx-ppo makes the analysis raise."""

from __future__ import annotations

import importlib.util
import sysconfig
from collections.abc import Iterator
from pathlib import Path

import pytest

from flake8_nnx_rng.interpreter import audit
from flake8_nnx_rng.lint import deep_stack, lint, on_by_default
from flake8_nnx_rng.project import Hierarchy, SourceFile
from flake8_nnx_rng.rules import CATALOGUE
from flake8_nnx_rng.source import Document, SourceError, deepest_line, read_document

pytestmark = pytest.mark.slow

STANDARD_LIBRARY = Path(sysconfig.get_paths()["stdlib"])
SKIPPED = frozenset({"site-packages", "test", "tests", "idle_test", "lib2to3"})
SHARDS = 6


def package(name: str) -> Path:
    spec = importlib.util.find_spec(name)
    if spec is None or not spec.submodule_search_locations:
        pytest.skip(f"{name} is not installed")
    return Path(spec.submodule_search_locations[0])


def documents(root: Path) -> Iterator[Document]:
    for path in sorted(root.rglob("*.py")):
        if SKIPPED.intersection(path.relative_to(root).parts):
            continue
        try:
            document = read_document(path)
            tree = document.syntax_tree()
        except SourceError:  # files that are meant to be broken
            continue
        if deepest_line(tree, document.text) is None:
            yield document


def analyse(document: Document) -> int:
    """Audits every class of a file as if PPO ran it, and applies every rule."""
    file = SourceFile.parse(document)
    hierarchy = Hierarchy()
    with deep_stack():
        for cls in file.classes:
            passes = audit(cls, hierarchy)
            for rule in CATALOGUE.values():
                for breach in rule.check(passes):
                    file.positions.span(breach.site.node)
    return len(file.classes)


@pytest.mark.parametrize(
    "shard",
    [pytest.param(shard, marks=pytest.mark.thorough) for shard in range(SHARDS)],
)
def test_no_class_of_the_standard_library_makes_the_interpreter_raise(shard: int) -> None:
    chosen = list(documents(STANDARD_LIBRARY))[shard::SHARDS]
    assert sum(map(analyse, chosen)) > 100


@pytest.mark.thorough
def test_no_file_of_the_standard_library_makes_the_linter_raise() -> None:
    for path in sorted(STANDARD_LIBRARY.rglob("*.py")):
        try:
            document = read_document(path)
            tree = document.syntax_tree()
        except SourceError as error:
            assert error.remedy
            continue
        lint(document, tree)


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["flax", "jax"])
def test_no_class_of_the_frameworks_makes_the_interpreter_raise(name: str) -> None:
    assert sum(map(analyse, documents(package(name)))) > 100


def test_nnx_ppo_is_clean() -> None:
    linted = list(documents(package("nnx_ppo")))
    assert len(linted) > 30
    found = [finding for document in linted for finding in lint(document)]
    assert [finding for finding in found if on_by_default(finding.code)] == []


def test_our_own_sources_are_clean() -> None:
    linted = [*documents(package("nnx_ppo_ref")), *documents(package("flake8_nnx_rng"))]
    found = [finding for document in linted for finding in lint(document)]
    assert [finding for finding in found if on_by_default(finding.code)] == []
