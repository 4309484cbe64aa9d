"""Every face of the linter on one file, in this process: thousands of files would wait for others.

A face that meets an error of its own says so and goes on to the next file. Here that is a failure.
"""

from __future__ import annotations

import argparse
import functools
import io
import os
import warnings
from collections.abc import Callable
from pathlib import Path

import libcst as cst
from flake8.options.manager import OptionManager
from libcst.codemod import CodemodContext

from flake8_nnx_rng.adapters.config import Config
from flake8_nnx_rng.adapters.fix import planner
from flake8_nnx_rng.adapters.flake8_plugin import NnxRngChecker
from flake8_nnx_rng.adapters.libcst_tool import Fix
from flake8_nnx_rng.adapters.options import Choice
from flake8_nnx_rng.adapters.render import one_line, with_frame
from flake8_nnx_rng.codemod.applying.fixing import Task
from flake8_nnx_rng.codemod.applying.running import planned
from flake8_nnx_rng.lint import lint_cached
from flake8_nnx_rng.source import SourceError
from flake8_nnx_rng.source.document import decode

NOT_TOLD = "internal error"
"""What the faces say where they have met an error of their own."""

EVERYTHING = Choice(Config(), select=("NNX",))
TASK = Task(planner, EVERYTHING.wanted, unsafe=True)

Face = Callable[[str, bytes], int]
"""How many findings, or verdicts on them, it has on a file.

It raises a `ToldError` where it says what is wrong with the file.
"""


class ToldError(Exception):
    """A face says that a file cannot be read, and what to do."""


@functools.cache
def _options() -> argparse.Namespace:
    manager = OptionManager(version="", plugin_versions="", parents=[], formatter_names=[])
    manager.add_option("--select", default=["NNX"])
    manager.add_option("--extend-select", default=[])
    NnxRngChecker.add_options(manager)
    return manager.parse_args(["--nnx-rng-no-cache"])


def flake8(path: str, data: bytes) -> int:
    """The plugin; flake8 gives it no file that is not Python."""
    document = decode(data, path)
    tree = document.syntax_tree()
    lines = io.StringIO(document.text).readlines()
    found = list(NnxRngChecker(tree, lines, path, _options()).run())
    assert not [text for _, _, text, _ in found if NOT_TOLD in text], found
    return len(found)


def check(path: str, data: bytes) -> int:
    """`nnx-rng check`."""
    document = decode(data, path)
    found = EVERYTHING.wanted(document, lint_cached(document, None, TASK.settings, None))
    for finding in found:
        assert one_line(finding).isprintable()
        assert with_frame(finding, document, colour=True)
    return len(found)


def fix(path: str, data: bytes) -> int:
    """`nnx-rng fix`, up to what it would write, which is Python."""
    outcome = planned(TASK, {}, path, data)
    if outcome.error:
        raise ToldError(outcome.error)
    for change in outcome.changes:
        decode(change.after, path).syntax_tree()
    return len(outcome.fixed) + len(outcome.left)


def tool(path: str, data: bytes) -> int:
    """libcst's own tool, which has the file parsed before it hands it over."""
    decode(data, path).syntax_tree()  # libcst takes more than Python does, and then fails
    try:
        tree = cst.parse_module(data)
    except (cst.ParserSyntaxError, cst.CSTLogicError, UnicodeError, LookupError):
        return 0
    context = CodemodContext(filename=os.path.abspath(path))
    rewritten = _command(context).transform_module(tree)
    return len(context.warnings) + (rewritten is not tree)


def _command(context: CodemodContext) -> Fix:
    return Fix(context, select=["NNX"], nnx_rng_no_cache=True, unsafe_fixes=True)


FACES: dict[str, Face] = {face.__name__: face for face in (flake8, check, fix, tool)}


def through(face: Face, path: str | Path, data: bytes) -> int | None:
    """What a face has on a file, or None if it says what is wrong with it, with a remedy.

    Whatever else it raises passes through, and so do warnings about the user's code.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            return face(str(path), data)
        except (SourceError, ToldError) as error:
            told = str(error)
    assert told.startswith(f"{path}:"), told
    assert "; " in told  # and a remedy
    assert NOT_TOLD not in told, told
    return None
