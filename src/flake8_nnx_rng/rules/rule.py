"""The form of a rule: its check, its text and its examples in one place."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import libcst as cst

from flake8_nnx_rng.interpreter import Audit, Chosen, Reused, Site

GUIDE = "nnx-ppo's guide, page 'Randomness': https://nnx-ppo.readthedocs.io"
FIGURES = "the figures: `python benchmarks/measured_faults.py`"


@dataclass(frozen=True)
class Breach:
    """A place where a class breaks a rule.

    Attributes:
        site: Where, and the way to it.
        message: What is wrong, why it matters and what to do, without the code.
    """

    site: Site
    message: str


@dataclass(frozen=True)
class Rule:
    """One rule of the catalogue.

    Attributes:
        code: Its stable code, such as `NNX101`.
        name: Its name in words, such as `class-level-stream`.
        observable: What goes wrong at run time, as the replay oracle names it.
        what: What it does.
        why: Why that is bad, with the measured effect.
        instead: What to write instead.
        fix_safety: Whether a rewrite can be trusted.
        invalid: Modules that break it; `# breach` marks the lines to be reported.
        valid: Modules that do not.
        check: Finds the breaches in what PPO does to a class; none if it is not about one.
        by_default: Whether it is on without being named.
        check_choice: Finds breaches in a choice of the implementation of keys, in a project in
            which the named module carries some.
    """

    code: str
    name: str
    observable: tuple[str, ...]
    what: str
    why: str
    instead: str
    fix_safety: str
    invalid: tuple[str, ...] = field(repr=False)
    valid: tuple[str, ...] = field(repr=False)
    check: Callable[[Audit], Iterator[Breach]] = field(default=lambda audit: iter(()), repr=False)
    by_default: bool = True
    check_choice: Callable[[Chosen, str], Iterator[Breach]] = field(
        default=lambda choice, carrier: iter(()), repr=False
    )
    references: tuple[str, ...] = (GUIDE, FIGURES)


BREACH_MARK = "# breach"


def example(code: str) -> str:
    """A module for a rule's documentation, with its indentation and first newline removed."""
    return textwrap.dedent(code).lstrip("\n")


def key_text(event: Reused) -> str:
    """What to call a key: its place, or the expression that it is in the call."""
    path = getattr(event.key, "path", None)
    if isinstance(path, str):
        return path
    node = event.site.node
    named = node.args[0].value if isinstance(node, cst.Call) and node.args else node
    return " ".join(event.site.file.module.code_for_node(named).split())


def way(site: Site) -> str:
    """The calls from the entry point to a place: `Noisy.__call__ → _perturb`."""
    return " → ".join(site.trail)
