"""What many tests need: modules from snippets, their audits, events and findings."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from pathlib import Path

from flake8_nnx_rng.findings import Finding
from flake8_nnx_rng.interpreter import Audit, Event, audit
from flake8_nnx_rng.lint import Settings, lint
from flake8_nnx_rng.project import Hierarchy, SourceFile
from flake8_nnx_rng.source import Document

PRELUDE = """\
import dataclasses
import functools
from typing import NamedTuple, Optional

import jax
import jax.numpy as jnp
import numpy as np
from flax import nnx
from nnx_ppo.networks.sampling_layers import ActionSampler
from nnx_ppo.networks.types import StatefulModule, StatefulModuleOutput
"""
"""The imports that a snippet may rely on."""


def module(snippet: str) -> str:
    """The source of a file: the prelude and a snippet, whose indentation is removed."""
    return PRELUDE + "\n\n" + textwrap.dedent(snippet).lstrip("\n")


def parse(code: str) -> SourceFile:
    """A file from its source."""
    return SourceFile.parse(Document("module.py", code))


def audit_of(snippet: str, name: str | None = None) -> Audit:
    """The audit of a class of a snippet: the one named, or the last one."""
    file = parse(module(snippet))
    classes = [cls for cls in file.classes if name in (None, cls.name)]
    return audit(classes[-1], Hierarchy())


def events_of(snippet: str, kind: type[Event]) -> list[Event]:
    """The rollout's events of one kind, of the last class of a snippet."""
    return [event for event in audit_of(snippet).rollout if isinstance(event, kind)]


def findings_of(snippet: str, settings: Settings | None = None) -> list[Finding]:
    """The findings in a snippet, in order; those of a strict rule only if the snippet names it."""
    findings = lint(Document("module.py", module(snippet)), None, settings)
    return [f for f in findings if not f.code.startswith("NNX4") or f.code in snippet]


def codes_of(snippet: str) -> list[str]:
    """The codes of the findings in a snippet, in order."""
    return [finding.code for finding in findings_of(snippet)]


def marked(snippet: str) -> list[tuple[str, str]]:
    """Lines of a snippet that are expected to be reported: `# NNX101 NNX103` at their end.

    Returns:
        Pairs of a code and the stripped line, in order.
    """
    return sorted(_marks(module(snippet)))


def reported(snippet: str, group: str = "NNX") -> list[tuple[str, str]]:
    """What is reported by a group of rules, in the form of `marked`."""
    lines = module(snippet).splitlines()
    return sorted(
        (finding.code, lines[finding.span.line - 1].strip())
        for finding in findings_of(snippet)
        if finding.code.startswith(group)
    )


def _marks(code: str) -> Iterator[tuple[str, str]]:
    for line in code.splitlines():
        _, hash_sign, comment = line.rpartition("  # ")
        for word in comment.split() if hash_sign else ():
            if word.startswith("NNX"):
                yield word, line.strip()


def write(directory: Path, files: dict[str, str]) -> None:
    """Writes the files of a project, by their paths; indentation is removed."""
    for name, text in files.items():
        path = directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text).lstrip("\n"), encoding="utf-8")
