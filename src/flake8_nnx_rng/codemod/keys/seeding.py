"""The key from which the keys of the first state are split off."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import libcst as cst

from flake8_nnx_rng.codemod.envs.references import is_own
from flake8_nnx_rng.codemod.envs.rows import Rows
from flake8_nnx_rng.codemod.keys.faults import Form, Site
from flake8_nnx_rng.codemod.refusal import RefusedError
from flake8_nnx_rng.codemod.text.bindings import is_binding
from flake8_nnx_rng.codemod.text.names import names_in
from flake8_nnx_rng.codemod.text.presence import Presence, constructors, presence
from flake8_nnx_rng.codemod.text.sheet import Sheet
from flake8_nnx_rng.codemod.text.structure import assigning
from flake8_nnx_rng.codemod.text.tree import Tree, all_parameters
from flake8_nnx_rng.interpreter import Advanced, Audit, Drew
from flake8_nnx_rng.interpreter.values import Instance, Stream
from flake8_nnx_rng.knowledge.keys import PREFIX
from flake8_nnx_rng.knowledge.layers import KEY_ARGUMENT
from flake8_nnx_rng.knowledge.streams import (
    ADVANCE_METHODS,
    RNGS,
    STREAM_TYPES,
    is_stream_name,
)
from flake8_nnx_rng.project import ClassInfo

_OWN = re.compile(r"self(\.[A-Za-z_]\w*)+")
RNGS_ATTRIBUTE = "rngs"
_ROOT = re.compile(r"self\.[A-Za-z_]\w*")
_INDEXED = re.compile(r"self(\.[A-Za-z_]\w*|\[\d+\])+")


@dataclass(frozen=True)
class Seed:
    """Where the first keys come from.

    Attributes:
        text: An expression for a key.
        note: What is to be said about it.
        kept: The constructor's parameter that has to be kept for it.
    """

    text: str
    note: str = ""
    kept: cst.Param | None = None


def seed_of(sites: Sequence[Site], audit: Audit, rows: Rows, jax: str) -> Seed:
    """The best there is: what was drawn from, or what the class holds, or is built with.

    Keys and constants that it drew with come last.
    """
    texts = (
        *_drawn_from(sites, audit.cls, rows),
        *_streams(audit),
        *_held(audit.cls, rows),
        *_of_layers(audit),
    )
    for text in texts:
        return Seed(_present(text, audit.cls, rows, jax))
    given = _given(audit.cls, rows)
    constants = list(_constants(sites, audit.cls, rows))
    if constants and (given is None or not _is_constant(constants[0])):
        return Seed(constants[0])
    if given is not None:
        return Seed(f"self.{given.name.value}()", kept=given)
    if constants:
        return Seed(constants[0])
    note = "the class holds no stream: its keys start from a constant"
    return Seed(f"{jax}.random.key(0)", note)


def _present(text: str, cls: ClassInfo, rows: Rows, jax: str) -> str:
    """An expression for a key also where nothing was kept, and so nothing is drawn."""
    root = _ROOT.match(text)
    if root is None:
        return text
    attribute = root.group()
    match presence(attribute, cls, rows.tree, rows.references.hierarchy):
        case Presence.DOUBTFUL:
            raise RefusedError(f"`{attribute}` may not be there when its keys start")
        case Presence.OPTIONAL:
            return f"{text} if {attribute} is not None else {jax}.random.key(0)"
        case Presence.CERTAIN:
            return text


def keep(parameter: cst.Param, cls: ClassInfo, tree: Tree, sheet: Sheet) -> None:
    """Keeps what a constructor is given."""
    constructor = cls.method("__init__")
    assert constructor is not None
    assert isinstance(constructor.body, cst.IndentedBlock)
    end = tree.span(constructor.body.body[-1])[1]
    indentation = tree.indentation(tree.span(constructor.body.body[0])[0])
    name = parameter.name.value
    at = tree.line_end(end)
    sheet.insert(at, f"{indentation}self.{name} = {name}\n")


def _given(cls: ClassInfo, rows: Rows) -> cst.Param | None:
    """The stream that the class's own constructor is given."""
    constructor = cls.method("__init__")
    if constructor is None or not isinstance(constructor.body, cst.IndentedBlock):
        return None
    if not rows.tree.holds(constructor):
        return None
    names = {a.attr.value for a in rows.tree.walk(cls.node, cst.Attribute) if is_own(a)}
    for parameter in all_parameters(constructor):
        if _is_stream(parameter, rows) and parameter.name.value not in names:
            return parameter
    return None


def _is_stream(parameter: cst.Param, rows: Rows) -> bool:
    if parameter.annotation is not None:
        named = rows.tree.canonical(parameter.annotation.annotation)
        if named in STREAM_TYPES:
            return True
    return is_stream_name(parameter.name.value)


def _is_constant(text: str) -> bool:
    return not text.startswith("self.")


def _of_layers(audit: Audit) -> Iterator[str]:
    """The streams of layers that draw by themselves, of which they were built with one."""
    for event in audit.events():
        if not isinstance(event, Drew) or event.layer is None or not event.layer.is_built:
            continue
        own = f"{event.layer.path}.{RNGS_ATTRIBUTE}"
        path = getattr(event.source, "path", None)
        if event.layer.arguments.get(KEY_ARGUMENT) and path == own and _INDEXED.fullmatch(own):
            yield f"{own}()"


def _drawn_from(sites: Sequence[Site], cls: ClassInfo, rows: Rows) -> Iterator[str]:
    """What the sites draw from, where it can be told from anywhere in the class."""
    for site in sites:
        node = site.node
        if not isinstance(node, cst.Call) or site.form not in (Form.KEY, Form.METHOD):
            continue
        if rows.tree.canonical(node.func):
            continue
        text = rows.tree.code(node)
        if site.form is Form.METHOD:
            assert isinstance(node.func, cst.Attribute)
            node = node.func.value
            text = f"{rows.tree.code(node)}()"
        parts = {attribute.attr.value for attribute in rows.tree.walk(node, cst.Attribute)}
        is_moved = parts & ADVANCE_METHODS or any(
            rows.tree.canonical(call.func)
            for call in rows.tree.walk(node, cst.Call)
            if not rows.tree.canonical(call.func).startswith("builtins.")
        )
        if not is_moved and _is_seen_everywhere(site.node, node, cls, rows):
            yield text


def _is_seen_everywhere(place: cst.CSTNode, node: cst.CSTNode, cls: ClassInfo, rows: Rows) -> bool:
    """Whether all names in an expression mean the same in every method of the class."""
    tree = rows.tree
    function = tree.function(place)
    around = tree.around(place, cst.ClassDef)
    mro = rows.references.hierarchy.mro(cls)
    if around is None or tree.class_of(around) not in mro:
        return "self" not in names_in(node) and function is None
    local: set[str] = set()
    while function is not None:
        local.update(p.name.value for p in all_parameters(function))
        local.update(n.value for n in tree.walk(function.body, cst.Name) if is_binding(n, tree))
        function = tree.function(function)
    loads = {n.value for n in tree.walk(node, cst.Name) if not _is_attribute_name(n, rows)}
    return not (loads - {"self"}) & local


def _is_attribute_name(node: cst.Name, rows: Rows) -> bool:
    parent = rows.tree.parent(node)
    return isinstance(parent, cst.Attribute) and parent.attr is node


def _streams(audit: Audit) -> Iterator[str]:
    """The held streams that were drawn from or moved, by the interpreter's names for them."""
    events = sorted(audit.events(), key=lambda event: not isinstance(event, Drew))
    for event in events:
        source = getattr(event, "source", None)
        if isinstance(event, (Drew, Advanced)) and isinstance(source, Stream):
            if event.__class__ is Drew and getattr(event, "layer", None) is not None:
                continue
            if source.path is not None and _OWN.fullmatch(source.path):
                yield f"{source.path}()"
        elif isinstance(source, Instance):
            continue


def _held(cls: ClassInfo, rows: Rows) -> Iterator[str]:
    """The streams that the constructor keeps."""
    for constructor in constructors(cls, rows.tree, rows.references.hierarchy):
        typed = {p.name.value for p in all_parameters(constructor) if _is_stream(p, rows)}
        for node in rows.tree.own(constructor, cst.Assign):
            target, value = node.targets[0].target, node.value
            if not (isinstance(target, cst.Attribute) and _OWN.fullmatch(rows.tree.code(target))):
                continue
            if isinstance(value, cst.Name) and value.value in typed:
                yield f"{rows.tree.code(target)}()"
            elif isinstance(value, cst.Call) and rows.tree.canonical(value.func) == RNGS:
                name = _first_stream(value)
                yield f"{rows.tree.code(target)}{name}()"


def _first_stream(made: cst.Call) -> str:
    """The stream of `nnx.Rngs(...)` that is certain to be there."""
    for arg in made.args:
        if arg.keyword is None or arg.keyword.value == "default":
            return ""
        return f".{arg.keyword.value}"
    return ""


def _constants(sites: Sequence[Site], cls: ClassInfo, rows: Rows) -> Iterator[str]:
    """The keys that the sites draw with: constants, or what the class or file holds."""
    for site in sites:
        node = site.node
        if site.form is Form.METHOD and isinstance(node, cst.Call):
            assert isinstance(node.func, cst.Attribute)
            node = node.func.value
            if rows.tree.canonical(node) or isinstance(node, cst.Name):
                yield f"{rows.tree.code(node)}()"
                continue
        if site.form in (Form.KEY, Form.METHOD) and _is_seen_everywhere(site.node, node, cls, rows):
            text = rows.tree.code(node) + ("[...]" if _is_variable(node, cls, rows) else "")
            clocks = [c for c in rows.tree.walk(node, cst.Call) if _is_clock(c, rows)]
            if not clocks:
                yield text if _is_key(node, site, rows) else f"{text}()"


def _is_variable(node: cst.BaseExpression, cls: ClassInfo, rows: Rows) -> bool:
    """Whether an attribute is not the key itself but a variable that holds it."""
    tree = rows.tree
    if not is_own(node):
        return False
    return any(
        isinstance(assign.value, cst.Call)
        and tree.canonical(assign.value.func).startswith("flax.nnx.")
        for constructor in constructors(cls, tree, rows.references.hierarchy)
        for assign in assigning(tree.code(node), constructor, tree)
    )


def _is_key(node: cst.BaseExpression, site: Site, rows: Rows) -> bool:
    if site.form is Form.METHOD:
        return False
    is_stream = isinstance(node, cst.Call) and rows.tree.canonical(node.func) in STREAM_TYPES
    return not is_stream


def _is_clock(call: cst.Call, rows: Rows) -> bool:
    name = rows.tree.canonical(call.func)
    return bool(name) and not name.startswith(PREFIX) and name not in STREAM_TYPES
