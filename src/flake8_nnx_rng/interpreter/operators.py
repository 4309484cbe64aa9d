"""Binary operators: on collections, on data, and as objects of the project overload them."""

from __future__ import annotations

import libcst as cst

from flake8_nnx_rng.interpreter import containers
from flake8_nnx_rng.interpreter.engine import Interpreter
from flake8_nnx_rng.interpreter.values import Bag, Const, Items, Value

ZERO = Const(0)

BINARY: dict[type[cst.CSTNode], str] = {
    cst.Add: "add",
    cst.Subtract: "sub",
    cst.Multiply: "mul",
    cst.MatrixMultiply: "matmul",
    cst.Divide: "truediv",
    cst.RightShift: "rshift",
    cst.BitOr: "or",
}
"""Operators that classes of modules overload, by the name of their methods."""

AUGMENTED: dict[type[cst.CSTNode], str] = {
    cst.AddAssign: "add",
    cst.SubtractAssign: "sub",
    cst.MultiplyAssign: "mul",
    cst.MatrixMultiplyAssign: "matmul",
    cst.DivideAssign: "truediv",
    cst.RightShiftAssign: "rshift",
    cst.BitOrAssign: "or",
}
"""The same in `a += b`."""


def operate(
    it: Interpreter, name: str | None, left: Value, right: Value, node: cst.CSTNode
) -> Value:
    """What `left <operator> right` yields."""
    if name is not None:
        made = it.special(left, f"__{name}__", (right,), node)
        if made is None:
            made = it.special(right, f"__r{name}__", (left,), node)
        if made is not None:
            return made
    if name == "mul" and ZERO in (left, right):
        return ZERO
    if name == "mul" and isinstance(left, (Items, Bag)):  # [key] * batch_size
        return Bag(containers.element(left))
    return containers.combine(left, right)
