"""The blocks of a function in which keys are made, and what the keys are called."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import libcst as cst

from flake8_nnx_rng.codemod.envs.loops import number_in
from flake8_nnx_rng.codemod.keys.needs import Folded, Loop, Need, Opening
from flake8_nnx_rng.codemod.refusal import RefusedError
from flake8_nnx_rng.codemod.text.names import fresh
from flake8_nnx_rng.codemod.text.tree import AnyFunction, Tree

PARAMETER, LOOP, USE = ("key", "use"), ("loop_key",), ("use",)


@dataclass(eq=False)
class KeyBlocks:
    """The blocks of a function, a loop in it being a block of its own that goes on with a key."""

    tree: Tree
    function: AnyFunction
    taken: set[str]
    is_row: bool
    openings: list[Opening] = field(default_factory=list)
    folded: dict[cst.CSTNode, Folded] = field(default_factory=dict)

    def flat(
        self, needs: Sequence[Need], hint: tuple[str, ...]
    ) -> dict[cst.CSTNode, tuple[str, ...]]:
        """Names for keys that are all made at once."""
        if any(self._loops(need.node) for need in needs):
            raise RefusedError("a lambda draws in a loop")
        found = {need.node: self._names(need, hint) for need in needs}
        for node in found:
            self._fold(node)
        return found

    def parameter(self, needs: Sequence[Need]) -> str:
        """The name of the key that the function takes."""
        if len(needs) == 1 and not self._loops(needs[0].node):
            match needs[0].names:
                case (str(name),):
                    return name
        return self._fresh(PARAMETER)

    def opened(
        self, needs: Sequence[Need], carry: str | None
    ) -> dict[cst.CSTNode, tuple[str, ...]]:
        """Names for the keys of a function that has a key to split, or to use as it is."""
        found: dict[cst.CSTNode, tuple[str, ...]] = {}
        self._open(self.function, needs, carry, 0, found)
        return found

    def _open(
        self,
        block: AnyFunction | Loop,
        needs: Sequence[Need],
        carry: str | None,
        depth: int,
        found: dict[cst.CSTNode, tuple[str, ...]],
    ) -> None:
        names: list[str] = []
        inner: dict[Loop, list[Need]] = {}
        for need in needs:
            loops = self._loops(need.node)
            if len(loops) > depth:
                inner.setdefault(loops[depth], []).append(need)
        direct = [need for need in needs if len(self._loops(need.node)) == depth]
        is_loop = isinstance(block, (cst.For, cst.While))
        is_whole = not is_loop and carry is not None
        if is_whole and carry and len(direct) + len(inner) == 1:
            if direct and len(direct[0].names) == 1:  # the key is used as it came
                found[direct[0].node] = (carry,)
                self._fold(direct[0].node)
                return
            if inner:
                loop, below = next(iter(inner.items()))
                self._open(loop, below, carry, depth + 1, found)
                return
        for need in direct:
            found[need.node] = self._names(need, USE)
            names.extend(found[need.node])
            self._fold(need.node)
        for loop, below in inner.items():
            name = self._fresh(LOOP)
            names.append(name)
            self._open(loop, below, name, depth + 1, found)
        self.openings.append(Opening(block, carry, tuple(names), is_loop, self.is_row))

    def _names(self, need: Need, hint: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(self._fresh(hint) if name is None else name for name in need.names)

    def _fresh(self, hints: tuple[str, ...]) -> str:
        free = (hint for hint in hints if hint not in self.taken)
        name = next(free, fresh(hints[0], self.taken))
        self.taken.add(name)
        return name

    def _loops(self, node: cst.CSTNode) -> list[Loop]:
        """The loops of the function around a place, the outermost first."""
        loops: list[Loop] = []
        below = node
        for above in self.tree.above(node):
            if above is self.function:
                break
            if isinstance(above, (cst.For, cst.While)):
                if below is above.body:
                    loops.insert(0, above)
                elif isinstance(above, cst.While) and below is above.test:
                    raise RefusedError("it draws in the test of a loop")
            if isinstance(above, (cst.FunctionDef, cst.Lambda)) and loops:
                raise RefusedError("a function that is handed on draws in a loop")
            below = above
        return loops

    def _fold_round(self, node: cst.CSTNode, function: AnyFunction) -> None:
        """Notes the loop of JAX whose body a place stands in."""
        number = number_in(function, self.tree)
        if number is None:
            return
        if node in self.folded:
            raise RefusedError("it draws in a loop within a loop")
        self.folded[node] = Folded(function, number)

    def _fold(self, node: cst.CSTNode) -> None:
        """Notes the comprehension that a place is in, if it is in one."""
        below = node
        for above in self.tree.above(node):
            if above is self.function:
                return
            if isinstance(above, (cst.FunctionDef, cst.Lambda)):
                self._fold_round(node, above)
            if isinstance(above, cst.BaseComp) and below is not above.for_in:
                if node in self.folded or above.for_in.inner_for_in is not None:
                    raise RefusedError("it draws in a loop within a loop")
                known = [f for f in self.folded.values() if f.clause is above.for_in]
                index = known[0].index if known else self._fresh(("i", "j"))
                self.folded[node] = Folded(above.for_in, index)
            elif isinstance(above, cst.CompFor) and below is not above.iter:
                raise RefusedError("it draws in the test of a comprehension")
            below = above
