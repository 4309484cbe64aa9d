"""Loops of JAX: which of their arguments is the body, and what the body is given and returns."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import libcst as cst

from flake8_nnx_rng.codemod.text.names import names_in
from flake8_nnx_rng.codemod.text.tree import AnyFunction, Tree, parameters_of


@dataclass(frozen=True)
class Loop:
    """A function that calls another one again and again.

    Attributes:
        body: The position of what it calls.
        start: The position of what goes into the first call.
        carried: The parameter of the body that takes what the last call returned.
        number: The parameter that takes the number of the round, or None.
        has_outputs: Whether the body returns a pair, of which only the first part goes on.
        others: The positions of further functions, which take what the body takes.
    """

    body: int
    start: int
    carried: int = 0
    number: int | None = None
    has_outputs: bool = False
    others: tuple[int, ...] = ()


LOOPS = {
    "jax.lax.fori_loop": Loop(2, 3, carried=1, number=0),
    "jax.lax.scan": Loop(0, 1, has_outputs=True),
    "jax.lax.while_loop": Loop(1, 2, others=(0,)),
}
_RANGE = "jax.numpy.arange"
_NAMES = {
    "jax.lax.fori_loop": ("lower", "upper", "body_fun", "init_val"),
    "jax.lax.scan": ("f", "init", "xs", "length"),
    "jax.lax.while_loop": ("cond_fun", "body_fun", "init_val"),
}


def loop_of(call: cst.CSTNode, tree: Tree) -> Loop | None:
    """The loop that a call runs."""
    return LOOPS.get(tree.canonical(call.func)) if isinstance(call, cst.Call) else None


def argument_at(call: cst.Call, position: int, tree: Tree) -> cst.BaseExpression | None:
    """What a call of a loop is given at a position, or by its name."""
    names = _NAMES[tree.canonical(call.func)]
    name = names[position] if position < len(names) else ""
    for index, arg in enumerate(call.args):
        if not arg.star and (
            index == position if arg.keyword is None else arg.keyword.value == name
        ):
            return arg.value
    return None


def loop_around(node: cst.BaseExpression, tree: Tree) -> tuple[cst.Call, Loop] | None:
    """The call of a loop that a function is handed to, and the loop."""
    arg = tree.parent(node)
    call = tree.parent(arg) if isinstance(arg, cst.Arg) else None
    loop = None if call is None else loop_of(call, tree)
    if loop is None or not isinstance(call, cst.Call):
        return None
    functions = [argument_at(call, at, tree) for at in (loop.body, *loop.others)]
    return (call, loop) if any(node is one for one in functions) else None


def is_number(node: cst.BaseExpression, tree: Tree) -> bool:
    """Whether a name is the number of the round of a loop."""
    function = tree.function(node)
    if not isinstance(node, cst.Name) or function is None:
        return False
    return number_in(function, tree) == node.value


def number_in(function: AnyFunction, tree: Tree) -> str | None:
    """What a function calls the number of the round, if it is the body of a loop that counts."""
    numbers = {_number_of(function, *found, tree) for found in loops_of(function, tree)}
    number = numbers.pop() if len(numbers) == 1 else None
    return None if number is None or _is_bound(number, function, tree) else number


def uncounted(call: cst.Call, tree: Tree) -> tuple[cst.BaseExpression, cst.BaseExpression] | None:
    """The `xs` and the length of a scan through nothing; None if it goes through something."""
    through, length = argument_at(call, 2, tree), argument_at(call, 3, tree)
    if length is None or not (isinstance(through, cst.Name) and through.value == "None"):
        return None
    return through, length


def _number_of(function: AnyFunction, call: cst.Call, loop: Loop, tree: Tree) -> str | None:
    """What the body of a loop calls the number of the round."""
    ordered = parameters_of(function)
    number = 1 if loop.has_outputs and _counts(function, call, tree) else loop.number
    if number is None or number >= len(ordered):
        return None
    return ordered[number].name.value


def _counts(function: AnyFunction, call: cst.Call, tree: Tree) -> bool:
    """Whether a scan goes through the numbers from zero on, or may as well do so."""
    through, second = argument_at(call, 2, tree), parameters_of(function)[1:2]
    if uncounted(call, tree) is not None:
        return bool(second) and second[0].name.value not in names_in(function.body)
    if not isinstance(through, cst.Call) or tree.canonical(through.func) != _RANGE:
        return False
    given = through.args[0].value if len(through.args) == 1 else None
    return isinstance(given, (cst.Integer, cst.Name, cst.Attribute))


def _is_bound(name: str, function: AnyFunction, tree: Tree) -> bool:
    """Whether a function gives a name another value."""
    walk, body = tree.walk, function.body
    targets = (
        *(node.target for node in walk(body, cst.AssignTarget)),
        *(node.target for node in walk(body, cst.AugAssign)),
        *(node.target for node in walk(body, cst.NamedExpr)),
        *(node.target for node in walk(body, cst.For)),
    )
    return name in names_in(*targets)


def loops_of(function: AnyFunction, tree: Tree) -> Iterator[tuple[cst.Call, Loop]]:
    """The loops that a function is handed to, as itself or by its name."""
    if isinstance(function, cst.Lambda):
        places: list[cst.BaseExpression] = [function]
    else:
        outer = tree.function(function)
        inside = tree.file_of(function).module if outer is None else outer.body
        places = [n for n in tree.walk(inside, cst.Name) if n.value == function.name.value]
    for place in places:
        found = loop_around(place, tree)
        if found is not None:
            yield found
