"""What each kind of statement does to the store."""

from __future__ import annotations

import libcst as cst

from flake8_nnx_rng.interpreter import declared, names, operators, tests, uses
from flake8_nnx_rng.interpreter.assignment import assign
from flake8_nnx_rng.interpreter.engine import Interpreter, Statement
from flake8_nnx_rng.interpreter.joins import Store, join_stores
from flake8_nnx_rng.interpreter.loops import or_else, run_for, run_while
from flake8_nnx_rng.interpreter.matching import run_match
from flake8_nnx_rng.interpreter.values import (
    NONE,
    Bag,
    Class,
    Items,
    Opaque,
    Table,
    Value,
)
from flake8_nnx_rng.project import ExternalSymbol
from flake8_nnx_rng.project.scopes import imported_names


def _line(it: Interpreter, node: cst.SimpleStatementLine | cst.SimpleStatementSuite) -> None:
    it.execute(node.body)


def _expression(it: Interpreter, node: cst.Expr) -> None:
    it.evaluate(node.value)


def _assign(it: Interpreter, node: cst.Assign) -> None:
    value = it.evaluate(node.value)
    for target in node.targets:
        assign(it, target.target, value)


def _annotated_assign(it: Interpreter, node: cst.AnnAssign) -> None:
    if node.value is not None:
        value = it.evaluate(node.value)
        declared_type = node.annotation.annotation
        assign(it, node.target, declared.refine(value, declared_type, it.frame.scope, "value"))


def _augmented_assign(it: Interpreter, node: cst.AugAssign) -> None:
    before, operand = it.evaluate(node.target), it.evaluate(node.value)
    name = operators.AUGMENTED.get(type(node.operator))
    value = operators.operate(it, name, before, operand, node)
    assign(it, node.target, value)
    if isinstance(before, (Items, Bag, Table)):  # changed in place, under every name
        it.replace_object(before, value)


def _return(it: Interpreter, node: cst.Return) -> None:
    value = NONE if node.value is None else it.evaluate(node.value)
    frame = it.frame
    frame.returned.append(value)
    if it.in_entry_point:
        it.emit(uses.returned(it, it.site(node), value))
    if it.store is not None:
        frame.exits.append(it.store)
    it.store = None


def _raise(it: Interpreter, node: cst.Raise) -> None:
    if node.exc is not None:
        it.evaluate(node.exc)
    it.store = None


def _assert(it: Interpreter, node: cst.Assert) -> None:
    it.evaluate(node.test)


def _break(it: Interpreter, node: cst.Break) -> None:
    if it.frame.loops:
        exits = it.frame.loops[-1]
        exits.breaks = join_stores(exits.breaks, it.store)
    it.store = None


def _continue(it: Interpreter, node: cst.Continue) -> None:
    if it.frame.loops:
        exits = it.frame.loops[-1]
        exits.continues = join_stores(exits.continues, it.store)
    it.store = None


def _redirect(it: Interpreter, node: cst.Global | cst.Nonlocal) -> None:
    frame = it.frame
    for name in (item.name.value for item in node.names):
        holders = [i for i in frame.outer if it.read((i, name)) is not None]
        if isinstance(node, cst.Global):
            frame.global_names.add(name)
            frame.redirected[name] = 0
        else:
            frame.redirected[name] = holders[0] if holders else frame.identity


def _import(it: Interpreter, node: cst.Import | cst.ImportFrom) -> None:
    for name, symbols in imported_names(node).items():
        symbol = symbols[0]
        if isinstance(symbol, ExternalSymbol):
            value = names.imported(it, symbol.name, it.frame.scope.file)
            it.write((it.frame.identity, name), value)


def _function(it: Interpreter, node: cst.FunctionDef) -> None:
    value: Value = it.closure(node)
    for decorator in reversed(node.decorators):
        value = names.wrapped(it, it.evaluate(decorator.decorator), value, decorator)
    it.write((it.frame.identity, node.name.value), value)


def _class(it: Interpreter, node: cst.ClassDef) -> None:
    info = it.frame.scope.file.class_of(node)
    it.write((it.frame.identity, node.name.value), Class(info))


def _if(it: Interpreter, node: cst.If) -> None:
    def then() -> Value:
        it.execute(node.body.body)
        return NONE

    def otherwise() -> Value:
        if isinstance(node.orelse, cst.If):
            _if(it, node.orelse)
        elif node.orelse is not None:
            it.execute(node.orelse.body.body)
        return NONE

    tests.choose(it, node.test, then, otherwise)


def _try(it: Interpreter, node: cst.Try | cst.TryStar) -> None:
    before: Store | None = None if it.store is None else dict(it.store)
    it.execute(node.body.body)
    raised = join_stores(before, it.store)
    or_else(it, node.orelse)
    after = it.store
    for handler in node.handlers:
        it.store = None if raised is None else dict(raised)
        if handler.name is not None:
            assign(it, handler.name.name, Opaque())
        it.execute(handler.body.body)
        after = join_stores(after, it.store)
    it.store = after
    if node.finalbody is not None:
        if it.store is None:  # every path returned or raised, and still runs the final block
            it.store = raised
            it.execute(node.finalbody.body.body)
            it.store = None
        else:
            it.execute(node.finalbody.body.body)


def _with(it: Interpreter, node: cst.With) -> None:
    for item in node.items:
        value = _entered(it, it.evaluate(item.item), item)
        if item.asname is not None:
            assign(it, item.asname.name, value)
    it.execute(node.body.body)


def _entered(it: Interpreter, manager: Value, node: cst.CSTNode) -> Value:
    """What `with manager as name` binds."""
    if isinstance(manager, Bag):  # a generator under contextlib.contextmanager
        return manager.element
    return it.special(manager, "__enter__", (), node) or manager


STATEMENTS: dict[type[cst.CSTNode], Statement] = {
    cst.SimpleStatementLine: _line,
    cst.SimpleStatementSuite: _line,
    cst.Expr: _expression,
    cst.Assign: _assign,
    cst.AnnAssign: _annotated_assign,
    cst.AugAssign: _augmented_assign,
    cst.Return: _return,
    cst.Raise: _raise,
    cst.Assert: _assert,
    cst.Break: _break,
    cst.Continue: _continue,
    cst.Global: _redirect,
    cst.Nonlocal: _redirect,
    cst.Import: _import,
    cst.ImportFrom: _import,
    cst.FunctionDef: _function,
    cst.ClassDef: _class,
    cst.If: _if,
    cst.For: run_for,
    cst.While: run_while,
    cst.Try: _try,
    cst.TryStar: _try,
    cst.With: _with,
    cst.Match: run_match,
}
