"""What each kind of expression means."""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from flake8_nnx_rng.interpreter import (
    attributes,
    calls,
    containers,
    key_arrays,
    names,
    operators,
    tests,
)
from flake8_nnx_rng.interpreter.assignment import assign
from flake8_nnx_rng.interpreter.engine import Expression, Interpreter
from flake8_nnx_rng.interpreter.frames import Frame
from flake8_nnx_rng.interpreter.loops import MAX_UNROLLED
from flake8_nnx_rng.interpreter.marks import marks
from flake8_nnx_rng.interpreter.rounds import going_over
from flake8_nnx_rng.interpreter.values import (
    NONE,
    Bag,
    Const,
    Items,
    Key,
    Opaque,
    Table,
    Value,
    blur,
    taint_of,
)


def _name(it: Interpreter, node: cst.Name) -> Value:
    return names.read_name(it, node.value)


def _attribute(it: Interpreter, node: cst.Attribute) -> Value:
    name = node.attr.value
    return it.each(it.evaluate(node.value), lambda v: attributes.attribute(it, v, name, node))


def _call(it: Interpreter, node: cst.Call) -> Value:
    return calls.call_expression(it, node)


def _subscript(it: Interpreter, node: cst.Subscript) -> Value:
    base = it.evaluate(node.value)
    indices = [_index(it, element.slice) for element in node.slice]
    index = indices[0] if len(indices) == 1 else blur(*map(_given, indices))

    def taken(value: Value) -> Value:
        if isinstance(value, Key) and len(indices) > 1:
            return key_arrays.along_axes(value, indices)
        given = _given(index)
        made = it.special(value, "__getitem__", (given,), node)
        return containers.item(value, index) if made is None else made

    return it.each(base, taken)


def _index(it: Interpreter, node: cst.BaseSlice) -> Value | slice:
    """An index or slice; a bound that is no literal stands in it as the value that it is."""
    if isinstance(node, cst.Index):
        return it.evaluate(node.value)
    assert isinstance(node, cst.Slice)
    bounds = [
        None if bound is None else it.evaluate(bound)
        for bound in (node.lower, node.upper, node.step)
    ]
    return slice(*(bound.value if isinstance(bound, Const) else bound for bound in bounds))


def _given(index: Value | slice) -> Value:
    """What `__getitem__` is given, as far as it is known."""
    return Opaque() if isinstance(index, slice) else index


def _elements(it: Interpreter, node: cst.Tuple | cst.List | cst.Set) -> Value:
    items: list[Value] = []
    starred: list[Value] = []
    for element in node.elements:
        value = it.evaluate(element.value)
        if not isinstance(element, cst.StarredElement):
            items.append(value)
        elif (known := containers.known_items(value)) is not None:
            items.extend(known)
        else:
            starred.append(containers.element(value))
    if starred or isinstance(node, cst.Set):
        return containers.bag([*items, *starred])
    return Items(tuple(items))


def _dict(it: Interpreter, node: cst.Dict) -> Value:
    items: dict[object, Value] = {}
    table = Table(())
    for element in node.elements:
        value = it.evaluate(element.value)
        key = it.evaluate(element.key) if isinstance(element, cst.DictElement) else None
        if isinstance(key, Const):  # there may be thousands
            items[key.value] = value
            continue
        table, items = containers.with_all(table, Table(tuple(items.items()))), {}
        if key is None:
            table = containers.with_all(table, value)
        else:
            table = containers.with_item(table, key, value)
    return containers.with_all(table, Table(tuple(items.items())))


def _lambda(it: Interpreter, node: cst.Lambda) -> Value:
    return it.closure(node)


def _if_expression(it: Interpreter, node: cst.IfExp) -> Value:
    return tests.choose(
        it, node.test, lambda: it.evaluate(node.body), lambda: it.evaluate(node.orelse)
    )


def _boolean(it: Interpreter, node: cst.BooleanOperation) -> Value:
    left = it.evaluate(node.left)
    wanted = isinstance(node.operator, cst.And)
    truth = tests.truth(left)
    if truth is not None:
        return it.evaluate(node.right) if truth is wanted else left

    def right() -> Value:
        with it.under(node.left, wanted):
            return it.evaluate(node.right)

    return it.branch([lambda: left, right])


def _not(it: Interpreter, node: cst.UnaryOperation) -> Value:
    value = it.evaluate(node.expression)
    if isinstance(node.operator, cst.Not):
        truth = tests.truth(value)
        return blur(value) if truth is None else Const(not truth)
    if isinstance(node.operator, cst.Minus) and isinstance(value, Const):
        number = value.value
        if isinstance(number, (int, float)):
            return Const(-number)
    return blur(value)


def _comparison(it: Interpreter, node: cst.Comparison) -> Value:
    left = it.evaluate(node.left)
    rights = [it.evaluate(target.comparator) for target in node.comparisons]
    if len(rights) == 1:
        decided = tests.compare(node.comparisons[0].operator, left, rights[0])
        if decided is not None:
            return Const(decided)
    return blur(left, *rights)


def _binary(it: Interpreter, node: cst.BinaryOperation) -> Value:
    # A sum of a thousand terms is a thousand levels deep on its left: walk it, do not recurse.
    spine: list[cst.BinaryOperation] = []
    current: cst.BaseExpression = node
    while isinstance(current, cst.BinaryOperation):
        spine.append(current)
        current = current.left
    value = it.evaluate(current)
    for operation in reversed(spine):
        right = it.evaluate(operation.right)
        name = operators.BINARY.get(type(operation.operator))
        value = operators.operate(it, name, value, right, operation)
    return value


def _named(it: Interpreter, node: cst.NamedExpr) -> Value:
    value = it.evaluate(node.value)
    frames = it.frames
    inner = []
    while frames[-1].is_comprehension:  # binds in the function around it
        inner.append(frames.pop())
    assign(it, node.target, value)
    frames.extend(reversed(inner))
    return value


def _comprehension(
    it: Interpreter, node: cst.ListComp | cst.SetComp | cst.GeneratorExp | cst.DictComp
) -> Value:
    outer = it.frame
    frame = Frame(
        it.identity_here(node),
        outer.scope,
        outer.visible,
        receiver=outer.receiver,
        owner=outer.owner,
        anchor=outer.anchor,
        is_traced=outer.is_traced,
        is_comprehension=True,
    )
    it.frames.append(frame)
    try:
        return _produce(it, node, node.for_in)
    finally:
        it.frames.pop()


def _produce(it: Interpreter, node: cst.BaseComp, clause: cst.CompFor | None) -> Value:
    if clause is None:
        if isinstance(node, cst.DictComp):
            return containers.with_item(Table(()), it.evaluate(node.key), it.evaluate(node.value))
        assert isinstance(node, (cst.ListComp, cst.SetComp, cst.GeneratorExp))
        return Bag(it.evaluate(node.elt))
    source = it.evaluate(clause.iter)
    items = containers.known_items(source)
    if items is None or clause.inner_for_in is not None or clause.ifs or len(items) > MAX_UNROLLED:
        element = it.iterate(source, clause)
        assign(it, clause.target, element)
        for test in clause.ifs:
            tests.decide(it, test.test)
        with it.repeating(taint_of(source)), going_over(it, element) as begin:
            begin()
            used = marks(it)
            made_by_one = _produce(it, node, clause.inner_for_in)
            if marks(it) == used:  # else the next round may use the same keys again
                return made_by_one
            begin()
            return _produce(it, node, clause.inner_for_in)
    made: list[Value] = []
    for number, item in enumerate(items):
        assign(it, clause.target, item)
        with it.round(number):
            made.append(_produce(it, node, None))
    return _gather(node, made)


def _gather(node: cst.BaseComp, made: Sequence[Value]) -> Value:
    if isinstance(node, cst.DictComp):
        return containers.table_of(made)
    return Items(tuple(containers.element(one) for one in made))


def _literal(it: Interpreter, node: cst.CSTNode) -> Value:
    assert isinstance(node, (cst.SimpleString, cst.Integer, cst.Float))
    return Const(node.evaluated_value)


def _ellipsis(it: Interpreter, node: cst.Ellipsis) -> Value:
    return key_arrays.ELLIPSIS


def _concatenated(it: Interpreter, node: cst.ConcatenatedString) -> Value:
    value = node.evaluated_value
    if value is not None:
        return Const(value)
    return blur(it.evaluate(node.left), it.evaluate(node.right))


def _formatted(it: Interpreter, node: cst.FormattedString) -> Value:
    return blur(
        *(
            it.evaluate(part.expression)
            for part in node.parts
            if isinstance(part, cst.FormattedStringExpression)
        )
    )


def _await(it: Interpreter, node: cst.Await) -> Value:
    return it.evaluate(node.expression)


def _yield(it: Interpreter, node: cst.Yield) -> Value:
    if isinstance(node.value, cst.From):
        it.frame.yielded.append(containers.element(it.evaluate(node.value.item)))
    else:
        it.frame.yielded.append(NONE if node.value is None else it.evaluate(node.value))
    return Opaque()


EXPRESSIONS: dict[type[cst.CSTNode], Expression] = {
    cst.Name: _name,
    cst.Attribute: _attribute,
    cst.Call: _call,
    cst.Subscript: _subscript,
    cst.Tuple: _elements,
    cst.List: _elements,
    cst.Set: _elements,
    cst.Dict: _dict,
    cst.Lambda: _lambda,
    cst.IfExp: _if_expression,
    cst.BooleanOperation: _boolean,
    cst.UnaryOperation: _not,
    cst.Comparison: _comparison,
    cst.BinaryOperation: _binary,
    cst.NamedExpr: _named,
    cst.ListComp: _comprehension,
    cst.SetComp: _comprehension,
    cst.GeneratorExp: _comprehension,
    cst.DictComp: _comprehension,
    cst.SimpleString: _literal,
    cst.Integer: _literal,
    cst.Float: _literal,
    cst.Ellipsis: _ellipsis,
    cst.ConcatenatedString: _concatenated,
    cst.FormattedString: _formatted,
    cst.Await: _await,
    cst.Yield: _yield,
}
