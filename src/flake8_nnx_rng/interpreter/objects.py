"""Objects of the project's classes, `super()`, and records such as `StatefulModuleOutput`."""

from __future__ import annotations

import libcst as cst

from flake8_nnx_rng.interpreter import attributes, containers
from flake8_nnx_rng.interpreter.engine import Interpreter
from flake8_nnx_rng.interpreter.handlers import Handler
from flake8_nnx_rng.interpreter.values import (
    NONE,
    Arguments,
    Class,
    Instance,
    Opaque,
    Record,
    Super,
    Table,
    Value,
    blur,
    options,
)
from flake8_nnx_rng.knowledge import library
from flake8_nnx_rng.project import ClassInfo


def construct(it: Interpreter, cls: ClassInfo, arguments: Arguments, node: cst.CSTNode) -> Value:
    """`Cls(...)`: a record if it is plain data, else an object whose constructor has run."""
    initializer = attributes.member(it, cls, "__init__")
    names = data_fields(it, cls)
    if initializer is None and names and not it.hierarchy.is_module(cls):
        return record(cls.name, names, arguments)
    instance = Instance(cls, it.identity(cls, node, it.frame.identity))
    if initializer is not None:
        it.call(attributes.bind(it, initializer, instance, node), arguments, node)
    for name, value in zip(names, arguments.positional, strict=False):
        if initializer is None:
            it.write_attribute(instance.ref, name, value)
    if initializer is None:
        for name, value in arguments.keywords:
            it.write_attribute(instance.ref, name, value)
    return instance


def record(name: str, fields: list[str], arguments: Arguments) -> Record:
    """A record with its fields given by position and by keyword."""
    given = dict(zip(fields, arguments.positional, strict=False)) | dict(arguments.keywords)
    missing: Value = NONE if arguments.rest is None else arguments.rest
    return Record(name, tuple((field, given.get(field, missing)) for field in fields))


def data_fields(it: Interpreter, cls: ClassInfo) -> list[str]:
    """The annotated fields of a dataclass or NamedTuple, base classes first."""
    fields: dict[str, None] = {}
    for ancestor in reversed(it.hierarchy.mro(cls)):
        if isinstance(ancestor, ClassInfo):
            for statement in ancestor.node.body.body:
                if isinstance(statement, cst.SimpleStatementLine):
                    for small in statement.body:
                        if isinstance(small, cst.AnnAssign) and isinstance(small.target, cst.Name):
                            fields[small.target.value] = None
    return list(fields)


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
    return record(library.OUTPUT, list(library.OUTPUT_FIELDS), arguments)


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
