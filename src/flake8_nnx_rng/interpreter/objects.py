"""Objects of the project's classes, `super()`, and records such as `StatefulModuleOutput`."""

from __future__ import annotations

from dataclasses import replace

import libcst as cst

from flake8_nnx_rng.interpreter import containers, inheritance, names
from flake8_nnx_rng.interpreter.engine import Interpreter
from flake8_nnx_rng.interpreter.joins import join
from flake8_nnx_rng.interpreter.library.handlers import Handler
from flake8_nnx_rng.interpreter.values import (
    NONE,
    Arguments,
    Class,
    External,
    Instance,
    Opaque,
    Record,
    Super,
    Table,
    Value,
    blur,
    options,
)
from flake8_nnx_rng.knowledge import library, streams
from flake8_nnx_rng.project import ClassInfo, LibraryClass, Scope

POST_INIT = "__post_init__"


def construct(it: Interpreter, cls: ClassInfo, arguments: Arguments, node: cst.CSTNode) -> Value:
    """`Cls(...)`: a record if it is plain data, else an object whose constructor has run."""
    library_bases = [c.name for c in it.hierarchy.mro(cls) if isinstance(c, LibraryClass)]
    if any(name in streams.VARIABLE_TYPES for name in library_bases):
        return it.call(External(streams.VARIABLE), arguments, node)
    initializer = inheritance.member(it, cls, "__init__")
    fields = data_fields(it, cls)
    is_data = not it.hierarchy.is_module(cls) and not it.hierarchy.defines(cls, POST_INIT)
    if initializer is None and fields and is_data:
        return replace(record(it, cls.name, fields, arguments), cls=cls)
    instance = Instance(cls, it.identity_here(cls, node))
    if initializer is not None:
        it.call(inheritance.bind(it, initializer, instance, node), arguments, node)
        return instance
    if fields:
        for name, value in record(it, cls.name, fields, arguments).fields:
            it.write_attribute(instance.ref, name, value)
    elif (part := inheritance.library_layer(it, cls)) is not None:
        it.write_attribute(
            instance.ref, inheritance.LIBRARY_PART, it.call(External(part), arguments, node)
        )
    finish(it, instance, node)
    return instance


def finish(it: Interpreter, instance: Instance, node: cst.CSTNode) -> None:
    """Runs what a dataclass runs after its own constructor."""
    if it.hierarchy.defines(instance.cls, POST_INIT):
        it.call(it.attribute(it, instance, POST_INIT, node), Arguments(), node)


def record(
    it: Interpreter,
    name: str,
    fields: dict[str, tuple[cst.BaseExpression, Scope] | None],
    arguments: Arguments,
) -> Record:
    """A record with its fields given by position, by keyword or by default."""
    given = dict(zip(fields, arguments.positional, strict=False)) | dict(arguments.keywords)

    def value_of(field: str) -> Value:
        if field in given:
            return given[field]
        default = fields[field]
        if default is None:
            return arguments.rest or NONE
        value = names.in_scope(it, *default)
        return value if arguments.rest is None else join(value, arguments.rest)

    return Record(name, tuple((field, value_of(field)) for field in fields))


def data_fields(
    it: Interpreter, cls: ClassInfo
) -> dict[str, tuple[cst.BaseExpression, Scope] | None]:
    """The annotated fields of a dataclass or NamedTuple and their defaults, base classes first."""
    fields: dict[str, tuple[cst.BaseExpression, Scope] | None] = {}
    for ancestor in reversed(it.hierarchy.mro(cls)):
        if isinstance(ancestor, ClassInfo):
            for statement in ancestor.node.body.body:
                if isinstance(statement, cst.SimpleStatementLine):
                    for small in statement.body:
                        if isinstance(small, cst.AnnAssign) and isinstance(small.target, cst.Name):
                            default = small.value
                            fields[small.target.value] = (
                                None if default is None else (default, ancestor.scope)
                            )
    return fields


def super_object(it: Interpreter, node: cst.Call) -> Value:
    """`super()` or `super(Cls, self)` in the call in progress."""
    owner, receiver = it.frame.owner, it.frame.receiver
    if len(node.args) == 2:
        named = it.evaluate(node.args[0].value)
        owner = named.info if isinstance(named, Class) else owner
        receiver = it.evaluate(node.args[1].value)
    if isinstance(receiver, Instance) and owner is not None:
        return Super(receiver, owner)
    return Opaque()


def _output(it: Interpreter, arguments: Arguments, node: cst.CSTNode) -> Value:
    return record(it, library.OUTPUT, dict.fromkeys(library.OUTPUT_FIELDS), arguments)


def _replace(it: Interpreter, arguments: Arguments, node: cst.CSTNode) -> Value:
    """`dataclasses.replace(record, field=value)`."""

    def changed(value: Value) -> Value:
        if isinstance(value, Record):
            return containers.with_fields(value, arguments)
        return blur(value, *(v for _, v in arguments.keywords))

    return it.each(arguments.get("obj", 0) or Opaque(), changed)


def _as_dict(it: Interpreter, arguments: Arguments, node: cst.CSTNode) -> Value:
    for option in options(arguments.get("obj", 0) or Opaque()):
        if isinstance(option, Record):
            return Table(tuple(option.fields))
    return blur(*arguments.values())


HANDLERS: dict[str, Handler] = {
    library.OUTPUT: _output,
    "dataclasses.replace": _replace,
    "copy.replace": _replace,
    "dataclasses.asdict": _as_dict,
}
