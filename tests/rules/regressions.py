"""Modules in short, as the regression tests write them."""

from __future__ import annotations

import textwrap

IMPORTS = """\
import random
import time
from dataclasses import dataclass
from typing import Any
from nnx_ppo.networks.types import StatefulModuleOutput as Out
"""
SAMPLER = "# ActionSampler\n"
SEPARATOR = "---\n"


def written_out(case: str) -> str:
    """The source of a module `M` from its parts, which stand between lines of `---`.

    The parts are its constructor and its forward pass, which leaves its output in `y` unless it
    returns by itself; three are its constructor, its other members and its pass; four begin with
    what stands in the file before the class. The module is a sampler if a comment says so first.
    """
    text = textwrap.dedent(case).strip("\n") + "\n"
    base = "ActionSampler" if text.startswith(SAMPLER) else "StatefulModule"
    *parts, forward = text.removeprefix(SAMPLER).split(SEPARATOR)
    before, init, members = {1: ["", *parts, ""], 2: ["", *parts], 3: parts}[len(parts)]
    return "\n".join(
        [
            IMPORTS + before,
            f"class M({base}):",
            "    def __init__(self, rngs: nnx.Rngs, dim: int = 3):",
            textwrap.indent(init, 8 * " "),
            textwrap.indent(members, 4 * " "),
            "    def __call__(self, state, x, rollout_extras=None):",
            textwrap.indent(forward, 8 * " ") + _last(forward),
        ]
    )


def _last(forward: str) -> str:
    is_whole = forward.splitlines()[-1].startswith("return ")
    return "" if is_whole else "        return Out(state, y, 0.0, {})\n"
