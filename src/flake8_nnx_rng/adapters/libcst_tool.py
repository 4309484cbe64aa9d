"""The codemod as a command of libcst's own tool."""

from __future__ import annotations

import argparse
from typing import Any

import libcst as cst
from libcst.codemod import CodemodCommand, CodemodContext

from flake8_nnx_rng.adapters.fix import DESCRIPTION, add_unsafe, task_of
from flake8_nnx_rng.adapters.options import add_choice, add_shared, request
from flake8_nnx_rng.adapters.verdicts import line
from flake8_nnx_rng.codemod.applying.fixing import fix
from flake8_nnx_rng.source import Original


class Fix(CodemodCommand):
    """Rewrites a file as `nnx-rng fix` does, apart from classes that change other files too.

    libcst's tool reads, writes and formats each file by itself. What is left is a warning.
    """

    DESCRIPTION = DESCRIPTION

    def __init__(self, context: CodemodContext, **options: Any) -> None:
        super().__init__(context)
        parser = argparse.ArgumentParser()
        add_shared(parser, "fix")
        add_unsafe(parser)
        given = argparse.Namespace(**{**vars(parser.parse_args([])), **options})
        self._task = task_of(request(given), unsafe=given.unsafe_fixes, alone=True)

    @staticmethod
    def add_args(arg_parser: argparse.ArgumentParser) -> None:
        """Adds the options of `nnx-rng fix` that libcst's tool has no counterpart of."""
        add_choice(arg_parser, "fix")
        add_unsafe(arg_parser)

    def transform_module_impl(self, tree: cst.Module) -> cst.Module:
        """The rewritten module; the same one if nothing is rewritten.

        Raises:
            SourceError: The module is not valid Python for the running interpreter.
        """
        outcome = fix(Original(self.context.filename or "stdin", tree.bytes), self._task)
        for verdict in outcome.left:
            self.warn(line(verdict))
        for change in outcome.changes:
            text = change.after.decode(tree.encoding)
            return cst.parse_module(text).with_changes(encoding=tree.encoding)
        return tree
