"""What takes a key for the whole batch, written so that it takes one for each env."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import libcst as cst

from flake8_nnx_rng.codemod.envs.kinds import Kind as Rowed
from flake8_nnx_rng.codemod.envs.loops import argument_at, is_number, loop_of
from flake8_nnx_rng.codemod.envs.per_env import PerEnv, SharedError, arguments_of
from flake8_nnx_rng.codemod.keys.threads import Weaver
from flake8_nnx_rng.codemod.refusal import RefusedError
from flake8_nnx_rng.codemod.text.bindings import loads
from flake8_nnx_rng.codemod.text.names import fresh, names_in
from flake8_nnx_rng.codemod.text.structure import assigning
from flake8_nnx_rng.codemod.text.tree import all_parameters
from flake8_nnx_rng.knowledge.keys import KEY_PARAMETERS, PREFIX
from flake8_nnx_rng.knowledge.signatures import SHAPE

SHARED = "its envs shared one draw, and draw apart now"
_ITERATING = frozenset({"builtins.zip", "builtins.enumerate", "builtins.list", "builtins.iter"})


@dataclass(eq=False)
class Consumers:
    """Writes draws, splits and folds whose key is of one env now.

    Attributes:
        per_env: Writes draws per env.
        weaver: Knows which functions are called with the row of one env.
        notes: What else is different in the end.
    """

    per_env: PerEnv
    weaver: Weaver
    notes: dict[str, None]

    def consume(self, call: cst.Call) -> None:
        """Writes a call that takes a key."""
        name = self.weaver.tree.canonical(call.func)
        if not name.startswith(PREFIX):
            self._sample(call)
            return
        name = name.removeprefix(PREFIX)
        key, others = key_and_others(call)
        keys = self._text(key)
        if name == "split":
            self._split(call, keys, others)
        elif name == "fold_in":
            self._fold_in(call, keys, others)
        else:
            self.draw(call, name, self._text(call.func), others, keys)

    def draw(
        self, node: cst.Call, name: str, function: str, args: Iterable[cst.Arg], keys: str
    ) -> None:
        """Writes a draw, given its function and the arguments behind the key."""
        arguments = arguments_of(name, list(args))
        try:
            self._replace(node, self.per_env.draw(function, arguments, keys))
        except SharedError:
            if not all(_fits_rows(a.value) for a in arguments if a.parameter == SHAPE):
                raise
            rest = [self._text(arg) for arg in args]
            self.lift(node, lambda k: f"{function}({', '.join([k, *rest])})", keys)

    def lift(self, node: cst.Call, written: Callable[[str], str], keys: str) -> None:
        """Maps what a draw goes into, where all envs shared the draw."""
        around = self.per_env.around(node)
        self._replace(around, self.per_env.mapped(around, node, written, keys))
        self.notes[SHARED] = None

    def _sample(self, call: cst.Call) -> None:
        key = named_argument(call, KEY_PARAMETERS)
        if key is None:
            raise RefusedError(
                f"`{self.per_env.short(call.func)}` draws in a way that is not known"
            )
        keys = self._text(key)
        self._replace(call, self.per_env.mapped(call, key, lambda k: k, keys))

    def _split(self, call: cst.Call, keys: str, others: list[cst.Arg]) -> None:
        count = others[0].value if others else None
        kind = Rowed.FIXED if count is None else self.per_env.rows.kind(count)
        if kind in (Rowed.SIZE, Rowed.SHAPE):
            self._replace(call, keys)
            return
        one = fresh("k", names_in(*others))
        given = ", ".join([one, *(self._text(arg) for arg in others)])
        split = self._text(call.func)
        if kind is Rowed.FIXED and self._is_gone_through(call):
            mapped = f"lambda {one}: {split}({given}), out_axes=1"
            self._replace(call, f"{self.per_env.jax}.vmap({mapped})({keys})")
            return
        if kind is not Rowed.FIXED or not self._is_taken_apart(call):
            raise RefusedError("it is not certain how many keys are split off for an env")
        self._replace(
            call, f"{self.per_env.jax}.vmap(lambda {one}: tuple({split}({given})))({keys})"
        )

    def _is_gone_through(self, node: cst.BaseExpression) -> bool:
        """Whether a loop of JAX uses several keys one by one."""
        tree, parent = self.weaver.tree, self.weaver.tree.parent(node)
        match parent:
            case cst.Assign(targets):
                function, target = tree.function(node), targets[0].target
                if not isinstance(target, cst.Name) or function is None or len(targets) > 1:
                    return False
                uses = list(loads(function, target.value, tree))
                return bool(uses) and all(self._is_gone_through(use) for use in uses)
            case cst.Element():
                outer = tree.parent(parent)
                return isinstance(outer, cst.Tuple) and self._is_gone_through(outer)
            case cst.Subscript(value, [cst.SubscriptElement(cst.Index(index))]) if value is node:
                return not isinstance(index, cst.Integer) and is_number(index, tree)
            case cst.Arg():
                call = tree.parent(parent)
                loop = loop_of(call, tree)
                is_scan = loop is not None and loop.has_outputs and isinstance(call, cst.Call)
                return is_scan and argument_at(call, 2, tree) is node  # type: ignore[arg-type]
            case _:
                return False

    def _is_taken_apart(self, node: cst.BaseExpression) -> bool:
        """Whether several keys are used one by one."""
        parent = self.weaver.tree.parent(node)
        match parent:
            case cst.Assign(targets):
                target = targets[0].target
                if isinstance(target, (cst.Tuple, cst.List)):
                    return True
                function = self.weaver.tree.function(node)
                if not isinstance(target, cst.Name) or function is None:
                    return False
                uses = list(loads(function, target.value, self.weaver.tree))
                return bool(uses) and all(self._is_taken_apart(use) for use in uses)
            case cst.Subscript(value, [cst.SubscriptElement(cst.Index(cst.Integer()))]):
                return value is node
            case cst.For(iter=source) | cst.CompFor(iter=source):
                return source is node
            case cst.StarredElement():
                return True
            case cst.Arg():
                call = self.weaver.tree.parent(parent)
                return (
                    isinstance(call, cst.Call)
                    and self.weaver.tree.canonical(call.func) in _ITERATING
                )
            case _:
                return False

    def _fold_in(self, call: cst.Call, keys: str, others: list[cst.Arg]) -> None:
        data = others[0].value
        if self.weaver.is_row(call):
            self._fold_in_row(call, keys, data)
            return
        kind = self.per_env.rows.kind(data)
        if kind in (Rowed.ROWS, Rowed.TREE) and "arange" in names_in(*self.weaver.entries):
            raise RefusedError("a row's number may be folded into its key")
        function = self._text(call.func)
        if kind in (Rowed.ROWS, Rowed.TREE):
            self._replace(call, f"{self.per_env.jax}.vmap({function})({keys}, {self._text(data)})")
        elif kind is Rowed.FIXED and self._is_of_module(data):
            self._replace(call, keys)
        elif kind is Rowed.FIXED:
            one = fresh("k", names_in(data))
            folded = f"{function}({one}, {self._text(data)})"
            self._replace(call, f"{self.per_env.jax}.vmap(lambda {one}: {folded})({keys})")
        else:
            raise RefusedError("it is not certain what is folded into a key for an env")

    def _fold_in_row(self, call: cst.Call, keys: str, data: cst.BaseExpression) -> None:
        """A number of the row would be another one in a minibatch; its key is its own."""
        if isinstance(data, cst.Name) and self._reads_from_outside(call):
            self._replace(self._mapped_alone(call), keys)
        elif isinstance(data, cst.Name):
            self._replace(call, keys)
        elif not isinstance(data, cst.Integer):
            raise RefusedError("it is not certain what is folded into a key for an env")

    def _reads_from_outside(self, call: cst.Call) -> bool:
        """Whether a mapped function takes no part in bringing a key to a call in it."""
        key, _ = key_and_others(call)
        function = self.weaver.tree.function(call)
        is_given = self._text(key) != self.weaver.tree.code(key)
        if is_given or not isinstance(key, cst.Name) or function is None:
            return False
        return key.value not in {p.name.value for p in all_parameters(function)} and not any(
            assigning(key.value, function, self.weaver.tree)
        )

    def _mapped_alone(self, call: cst.Call) -> cst.BaseExpression:
        """The call of a map over a lambda that does nothing but fold in."""
        tree = self.weaver.tree
        function = tree.function(call)
        arg = None if function is None else tree.parent(function)
        mapping = None if arg is None else tree.parent(arg)
        made = None if mapping is None else tree.parent(mapping)
        if (
            isinstance(function, cst.Lambda)
            and function.body is call
            and isinstance(mapping, cst.Call)
            and isinstance(made, cst.Call)
            and made.func is mapping
        ):
            return made
        raise RefusedError("a mapped function reads keys from outside of it")

    def folds(self, call: cst.Call) -> bool:
        """Whether a call folds something into a key."""
        return self.weaver.tree.canonical(call.func) == f"{PREFIX}fold_in"

    def _is_of_module(self, node: cst.BaseExpression) -> bool:
        names = {n.value for n in self.weaver.tree.walk(node, cst.Name)}
        return "self" in names

    def _text(self, node: cst.CSTNode) -> str:
        return self.per_env.text(node)

    def _replace(self, node: cst.CSTNode, text: str) -> None:
        self.per_env.sheet.replace(*self.weaver.tree.span(node), text)


def _fits_rows(shape: cst.BaseExpression) -> bool:
    """Whether noise of a shape goes onto a row as it went onto all of them."""
    return isinstance(shape, cst.Tuple) and len(shape.elements) <= 1


def key_and_others(call: cst.Call) -> tuple[cst.BaseExpression, list[cst.Arg]]:
    """The key of a function of `jax.random`, and its other arguments."""
    for arg in call.args:
        if arg.keyword is not None and arg.keyword.value in KEY_PARAMETERS:
            return arg.value, [one for one in call.args if one is not arg]
    if not call.args or call.args[0].keyword is not None or call.args[0].star:
        raise RefusedError("a draw takes its key from a list of arguments")
    return call.args[0].value, list(call.args[1:])


def named_argument(call: cst.Call, names: Iterable[str]) -> cst.BaseExpression | None:
    """The argument that a call gives by one of some keywords."""
    for arg in call.args:
        if arg.keyword is not None and arg.keyword.value in names:
            return arg.value
    return None
