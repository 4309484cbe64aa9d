"""Where a forward pass draws from what it must not draw from, in the terms of a rewrite."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from flake8_nnx_rng.codemod.keys.faults import Faults, Form, Site
from flake8_nnx_rng.codemod.refusal import RefusedError
from flake8_nnx_rng.codemod.text.reads import content_of
from flake8_nnx_rng.codemod.text.tree import Tree
from flake8_nnx_rng.interpreter import Advanced, Audit, Derived, Drew, DrewOnHost, Event, Wrote
from flake8_nnx_rng.interpreter.taint import Drawn, Fixed, Held, Host, Taint, held_paths
from flake8_nnx_rng.interpreter.values import Key, Stream, taint_of
from flake8_nnx_rng.knowledge.keys import DRAWS
from flake8_nnx_rng.knowledge.layers import CARRY_METHOD
from flake8_nnx_rng.knowledge.streams import (
    ADVANCE_FUNCTIONS,
    ADVANCE_METHODS,
)
from flake8_nnx_rng.rules import CATALOGUE

CODES = ("NNX101", "NNX102", "NNX103", "NNX104", "NNX106", "NNX107", "NNX108")
"""The rules about draws that the replay cannot repeat, and what goes with them."""

_WRITTEN = "NNX108"


def is_carry(call: cst.Call) -> bool:
    """Whether a recurrent cell is asked for its initial carry."""
    return isinstance(call.func, cst.Attribute) and call.func.attr.value == CARRY_METHOD


def breached(audit: Audit, codes: tuple[str, ...]) -> dict[cst.CSTNode, str]:
    """The places at which a class breaks some rules, each with the first code."""
    found: dict[cst.CSTNode, str] = {}
    for code in codes:
        for breach in CATALOGUE[code].check(audit):
            found.setdefault(breach.site.node, code)
    return found


def find_faults(audit: Audit, tree: Tree) -> Faults:
    """What draws in a forward pass and must not.

    Raises:
        RefusedError: Something draws in a way that has no form with a key.
    """
    return _Finder(audit, tree).find()


class _Finder:
    def __init__(self, audit: Audit, tree: Tree) -> None:
        self._tree = tree
        self._events = list(audit.events())
        self._bad = breached(audit, CODES)
        self._sites: dict[cst.CSTNode, Site] = {}
        self._gone: dict[cst.CSTNode, None] = {}
        self._marks: set[object] = set()
        self._key_paths = set(self._held_keys())
        self._paths: dict[str, None] = {}
        self._written: dict[str, None] = {}

    def find(self) -> Faults:
        for event in self._events:
            if event.site.node in self._bad:
                if not self._tree.holds(event.site.node):
                    raise RefusedError(f"it draws in {event.site.file.document.path}")
                self._add(event)
        reached = self._reached()
        for path in self._paths:
            for node in self._reads(path, reached):
                self._site(node, Form.KEY)
        for event in self._events:
            if isinstance(event, Wrote) and event.path in self._paths:
                self._gone[event.site.node] = None
            elif isinstance(event, Advanced) and self._sites and self._is_statement(event):
                self._gone[event.site.node] = None  # a sampler may do it, to no end now
        for event in self._events:
            if isinstance(event, Drew) and isinstance(event.source, Stream) and not event.layer:
                self._add_if_ours(event.site.node, event.source.taint)
        consumers = tuple(dict.fromkeys(self._consumers()))
        return Faults(
            tuple(self._sites.values()),
            consumers,
            tuple(self._gone),
            tuple(self._paths),
            tuple(node for path in self._written for node in self._reads(path, reached)),
        )

    def _is_statement(self, event: Event) -> bool:
        node = event.site.node
        return self._tree.holds(node) and isinstance(self._tree.parent(node), cst.Expr)

    def _held_keys(self) -> Iterator[str]:
        for event in self._events:
            match event:
                case Drew(_, Key(path=str(path))) | Derived(_, Key(path=str(path))):
                    yield path
                case Wrote(_, path, before, after) if isinstance(before, Key) or isinstance(
                    after, Key
                ):
                    yield path

    def _add(self, event: Event) -> None:
        node = event.site.node
        match event:
            case Drew(_, source, layer) if layer is not None:
                self._site(node, Form.LAYER)
            case Drew(_, Stream() as source):
                self._add_stream(node, source.taint)
            case Drew(_, source):
                self._add_origin(node, source.taint)
            case Advanced():
                self._add_advanced(node)
            case DrewOnHost(_, name):
                self._add_host(node, name)
            case Wrote(_, path):
                if isinstance(node, cst.Call) and self._bad[node] == _WRITTEN:
                    raise RefusedError(f"`{self._code(node)}` keeps statistics; use a Normalizer")
                self._gone[node] = None
                if self._bad[node] == _WRITTEN:
                    self._written[path] = None
            case _:
                pass

    def _add_stream(self, node: cst.CSTNode, taint: Taint) -> None:
        if not isinstance(node, cst.Call):
            raise RefusedError(f"`{self._code(node)}` draws without being a call")
        func = node.func
        if isinstance(func, cst.Attribute) and func.attr.value in DRAWS:
            self._site(node, Form.METHOD)
        elif not node.args:
            self._site(node, Form.KEY)
            self._marks.add(Drawn(node))
        elif self._tree.canonical(func).rpartition(".")[2][:1].isupper():
            raise RefusedError(f"`{self._code(node)}` is built in the forward pass; build it once")
        else:
            raise RefusedError(f"`{self._code(node)}` hands a stream on")

    def _add_origin(self, node: cst.CSTNode, taint: Taint) -> None:
        """A draw from a key that is held or constant: the key is what has to change."""
        made = [source.node for source in taint if isinstance(source, Fixed)]
        paths = [path for path in held_paths(taint) if path in self._key_paths]
        if any(isinstance(source, Drawn) for source in taint):
            return  # what gave it out is found by itself
        if not made and not paths:
            raise RefusedError(f"it is not clear which key `{self._code(node)}` draws from")
        for one in made:
            if not isinstance(one, cst.BaseExpression) or not self._tree.holds(one):
                raise RefusedError(f"it is not clear which key `{self._code(node)}` draws from")
            if self._gives_streams(one):
                raise RefusedError(f"`{self._code(one)}` gives out streams; carry them as keys")
            self._site(one, Form.KEY)
            self._marks.add(Fixed(one))
        for path in paths:
            self._paths[path] = None
            self._marks.add(Held(path))

    def _gives_streams(self, node: cst.BaseExpression) -> bool:
        """Whether what is made from a constant is asked for other streams, not for keys."""
        parent = self._tree.parent(node)
        return isinstance(parent, cst.Attribute) and parent.attr.value in ADVANCE_METHODS

    def _add_advanced(self, node: cst.CSTNode) -> None:
        self._check_advances(node)
        self._marks.add(Drawn(node))
        if isinstance(node, cst.Call) and is_carry(node):
            self._site(node, Form.LAYER)
            return
        top = self._key_chain(node)
        if top is not None:
            self._site(top, Form.KEY)
            return
        self._gone[node] = None
        name = self._bound_name(node)
        function = self._tree.function(node)
        if name is None or function is None:
            return
        for load in self._tree.walk(function.body, cst.Name):
            if load.value == name and not isinstance(self._tree.parent(load), cst.AssignTarget):
                top = self._key_chain(load)
                if top is not None:
                    self._site(top, Form.KEY)

    def _check_advances(self, node: cst.CSTNode) -> None:
        if not isinstance(node, cst.Call):
            return  # a decorator that splits streams
        name = self._tree.canonical(node.func)
        last = node.func.attr.value if isinstance(node.func, cst.Attribute) else name
        if name.rpartition(".")[2][:1].isupper():
            raise RefusedError(f"`{self._code(node)}` is built in the forward pass; build it once")
        if is_carry(node):
            return
        if name not in ADVANCE_FUNCTIONS and last not in ADVANCE_METHODS:
            raise RefusedError(f"`{self._code(node)}` hands a stream on")

    def _add_host(self, node: cst.CSTNode, name: str) -> None:
        seeds = [
            event.site.node
            for event in self._events
            if any(
                isinstance(source, Host) and source.node is node
                for source in getattr(event, "taint", ())
            )
        ]
        if not seeds:
            self._site(node, Form.HOST)
            return
        for seed in seeds:
            self._site(seed, Form.KEY)
        self._marks.update(
            source
            for event in self._events
            for source in getattr(event, "taint", ())
            if isinstance(source, Host) and source.node is node
        )

    def _key_chain(self, node: cst.CSTNode) -> cst.BaseExpression | None:
        """The key of streams that were split off, such as `streams.noise.key[...]`."""
        is_key, current = False, node
        while True:
            parent = self._tree.parent(current)
            if isinstance(parent, cst.Attribute) and parent.value is current:
                is_key |= parent.attr.value == "key"
            elif not (isinstance(parent, cst.Subscript) and parent.value is current):
                break
            current = parent
        return current if is_key and isinstance(current, cst.BaseExpression) else None

    def _bound_name(self, node: cst.CSTNode) -> str | None:
        parent = self._tree.parent(node)
        if isinstance(parent, cst.Assign) and isinstance(parent.targets[0].target, cst.Name):
            return parent.targets[0].target.value
        return None

    def _add_if_ours(self, node: cst.CSTNode, taint: Taint) -> None:
        """A draw from a stream that was made of what has to go."""
        if self._marks & taint and node not in self._sites:
            self._add_stream(node, taint)

    def _consumers(self) -> Iterator[cst.Call]:
        for event in self._events:
            if not isinstance(event, (Drew, Derived)) or isinstance(event.source, Stream):
                continue
            node = event.site.node
            if getattr(event, "layer", None) is None and self._marks & taint_of(event.source):
                if not self._tree.holds(node):
                    raise RefusedError(f"it draws in {event.site.file.document.path}")
                if isinstance(node, cst.Call):
                    yield node

    def _reached(self) -> set[cst.CSTNode]:
        """The functions on the way to what happens to keys."""
        nodes = [n for e in self._events for n in (e.site.node, *e.site.calls)]
        return {f for n in nodes if self._tree.holds(n) and (f := self._tree.function(n))}

    def _reads(self, path: str, functions: set[cst.CSTNode]) -> Iterator[cst.BaseExpression]:
        """The expressions that read a held key."""
        for function in functions:
            assert isinstance(function, (cst.FunctionDef, cst.Lambda))
            for node in self._tree.nodes(function):
                if not isinstance(node, (cst.Name, cst.Attribute)) or self._code(node) != path:
                    continue
                if isinstance(self._tree.parent(node), cst.NameItem):
                    continue  # `global KEY`
                whole = content_of(node, self._tree)
                if not self._is_target(whole):
                    yield whole

    def _is_target(self, node: cst.BaseExpression) -> bool:
        for above in self._tree.above(node):
            if isinstance(above, (cst.AssignTarget, cst.AugAssign)):
                return True
            if isinstance(above, cst.Attribute):  # self.key.set_value(...)
                return True
            if not isinstance(above, (cst.Tuple, cst.Element, cst.List)):
                return False
        return False

    def _site(self, node: cst.CSTNode, form: Form) -> None:
        if not isinstance(node, cst.BaseExpression):
            raise RefusedError("a draw is not an expression")
        self._sites.setdefault(node, Site(node, form))

    def _code(self, node: cst.CSTNode) -> str:
        return " ".join(self._tree.code(node).split())
