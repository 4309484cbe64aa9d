"""Runs pieces of code through the interpreter and shows what came out as short texts.

A value is shown as its kind, what flows into it in braces and where it is held: `key{carry}`,
`rngs@self.rngs` (held there, and nothing else flows in), `data{input, self.scale}`, `(1, key)`.
An event is shown as a sentence: `self.rngs() draws from self.rngs if flag`.
"""

from __future__ import annotations

import textwrap

import libcst as cst
import support

from flake8_nnx_rng.interpreter import (
    Advanced,
    Audit,
    CalledChild,
    Constructed,
    Derived,
    Drew,
    DrewOnHost,
    Escaped,
    Event,
    MappedOver,
    ReadPart,
    Returned,
    Reused,
    Wrote,
)
from flake8_nnx_rng.interpreter.attributes import attribute
from flake8_nnx_rng.interpreter.calls import CALLEES
from flake8_nnx_rng.interpreter.engine import Interpreter
from flake8_nnx_rng.interpreter.expressions import EXPRESSIONS
from flake8_nnx_rng.interpreter.frames import Frame
from flake8_nnx_rng.interpreter.statements import STATEMENTS
from flake8_nnx_rng.interpreter.taint import (
    Asked,
    Call,
    Carried,
    Drawn,
    Entry,
    Fixed,
    Held,
    Host,
    Learned,
    Part,
    Passed,
    Redrawn,
    Sample,
    Source,
    Spread,
    Taint,
    Taken,
)
from flake8_nnx_rng.interpreter.values import (
    Bag,
    Choice,
    Class,
    Const,
    External,
    Function,
    Instance,
    Items,
    Key,
    Layer,
    Method,
    Opaque,
    Partial,
    Record,
    SourceModule,
    Stream,
    Super,
    Table,
    Value,
)
from flake8_nnx_rng.project import Hierarchy

HEAD = """\
class M(StatefulModule):
    def __init__(self, rngs: nnx.Rngs, stream: nnx.RngStream, key: nnx.RngKey, thing, model):
        self.rngs, self.stream, self.key, self.thing = rngs, stream, key, thing
"""
"""A module with what modules hold: streams, a key, something of unknown type."""


def module(body: str, *, init: str = "", members: str = "", before: str = "") -> str:
    """The source of a module `M` with a body for `__call__(self, state, x, rollout_extras)`.

    Args:
        body: Statements of the entry point.
        init: Further statements of the constructor.
        members: Further members of the class.
        before: What stands in the file before the class.
    """
    return "\n\n".join(
        [
            _plain(before),
            HEAD + _indented(init, 8),
            _indented(members, 4),
            "    def __call__(self, state, x, rollout_extras=None):\n" + _indented(body, 8),
        ]
    )


def run(body: str, *, init: str = "", members: str = "", before: str = "") -> Audit:
    """The audit of such a module."""
    return support.audit_of(module(body, init=init, members=members, before=before), "M")


def value_of(expression: str, *, init: str = "", members: str = "", before: str = "") -> str:
    """What an expression in the entry point may be, in the rollout.

    The expression may be preceded by statements, separated from it by newlines.
    """
    *statements, last = _plain(expression).split("\n")
    body = "\n".join([*statements, f"return {last}"])
    return returned(run(body, init=init, members=members, before=before).rollout)


def returned(events: tuple[Event, ...]) -> str:
    """The values that a pass returns, in order."""
    return " / ".join(shown(event.value) for event in events if isinstance(event, Returned))


def events_in(
    body: str, *, init: str = "", members: str = "", before: str = "", replay: bool = False
) -> list[str]:
    """What happens in the rollout (or the replay) of such a module, returns aside."""
    audit = run(body, init=init, members=members, before=before)
    return told_all(audit.replay if replay else audit.rollout)


def told_all(events: tuple[Event, ...]) -> list[str]:
    """Sentences on all the events but the returns and the uses of keys."""
    return [told(event) for event in events if not isinstance(event, (Returned, Derived, Reused))]


def uses_in(body: str, *, init: str = "", members: str = "", before: str = "") -> list[str]:
    """What keys are used for again in the rollout of such a module."""
    audit = run(body, init=init, members=members, before=before)
    return [told(event) for event in audit.rollout if isinstance(event, Reused)]


def trails_in(audit: Audit) -> list[str]:
    """The ways to the events of a rollout, returns aside."""
    events = (event for event in audit.rollout if not isinstance(event, Returned))
    return [" > ".join(event.site.trail) for event in events]


def told(event: Event) -> str:
    """A sentence on an event, with the conditions under which it happens."""
    code = event.site.file.module.code_for_node(event.site.node).strip()
    return f"{code} {_deed(event)}{_conditions(event)}"


def shown(value: Value) -> str:
    """A short text for a value."""
    match value:
        case Opaque(taint, path):
            return "data" + _origin(taint, path)
        case Key(taint, path):
            return "key" + _origin(taint, path)
        case Stream(taint, path, single):
            return ("stream" if single else "rngs") + _origin(taint, path)
        case Const(literal):
            return repr(literal)
        case Layer(name, _, path):
            return name.rpartition(".")[2] + _place(path)
        case Instance(cls, _, path):
            return cls.name + _place(path)
        case Super(instance, after):
            return f"super of {shown(instance)} after {after.name}"
        case External(name):
            return name
        case SourceModule(name):
            return f"module {name}"
        case Class(info):
            return f"class {info.name}"
        case Function(node, bound=bound):
            name = node.name.value if isinstance(node, cst.FunctionDef) else "lambda"
            return f"function {name}" if bound is None else f"{shown(bound)}.{name}"
        case Method(receiver, name):
            return f"{shown(receiver)}.{name}"
        case Partial(function, arguments):
            return f"partial({', '.join(map(shown, (function, *arguments.values())))})"
        case Items(items):
            return f"({', '.join(map(shown, items))})"
        case Bag(element):
            return f"[{shown(element)}...]"
        case Table(items, rest):
            entries = [f"{key!r}: {shown(item)}" for key, item in items]
            return "{" + ", ".join(entries + ([] if rest is None else [f"**{shown(rest)}"])) + "}"
        case Record(name, fields):
            inside = ", ".join(f"{name}={shown(item)}" for name, item in fields)
            return f"{name.rpartition('.')[2]}({inside})"
        case Choice(alternatives):
            return " | ".join(sorted(map(shown, alternatives)))


def sources(taint: Taint) -> str:
    """What flows into a value, sorted."""
    return ", ".join(sorted(map(_source, taint)))


def machine(code: str) -> Interpreter:
    """An interpreter in a call whose names are those of a file."""
    file = support.parse(support.module(code))
    it = Interpreter(Hierarchy(), EXPRESSIONS, STATEMENTS, CALLEES, attribute)
    it.frames.append(Frame(it.identity("bench"), file.scope))
    return it


def node(code: str) -> cst.BaseExpression:
    """An expression, as a place."""
    return cst.parse_expression(code)


def _plain(code: str) -> str:
    return textwrap.dedent(code).strip("\n")


def _indented(code: str, spaces: int) -> str:
    return textwrap.indent(_plain(code), spaces * " ")


def _origin(taint: Taint, path: str | None) -> str:
    if path is not None and taint == {Held(path)}:
        return _place(path)
    return (f"{{{sources(taint)}}}" if taint else "") + _place(path)


def _place(path: str | None) -> str:
    return "" if path is None else f"@{path}"


def _source(source: Source) -> str:
    match source:
        case Entry() | Call():
            return source.name.lower()
        case Carried(_, spread):
            return "another env's carry" if spread is Spread.OTHER else "carry"
        case Held(path):
            return path
        case Learned(path):
            return f"learned by {path}"
        case Asked(path):
            return f"asked {path}"
        case Drawn(at):
            return f"drawn {_code(at)}"
        case Sample(at):
            return f"sample {_code(at)}"
        case Redrawn(at):
            return f"redrawn {_code(at)}"
        case Passed(at):
            return f"passed {_code(at)}"
        case Part(_, child, name):
            return f"{name} of {child}"
        case Taken(path):
            return f"taken {path}"
        case Fixed(at):
            return f"fixed {_code(at)}"
        case Host(name):
            return f"host {name}"


def _code(at: cst.CSTNode) -> str:
    return cst.Module([]).code_for_node(at)


def _deed(event: Event) -> str:
    match event:
        case Drew(_, source, layer):
            return f"draws from {_named(source)}" + ("" if layer is None else f" in {shown(layer)}")
        case MappedOver(_, key):
            return f"maps over {key.path}"
        case Derived(_, source, use):
            return f"{use.name.lower()} {_named(source)}"
        case Reused(_, key, before, use):
            uses = "/".join(sorted(one.value for one in before))
            return f"reuses {_named(key)}: {uses}, {use.value}"
        case Advanced(_, source):
            return f"advances {_named(source)}"
        case Wrote(_, path, before, after):
            return f"writes {path}: {shown(before)} -> {shown(after)}"
        case DrewOnHost(_, name):
            return f"draws on the host: {name}"
        case Constructed(_, name, taint):
            return f"constructs {name} of {{{sources(taint)}}}"
        case Escaped(_, value, callee):
            return f"hands {_named(value)} to {callee}"
        case CalledChild(_, child):
            return f"calls child {child}"
        case ReadPart():
            return "reads a part"
        case Returned(_, value):
            return f"returns {shown(value)}"


def _named(value: Value) -> str:
    path: str | None = getattr(value, "path", None)
    return shown(value) if path is None else path


def _conditions(event: Event) -> str:
    tests = [f"{'if' if arm else 'unless'} {_code(test)}" for test, arm in event.site.conditions]
    return "".join(f" {test}" for test in tests)
