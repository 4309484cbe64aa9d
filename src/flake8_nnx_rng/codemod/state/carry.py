"""How keys get into the state, out of it, and back."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum, auto

import libcst as cst

from flake8_nnx_rng.codemod.refusal import RefusedError
from flake8_nnx_rng.codemod.state.layouts import Layout, layout_of
from flake8_nnx_rng.codemod.text.blocks import opening_of
from flake8_nnx_rng.codemod.text.names import fresh, names_in
from flake8_nnx_rng.codemod.text.sheet import Sheet
from flake8_nnx_rng.codemod.text.structure import assigning
from flake8_nnx_rng.codemod.text.tree import Tree, parameters_of
from flake8_nnx_rng.interpreter.functions import ENTRY
from flake8_nnx_rng.knowledge import library
from flake8_nnx_rng.project import ClassInfo, Hierarchy

_DEFAULTING = frozenset({library.STATEFUL, library.SAMPLER, library.MODULE})
"""Classes that leave a state as it is."""

NEXT = "next_state"


class Kind(Enum):
    """What the state was before."""

    NONE = auto()  # nothing, so that the keys are all of it
    PARTS = auto()  # parts that have names, so that the keys become one of them
    SOME = auto()  # something else, so that the keys come beside it


@dataclass(frozen=True)
class Carry:
    """The plan for the state of a class.

    Attributes:
        kind: What the state was.
        cls: The class.
        entry: Its forward pass.
        next_states: What it returns as the next state.
        outputs: What it returns that is not seen to be an output.
        keys: The keys that come in, as an expression of the forward pass.
        following: What the next keys are called there.
        layout: Where the keys are among the parts.
    """

    kind: Kind
    cls: ClassInfo
    entry: cst.FunctionDef
    next_states: tuple[cst.BaseExpression, ...]
    outputs: tuple[cst.Return, ...]
    keys: str
    following: str
    layout: Layout | None = None


def plan_carry(cls: ClassInfo, entry: cst.FunctionDef, tree: Tree, hierarchy: Hierarchy) -> Carry:
    """The plan for a class whose forward pass draws.

    Raises:
        RefusedError: It is not clear what is returned as the next state.
    """
    parameters = parameters_of(entry)
    if len(parameters) < 2:
        raise RefusedError("its forward pass takes no state by name")
    state = parameters[1].name.value
    next_states: list[cst.BaseExpression] = []
    outputs: list[cst.Return] = []
    for returned in tree.own(entry, cst.Return):
        if returned.value is None:
            raise RefusedError("its forward pass returns nothing on one of its paths")
        found = list(_next_states(returned.value, entry, tree))
        if found and all(one is not None for one in found):
            next_states.extend(one for one in found if one is not None and one not in next_states)
        else:
            outputs.append(returned)
    if not next_states and not outputs:
        raise RefusedError("its forward pass returns nothing")
    is_none = not outputs and _starts_empty(cls, tree, hierarchy)
    taken = names_in(entry)
    if is_none and all(_is_state(one, state) or is_empty(one) for one in next_states):
        stays = any(_is_state(one, state) for one in next_states)
        following = state if stays else fresh(NEXT, taken)
        if stays and _is_bound_again(entry, state, tree):
            raise RefusedError(f"its forward pass binds `{state}` again")
        return Carry(Kind.NONE, cls, entry, tuple(next_states), (), state, following)
    key = fresh("key", taken)
    layout = None if outputs else _layout(cls, entry, next_states, tree)
    if layout is None:
        return Carry(Kind.SOME, cls, entry, tuple(next_states), tuple(outputs), key, key)
    keys = layout.read(state)
    return Carry(Kind.PARTS, cls, entry, tuple(next_states), (), keys, key, layout)


def _layout(
    cls: ClassInfo,
    entry: cst.FunctionDef,
    next_states: Sequence[cst.BaseExpression],
    tree: Tree,
) -> Layout | None:
    """Where the keys can be among the parts of the state that a class's own methods make."""
    start, reset = cls.method(library.INITIALIZE), cls.method(library.RESET)
    if start is None or (reset is None and cls.member(library.RESET)):
        return None
    methods = (start,) if reset is None else (start, reset)
    made = [one.value for method in methods for one in tree.own(method, cst.Return)]
    states = [*next_states, *(value for value in made if value is not None)]
    layout = layout_of(start, states, tree)
    for method in (entry, reset):
        if method is not None and len(parameters_of(method)) > 1 and layout is not None:
            name = parameters_of(method)[1].name.value
            loads = (n for n in tree.walk(method.body, cst.Name) if n.value == name)
            if not all(n in states or layout.is_of_part(n, tree) for n in loads):
                return None
    return layout


def next_states_of(entry: cst.FunctionDef, tree: Tree) -> list[cst.BaseExpression]:
    """What a forward pass is seen to return as the next state."""
    found: dict[cst.BaseExpression, None] = {}
    for returned in tree.own(entry, cst.Return):
        for one in _next_states(returned.value, entry, tree):
            if one is not None:
                found[one] = None
    return list(found)


def write_entry(carry: Carry, sheet: Sheet, tree: Tree) -> None:
    """Takes the keys from the state, and returns the next ones wherever one is returned."""
    state = parameters_of(carry.entry)[1]
    for node in carry.next_states:
        start, end = tree.span(node)
        if carry.layout is not None:
            carry.layout.put(node, carry.following, tree, sheet)
        elif carry.kind is Kind.NONE:
            if not _is_state(node, carry.following):
                sheet.replace(start, end, carry.following)
        else:
            text = sheet.between(start, end)
            sheet.replace(start, end, f"({tree.item(node, text)}, {carry.following})")
    if carry.kind is Kind.SOME:
        opening_of(carry.entry, tree, sheet).insert(
            f"{state.name.value}, {carry.keys} = {state.name.value}"
        )
    annotate(state.annotation, carry.kind, sheet, tree)


def write_outputs(carry: Carry, sheet: Sheet, tree: Tree) -> None:
    """Puts the next keys into what is not seen to be an output; behind all that is added above."""
    for returned in carry.outputs:
        _write_output(carry, returned, sheet, tree)


def _write_output(carry: Carry, returned: cst.Return, sheet: Sheet, tree: Tree) -> None:
    assert returned.value is not None
    start, end = tree.span(returned.value)
    name, text = "output", sheet.between(start, end)
    if isinstance(returned.value, cst.Name):
        name = returned.value.value
    else:
        name = fresh(name, names_in(carry.entry))
        line_start = tree.line_start(tree.span(returned)[0])
        indentation = tree.indentation(line_start)
        sheet.insert(line_start, f"{indentation}{name} = {text}\n")
    sheet.replace(start, end, f"{name}.replace(next_state=({name}.next_state, {carry.following}))")


def annotate(annotation: cst.Annotation | None, kind: Kind, sheet: Sheet, tree: Tree) -> None:
    """Says of which type the state is now, where it was said before."""
    if annotation is None:
        return
    node = annotation.annotation
    start, end = tree.span(node)
    text = sheet.between(start, end)
    last = text.rpartition(".")[2]
    if last in ("Any", "object", "PyTree", "ModuleState") or isinstance(node, cst.SimpleString):
        return
    if kind is Kind.SOME:
        sheet.replace(start, end, f"tuple[{text}, jax.Array]")
    elif kind is Kind.NONE and "".join(text.split()).lower() == "tuple[()]":
        sheet.replace(start, end, "jax.Array")


def is_empty(node: cst.BaseExpression) -> bool:
    """Whether an expression is literally no state."""
    if isinstance(node, (cst.Tuple, cst.List, cst.Dict)):
        return not node.elements
    return isinstance(node, cst.Name) and node.value == "None"


def method_of(cls: ClassInfo, name: str, hierarchy: Hierarchy) -> cst.FunctionDef | bool:
    """The method that a class has of its own or inherits.

    Returns:
        The function, True if it is somewhere outside of the project, False if there is only the
        framework's default.
    """
    for ancestor in hierarchy.mro(cls):
        if isinstance(ancestor, ClassInfo):
            if ancestor.member(name):
                return ancestor.method(name) or True
        elif ancestor.name not in _DEFAULTING and hierarchy.is_stateful(ancestor):
            return True
    return False


def _starts_empty(cls: ClassInfo, tree: Tree, hierarchy: Hierarchy) -> bool:
    """Whether the state is empty at the start."""
    method = method_of(cls, library.INITIALIZE, hierarchy)
    if isinstance(method, bool) or not tree.holds(method):
        return not method
    values = [returned.value for returned in tree.own(method, cst.Return)]
    return bool(values) and all(v is not None and is_empty(v) for v in values)


def _next_states(
    node: cst.BaseExpression | None, entry: cst.FunctionDef, tree: Tree
) -> Iterator[cst.BaseExpression | None]:
    """The next states in what is returned; None for an output of which it is not seen."""
    match node:
        case cst.IfExp(body=body, orelse=orelse):
            yield from _next_states(body, entry, tree)
            yield from _next_states(orelse, entry, tree)
        case cst.Call(func, args) if tree.canonical(func) == library.OUTPUT:
            yield _argument(args)
        case cst.Name(name):
            found = [assign.value for assign in assigning(name, entry, tree)]
            for value in found:
                yield from (
                    _next_states(value, entry, tree) if isinstance(value, cst.Call) else [None]
                )
            if not found:
                yield None
        case _:
            yield None


def _argument(args: Sequence[cst.Arg]) -> cst.BaseExpression | None:
    for index, arg in enumerate(args):
        if arg.star:
            return None
        if arg.keyword is None and index == 0:
            return arg.value
        if arg.keyword is not None and arg.keyword.value == "next_state":
            return arg.value
    return None


def _is_state(node: cst.BaseExpression, state: str) -> bool:
    return isinstance(node, cst.Name) and node.value == state


def _is_bound_again(entry: cst.FunctionDef, name: str, tree: Tree) -> bool:
    for node in tree.own(entry, cst.Name):
        if node.value == name:
            parent = tree.parent(node)
            if isinstance(parent, (cst.AssignTarget, cst.Del, cst.For, cst.NamedExpr)):
                return True
            if isinstance(parent, cst.Element) and any(
                isinstance(above, cst.AssignTarget) for above in tree.above(node)
            ):
                return True
    return False


def state_and_extras(entry: cst.FunctionDef) -> tuple[str, str]:
    """What a forward pass calls its state and its extras.

    Raises:
        RefusedError: It takes no extras by name.
    """
    names = [parameter.name.value for parameter in parameters_of(entry)]
    if len(names) < 4:
        raise RefusedError("its forward pass takes no rollout_extras by name")
    return names[1], names[3]


def entry_of(cls: ClassInfo) -> cst.FunctionDef:
    """The forward pass that a class itself defines.

    Raises:
        RefusedError: It defines none.
    """
    entry = cls.method(ENTRY)
    if entry is None:
        raise RefusedError("its forward pass is that of a base class")
    return entry
