"""Two judges of a module's source: the linter, which reads it, and the oracle, which runs it."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from flake8_nnx_rng.findings import Finding
from flake8_nnx_rng.lint import Settings, lint, on_by_default
from flake8_nnx_rng.rules import CATALOGUE
from flake8_nnx_rng.source import Document

if TYPE_CHECKING:
    from nnx_ppo_ref.oracle import Report

PROMISED = {code: frozenset(rule.observable) for code, rule in CATALOGUE.items()}
"""What goes wrong at run time in code that a rule reports."""

STRICT = frozenset({"hygiene", "lockstep"})
"""The observables that only strict rules protect."""

_NUMBERS = count()


def read(source: str, settings: Settings | None = None, path: str = "module.py") -> list[Finding]:
    """What the linter finds in a file, what is off by default included."""
    return lint(Document(path, source), None, settings)


def by_default(findings: list[Finding]) -> list[Finding]:
    """Those of some findings that are reported without being asked for."""
    return [finding for finding in findings if on_by_default(finding.code)]


def shown(findings: list[Finding]) -> str:
    """Findings as a person reads them."""
    return (
        "\n".join(f"{finding.path}:{finding.span.line}: {finding.text}" for finding in findings)
        or "(no findings)"
    )


@contextmanager
def imported(source: str, directory: Path) -> Iterator[ModuleType]:
    """A file of a source, imported: JAX, `inspect` and tracebacks find its lines.

    The module is known by its name only as long as the context lasts.
    """
    name = f"judged_{next(_NUMBERS)}"
    path = directory / f"{name}.py"
    path.write_text(source, encoding="utf-8")
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
        yield module
    finally:
        del sys.modules[name]


def run(module: Any, sample_input: Any, **options: Any) -> Report:
    """What the oracle sees in a module, on few environments and steps."""
    from nnx_ppo_ref.oracle import check

    return check(module, sample_input, **{"steps": 4, **options})
