"""Published packages: nothing raises, and nothing is reported that was not reviewed."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path

import pytest

from flake8_nnx_rng.findings import Finding
from flake8_nnx_rng.lint import Settings, lint, on_by_default
from flake8_nnx_rng.source import Document

from .packages import Package, documents

pytestmark = pytest.mark.slow

PACKAGES = [
    Package("nnx-ppo", "0.3.0"),
    Package("flax", "0.12.8", is_sdist=True),  # the wheel has no examples
    Package("distrax", "0.1.9"),
    Package("brax", "0.14.2"),
    Package("equinox", "0.13.8"),
    Package("datarax", "0.1.4"),
    Package("google-tunix", "0.1.7"),
]
ANY_MODULE = Settings(bases=("flax.nnx.Module",))
"""Every NNX module is looked at as if PPO ran it."""

REVIEWED = tomllib.loads(Path(__file__).with_name("reviewed.toml").read_text("utf-8"))["finding"]
EVERY = pytest.mark.parametrize("package", PACKAGES, ids=str)


@pytest.fixture
def sources(package: Package, pytestconfig: pytest.Config) -> list[Document]:
    assert pytestconfig.cache is not None
    try:
        archive = package.archive(pytestconfig.cache.mkdir("corpus"))
    except LookupError as reason:
        pytest.skip(str(reason))
    return list(documents(archive))


def described(document: Document, finding: Finding) -> Mapping[str, str]:
    line = document.text.splitlines()[finding.span.line - 1].strip()
    return {"file": finding.path, "code": finding.code, "line": line}


def reviewed(package: Package) -> list[Mapping[str, str]]:
    kept = ("file", "code", "line")
    mine = [entry for entry in REVIEWED if entry["package"] == package.name]
    return [{key: entry[key] for key in kept} for entry in mine]


def test_every_reviewed_finding_has_its_reason_and_its_package() -> None:
    assert all(entry["reason"].strip() for entry in REVIEWED)
    assert {entry["package"] for entry in REVIEWED} <= {package.name for package in PACKAGES}


@EVERY
def test_a_package_has_exactly_the_findings_that_were_reviewed(
    package: Package, sources: list[Document]
) -> None:
    assert len(sources) > 30
    found = [
        described(document, finding)
        for document in sources
        for finding in lint(document)
        if on_by_default(finding.code)
    ]
    assert found == reviewed(package)


@pytest.mark.thorough
@EVERY
def test_a_package_whose_every_module_is_looked_at_makes_nothing_raise(
    package: Package, sources: list[Document]
) -> None:
    for document in sources:
        for finding in lint(document, None, ANY_MODULE):
            assert described(document, finding)
