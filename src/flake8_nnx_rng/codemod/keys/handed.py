"""Variables that are handed to functions which read them: they are given keys now."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from flake8_nnx_rng.codemod.envs.references import References, argument_for
from flake8_nnx_rng.codemod.refusal import RefusedError
from flake8_nnx_rng.codemod.text.bindings import loads
from flake8_nnx_rng.codemod.text.reads import content_of
from flake8_nnx_rng.codemod.text.tree import AnyFunction, Tree, parameters_of


def reads_of(
    node: cst.BaseExpression,
    tree: Tree,
    references: References,
    seen: frozenset[cst.CSTNode] = frozenset(),
) -> Iterator[tuple[cst.BaseExpression, str]]:
    """What reads a Variable in the functions that it is handed to, each with its name there.

    Args:
        node: What is handed to a call, if it is.
        tree: The file.
        references: Who calls whom.
        seen: What was handed on before, as functions may call each other.

    Raises:
        RefusedError: Others hand a Variable to such a function too.
    """
    call = tree.parent(tree.parent(node)) if isinstance(tree.parent(node), cst.Arg) else None
    if not isinstance(call, cst.Call) or node in seen:
        return
    functions: list[AnyFunction] = [*tree.every(cst.FunctionDef), *tree.every(cst.Lambda)]
    for function in functions:
        found = references.of(function)
        if not any(reference.call is call for reference in found):
            continue
        name = _name_in(function, node, call, references)
        for load in loads(function, name, tree) if name else ():
            read = content_of(load, tree)
            is_plain = isinstance(read, cst.Subscript) and read.value is load
            if read is not load and not is_plain:  # `key[...]` does for a key too
                if len(found) > 1:
                    raise RefusedError("others hand their Variable to what reads its own")
                yield read, name
            yield from reads_of(load, tree, references, seen | {node})


def _name_in(
    function: AnyFunction, node: cst.BaseExpression, call: cst.Call, references: References
) -> str:
    """The parameter by which a call hands something to a function."""
    is_bound = references.is_bound(function)
    return next(
        (
            parameter.name.value
            for parameter in parameters_of(function)
            if argument_for(function, parameter, call, is_bound) is node
        ),
        "",
    )
