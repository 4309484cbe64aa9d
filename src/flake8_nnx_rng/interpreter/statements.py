"""What each kind of statement does to the store."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import libcst as cst

from flake8_nnx_rng.interpreter import containers, declared, names, operators, tests
from flake8_nnx_rng.interpreter.assignment import assign
from flake8_nnx_rng.interpreter.engine import OBJECTS_VERSION, Interpreter, LoopExits, Statement
from flake8_nnx_rng.interpreter.events import Returned
from flake8_nnx_rng.interpreter.joins import Store, join_stores, widen
from flake8_nnx_rng.interpreter.values import (
    NONE,
    Bag,
    Class,
    External,
    Items,
    Opaque,
    Table,
    Value,
    blur,
)
from flake8_nnx_rng.knowledge import library
from flake8_nnx_rng.project import ExternalSymbol
from flake8_nnx_rng.project.scopes import imported_names

PATIENCE = 4
"""Rounds after which values that still grow in a loop are blurred."""

MAX_ROUNDS = 12

STRUCTURES = (cst.MatchMapping, cst.MatchSequence, cst.MatchClass)
"""Patterns that look inside their subject."""

MAX_UNROLLED = 40
"""Items of a known collection that a loop takes one at a time."""


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
        it.emit(Returned(it.site(node), value))
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
            it.write((it.frame.identity, name), External(library.canonical(symbol.name)))


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


def _for(it: Interpreter, node: cst.For) -> None:
    collection = it.evaluate(node.iter)
    items = containers.known_items(collection)
    if items is not None and len(items) <= MAX_UNROLLED:
        _unrolled(it, node, items)
    else:
        element = it.iterate(collection, node)

        def once() -> None:
            assign(it, node.target, element)
            it.execute(node.body.body)

        _loop(it, once)
    _or_else(it, node.orelse)


def _unrolled(it: Interpreter, node: cst.For, items: tuple[Value, ...]) -> None:
    """Runs the body for one item after the other, as often as Python would."""
    exits = LoopExits()
    it.frame.loops.append(exits)
    for item in items:
        if it.store is None:
            break
        assign(it, node.target, item)
        it.execute(node.body.body)
        it.store = join_stores(it.store, exits.continues)
        exits.continues = None
    it.frame.loops.pop()
    it.store = join_stores(it.store, exits.breaks)


def _while(it: Interpreter, node: cst.While) -> None:
    def once() -> None:
        it.evaluate(node.test)
        it.execute(node.body.body)

    if tests.decide(it, node.test) is not False:
        _loop(it, once)
    _or_else(it, node.orelse)


def _loop(it: Interpreter, once: Callable[[], None]) -> None:
    """Runs a body any number of times, until nothing changes any more."""
    exits = LoopExits()
    it.frame.loops.append(exits)
    for round_number in range(MAX_ROUNDS):
        before = it.store
        it.store = None if before is None else dict(before)
        once()
        after = join_stores(join_stores(before, it.store), exits.continues)
        if round_number >= PATIENCE and after is not None:
            after = {place: widen(value) for place, value in after.items()}
        it.store = after
        if _variables(after) == _variables(before):
            break
    it.frame.loops.pop()
    it.store = join_stores(it.store, exits.breaks)


def _variables(store: Store | None) -> Store | None:
    """A state without its version, which counts the rounds of a loop that writes attributes."""
    if store is None:
        return None
    return {place: value for place, value in store.items() if place != OBJECTS_VERSION}


def _or_else(it: Interpreter, orelse: cst.Else | None) -> None:
    if orelse is not None:
        it.execute(orelse.body.body)


def _try(it: Interpreter, node: cst.Try | cst.TryStar) -> None:
    before: Store | None = None if it.store is None else dict(it.store)
    it.execute(node.body.body)
    raised = join_stores(before, it.store)
    _or_else(it, node.orelse)
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


def _match(it: Interpreter, node: cst.Match) -> None:
    subject = it.evaluate(node.subject)

    def arm(case: cst.MatchCase) -> Callable[[], Value]:
        def run() -> Value:
            if isinstance(case.pattern, cst.MatchAs) and case.pattern.pattern is None:
                if case.pattern.name is not None:
                    assign(it, case.pattern.name, subject)
            elif (items := _matched_items(case.pattern, subject)) is not None:
                for name, item in items:
                    assign(it, name, item)
            else:
                for name in _captured(case.pattern):
                    assign(it, name, blur(subject))
            if case.guard is not None:
                it.evaluate(case.guard)
            it.execute(case.body.body)
            return NONE

        return run

    cases = [case for case in node.cases if _may_match(case, subject)]
    certain = next((i for i, case in enumerate(cases) if _must_match(case, subject)), None)
    if certain is None:
        it.branch([*map(arm, cases), lambda: NONE])
    else:
        it.branch([arm(case) for case in cases[: certain + 1]])


def _matched_items(
    pattern: cst.MatchPattern, subject: Value
) -> list[tuple[cst.Name, Value]] | None:
    """The names and items of `case (a, b)` for a subject of known length, or None."""
    items = containers.known_items(subject)
    if items is None or not isinstance(pattern, (cst.MatchTuple, cst.MatchList)):
        return None
    names = [
        element.value
        for element in pattern.patterns
        if isinstance(element, cst.MatchSequenceElement)
    ]
    captured = [
        n.name for n in names if isinstance(n, cst.MatchAs) and n.pattern is None and n.name
    ]
    if len(captured) != len(pattern.patterns) or len(captured) != len(items):
        return None
    return list(zip(captured, items, strict=True))


def _may_match(case: cst.MatchCase, subject: Value) -> bool:
    """Whether a case can be reached: `case None` only by what may be None, a structure by more."""
    if _is_none_pattern(case.pattern):
        return tests.is_none(subject) is not False
    return not (isinstance(case.pattern, STRUCTURES) and tests.is_none(subject) is True)


def _must_match(case: cst.MatchCase, subject: Value) -> bool:
    """Whether no later case can be reached."""
    if case.guard is not None:
        return False
    if _is_none_pattern(case.pattern):
        return tests.is_none(subject) is True
    if isinstance(case.pattern, STRUCTURES):  # whoever asks for the extras' parts has emitted them
        return tests.is_fed_back(subject)
    return isinstance(case.pattern, cst.MatchAs) and case.pattern.pattern is None


def _is_none_pattern(pattern: cst.MatchPattern) -> bool:
    return isinstance(pattern, cst.MatchSingleton) and pattern.value.value == "None"


def _captured(pattern: cst.CSTNode) -> Iterable[cst.Name]:
    if isinstance(pattern, (cst.MatchAs, cst.MatchStar)) and pattern.name is not None:
        yield pattern.name
    for child in pattern.children:
        if not isinstance(child, (cst.Name, cst.Attribute)):
            yield from _captured(child)


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
    cst.For: _for,
    cst.While: _while,
    cst.Try: _try,
    cst.TryStar: _try,
    cst.With: _with,
    cst.Match: _match,
}
