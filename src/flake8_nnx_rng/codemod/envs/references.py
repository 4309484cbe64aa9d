"""Every place that names a function of the project."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import libcst as cst

from flake8_nnx_rng.codemod.envs.axes import map_named
from flake8_nnx_rng.codemod.text.tree import AnyFunction, Tree, is_decorated, parameters_of
from flake8_nnx_rng.interpreter.functions import ENTRY
from flake8_nnx_rng.knowledge.functions import MAPS
from flake8_nnx_rng.knowledge.streams import is_stream_name
from flake8_nnx_rng.project import (
    ClassInfo,
    ClassSymbol,
    ExpressionSymbol,
    ExternalSymbol,
    FunctionSymbol,
    Hierarchy,
    Scope,
    Symbol,
    dotted_names,
    imported,
    lookup,
)

_COMPILED = frozenset({"jax.jit", "jax.checkpoint", "jax.remat", "flax.nnx.jit", "flax.nnx.remat"})
"""Functions that return a function which is called as the one that they are given."""

RECEIVERS = frozenset({"self", "cls"})


@dataclass(frozen=True)
class Reference:
    """A place that names a function.

    Attributes:
        node: The name, or the lambda itself where it has none.
        call: The call of it, if that is what the place is.
        mapping: What maps it over rows, such as `jax.vmap(f)`, or its decorator `jax.vmap`.
    """

    node: cst.BaseExpression
    call: cst.Call | None
    mapping: cst.BaseExpression | None = None

    @property
    def is_mapped(self) -> bool:
        """Whether it is called with the row of one env."""
        return self.mapping is not None


@dataclass(eq=False)
class References:
    """Finds the places that name a function.

    Attributes:
        tree: The file.
        hierarchy: Knows which classes are related.
    """

    tree: Tree
    hierarchy: Hierarchy

    def of(self, function: AnyFunction) -> list[Reference]:
        """All places of the file, in order."""
        mapping = self.mapping_of(function)
        return [self._used(node, mapping) for node in self._named(function)]

    def mapping_of(self, function: AnyFunction) -> cst.BaseExpression | None:
        """The decorator that maps a function over rows, `partial(jax.vmap, ...)` included."""
        for decorator in function.decorators if isinstance(function, cst.FunctionDef) else ():
            if map_named(decorator.decorator, self.tree):
                return decorator.decorator
        return None

    def owner(self, function: AnyFunction) -> ClassInfo | None:
        """The class whose method a function is."""
        if not isinstance(function, cst.FunctionDef):
            return None
        above = (
            next(
                a
                for a in self.tree.above(function)
                if isinstance(a, (cst.ClassDef, cst.FunctionDef))
            )
            if self.tree.around(function, cst.ClassDef)
            else None
        )
        return self.tree.class_of(above) if isinstance(above, cst.ClassDef) else None

    def is_bound(self, function: AnyFunction) -> bool:
        """Whether its first argument is the object that it is called of."""
        if self.owner(function) is None or not isinstance(function, cst.FunctionDef):
            return False
        return not is_decorated(function, "staticmethod")

    def _named(self, function: AnyFunction) -> Iterator[cst.BaseExpression]:
        owner = self.owner(function)
        if owner is not None and self._is_call_of_objects(function, owner):
            yield from self._objects(owner)
        elif owner is not None and isinstance(function, cst.FunctionDef):
            for node in self._attributes(function.name.value, owner):
                if is_own(node) or self._may_call(node, function):
                    yield node
        elif isinstance(function, cst.FunctionDef):
            yield from self._names(function.name.value, function)
        else:
            yield from self._of_lambda(function)

    def _is_call_of_objects(self, function: AnyFunction, owner: ClassInfo) -> bool:
        """Whether it is what calling an object of a class does, other than a `StatefulModule`."""
        is_call = isinstance(function, cst.FunctionDef) and function.name.value == ENTRY
        return is_call and not self.hierarchy.is_stateful(owner)

    def _objects(self, owner: ClassInfo) -> Iterator[cst.BaseExpression]:
        """The places that name an object of a class, if all of them are held as attributes.

        Where one may be elsewhere, the class itself is such a place.
        """
        for name in self.tree.every(cst.Name):
            if name.value != owner.node.name.value or not self._is_class(name, owner):
                continue
            made = self.tree.parent(name)
            assign = self.tree.parent(made) if isinstance(made, cst.Call) else None
            target = assign.targets[0].target if isinstance(assign, cst.Assign) else None
            around = self.tree.around(name, cst.ClassDef)
            if around is None or not isinstance(target, cst.Attribute) or not is_own(target):
                yield name
                continue
            for node in self._attributes(target.attr.value, self.tree.class_of(around)):
                parent = self.tree.parent(node)
                is_part = isinstance(parent, cst.Attribute) and parent.value is node
                if node is not target and not is_part:
                    yield node

    def _is_class(self, name: cst.Name, owner: ClassInfo) -> bool:
        parent = self.tree.parent(name)
        if parent is owner.node:
            return False
        found = lookup(name.value, self.tree.scope(name))
        symbols = found[0] if found is not None else ()
        return any(isinstance(s, ClassSymbol) and s.node is owner.node for s in symbols)

    def _of_lambda(self, function: cst.Lambda) -> Iterator[cst.BaseExpression]:
        parent = self.tree.parent(function)
        target = parent.targets[0].target if isinstance(parent, cst.Assign) else None
        if isinstance(target, cst.Name):
            yield from self._names(target.value, function)
        elif isinstance(target, cst.Attribute) and is_own(target):
            around = self.tree.around(function, cst.ClassDef)
            if around is not None:
                owner = self.tree.class_of(around)
                found = self._attributes(target.attr.value, owner)
                yield from (node for node in found if node is not target)
        else:
            yield function

    def _attributes(self, name: str, owner: ClassInfo) -> Iterator[cst.Attribute]:
        """`self.name` in the class and its relatives, and `other.name` anywhere."""
        for node in self.tree.every(cst.Attribute):
            if node.attr.value != name or isinstance(node.value, (cst.Attribute, cst.Subscript)):
                continue
            if is_own(node) or _is_super(node.value):
                around = self.tree.around(node, cst.ClassDef)
                if around is None or not self._related(self.tree.class_of(around), owner):
                    continue
            elif self.tree.canonical(node) or _is_stream(node.value):
                continue
            yield node

    def _may_call(self, node: cst.Attribute, function: cst.FunctionDef) -> bool:
        """Whether `other.name(...)` gives a method what it has to be given."""
        call = self.tree.parent(node)
        if not isinstance(call, cst.Call) or call.func is not node:
            return True
        if any(arg.star for arg in call.args) or _is_super(node.value):
            return True
        ordered = parameters_of(function)[1:]
        given = {arg.keyword.value for arg in call.args if arg.keyword is not None}
        behind = ordered[len(call.args) - len(given) :]
        return all(p.default is not None or p.name.value in given for p in behind)

    def _related(self, one: ClassInfo, other: ClassInfo) -> bool:
        mro = self.hierarchy.mro
        return one in mro(other) or other in mro(one)

    def _names(self, name: str, function: AnyFunction) -> Iterator[cst.Name | cst.Attribute]:
        """The name of a function, also as other files import it."""
        names = {name} | {
            alias.asname.name.value
            for alias in self.tree.every(cst.ImportAlias)
            if alias.asname is not None and isinstance(alias.asname.name, cst.Name)
        }
        for node in self.tree.every(cst.Name):
            parent = self.tree.parent(node)
            if isinstance(parent, cst.Attribute) and parent.attr is node:
                if node.value == name and stands_for(parent, function, self.tree.scope(node)):
                    yield parent
            elif node.value not in names or _is_label(node, parent):
                continue
            elif stands_for(node, function, self.tree.scope(node)):
                yield node

    def _used(self, node: cst.BaseExpression, mapped: cst.BaseExpression | None) -> Reference:
        parent = self.tree.parent(node)
        if isinstance(parent, cst.Call) and parent.func is node:
            return Reference(node, parent, mapped)
        if isinstance(parent, cst.Arg):
            mapping = self.tree.parent(parent)
            if not isinstance(mapping, cst.Call) or mapping.args[0] is not parent:
                return Reference(node, None)
            name, call = self.tree.canonical(mapping.func), self.tree.parent(mapping)
            is_plain = name in MAPS or (name in _COMPILED and len(mapping.args) == 1)
            if is_plain and isinstance(call, cst.Call) and call.func is mapping:
                if name not in MAPS:
                    return Reference(node, call, mapped)
                return Reference(node, call, mapping) if mapped is None else Reference(node, None)
        return Reference(node, None)


def stands_for(
    node: cst.Name | cst.Attribute, definition: AnyFunction | cst.ClassDef, scope: Scope
) -> bool:
    """Whether a name stands for a function or class, which may be one of another file."""
    symbols: list[Symbol] = []
    if isinstance(node, cst.Attribute):
        symbols += [symbol for symbol, _ in dotted_names(node, scope)]
    elif (found := lookup(node.value, scope)) is not None:
        symbols += found[0]
    for symbol in list(symbols):
        if isinstance(symbol, ExternalSymbol):
            symbols += [one for one, _ in imported(symbol.name, scope)]
    kinds = (ClassSymbol, FunctionSymbol, ExpressionSymbol)
    return any(isinstance(one, kinds) and one.node is definition for one in symbols)


def _is_label(node: cst.Name, parent: cst.CSTNode) -> bool:
    """Whether a name is bound or is that of an argument, so that it stands for nothing."""
    if isinstance(parent, cst.Arg):
        return parent.keyword is node
    return isinstance(
        parent, (cst.FunctionDef, cst.Param, cst.AssignTarget, cst.ClassDef, cst.ImportAlias)
    )


def is_own(node: cst.BaseExpression) -> bool:
    """Whether an expression is an attribute of the object itself."""
    return (
        isinstance(node, cst.Attribute)
        and isinstance(node.value, cst.Name)
        and node.value.value in RECEIVERS
    )


def _is_stream(node: cst.BaseExpression) -> bool:
    """Whether a name is one that streams have, so that its attributes are streams or draws."""
    return isinstance(node, cst.Name) and is_stream_name(node.value)


def _is_super(node: cst.BaseExpression) -> bool:
    return (
        isinstance(node, cst.Call)
        and isinstance(node.func, cst.Name)
        and node.func.value == "super"
    )


def argument_for(
    function: AnyFunction, parameter: cst.Param, call: cst.Call, is_bound: bool
) -> cst.BaseExpression | None:
    """What a call passes for a parameter, or None if it leaves it out or it cannot be told."""
    name = parameter.name.value
    for one in call.args:
        if one.keyword is not None and one.keyword.value == name:
            return one.value
    ordered = parameters_of(function)
    if parameter not in ordered:
        return None
    index = ordered.index(parameter) - is_bound
    positional = [one for one in call.args if one.keyword is None]
    if any(one.star for one in positional[: index + 1]):
        return None
    return positional[index].value if 0 <= index < len(positional) else None
