"""The form of a library function's meaning."""

from __future__ import annotations

from collections.abc import Callable

import libcst as cst

from flake8_nnx_rng.interpreter.engine import Interpreter
from flake8_nnx_rng.interpreter.values import Arguments, Value

Handler = Callable[[Interpreter, Arguments, cst.CSTNode], Value]
