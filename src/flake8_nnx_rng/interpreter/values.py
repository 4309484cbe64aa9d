"""Abstract values: all that the interpreter knows about what an expression may be.

Values are immutable and compared by content, so that loops can be run to a fixpoint.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import libcst as cst

from flake8_nnx_rng.interpreter.regions import Region
from flake8_nnx_rng.interpreter.taint import CLEAN, Held, Taint, merge
from flake8_nnx_rng.project import ClassInfo, Scope
from flake8_nnx_rng.source import Place

MAX_CHOICES = 32
"""Alternatives that are kept apart before they are blurred into one unknown value."""


@dataclass(frozen=True, slots=True)
class Opaque:
    """Data of unknown type; `path` says where it is held, if anywhere."""

    taint: Taint = CLEAN
    path: str | None = None


@dataclass(frozen=True, slots=True)
class Const:
    """A literal."""

    value: object


@dataclass(frozen=True, slots=True)
class Key:
    """A JAX key or an array of keys.

    Attributes:
        taint: What flows into it.
        path: Where it is held or carried, while it is that key itself.
        made: What it may be if it was made in the pass or taken out of an array; nothing if that
            is not known.
        count: How many keys `split` made, if that is known.
    """

    taint: Taint = CLEAN
    path: str | None = None
    made: tuple[Region, ...] | None = None
    count: int | None = None

    @property
    def regions(self) -> tuple[Region, ...]:
        """What it may be; nothing if that is not known."""
        if self.made is not None:
            return self.made
        return () if self.path is None else (Region(self.path),)


@dataclass(frozen=True, slots=True)
class Stream:
    """An `nnx.Rngs`, or one `nnx.RngStream`.

    Attributes:
        taint: What flows in.
        path: Where it is held, if it is.
        single: Whether it is one stream.
        copied: Whether it is a copy, which moves on while what is held at the path does not.
        made: What its keys may be, if the pass made it of a key or of another stream.
    """

    taint: Taint = CLEAN
    path: str | None = None
    single: bool = False
    copied: bool = False
    made: tuple[Region, ...] = ()

    @property
    def regions(self) -> tuple[Region, ...]:
        """What its keys may be; nothing if that is not known."""
        return self.made


@dataclass(frozen=True, slots=True)
class Layer:
    """An instance of a library class, with what it was constructed from.

    `is_built` is False where only an annotation says that it is one.
    """

    name: str
    arguments: Arguments
    path: str | None = None
    is_built: bool = True


@dataclass(frozen=True, slots=True)
class Instance:
    """An object of a class of the project; its attributes live in the store under `ref`."""

    cls: ClassInfo
    ref: int
    path: str | None = None


@dataclass(frozen=True, slots=True)
class Super:
    """`super()`: members of `instance` looked up after the class `after`."""

    instance: Instance
    after: ClassInfo


@dataclass(frozen=True, slots=True)
class External:
    """A function, class or module of a library, under its canonical name."""

    name: str


@dataclass(frozen=True, slots=True)
class SourceModule:
    """A module of the project, under the name by which it was imported."""

    name: str
    place: Place


@dataclass(frozen=True, slots=True)
class Class:
    """A class of the project, as an object."""

    info: ClassInfo


@dataclass(frozen=True, slots=True)
class Function:
    """A function of the project with its closure.

    Attributes:
        node: Its definition.
        scope: The scope in which it was defined, for names that no frame holds.
        frames: The identities of the enclosing calls, innermost first.
        owner: The class in whose body it stands.
        bound: The first argument, once it is bound.
        defaults: Of its parameters, as they were when it was defined in a call.
    """

    node: cst.FunctionDef | cst.Lambda
    scope: Scope
    frames: tuple[int, ...] = ()
    owner: ClassInfo | None = None
    bound: Value | None = None
    defaults: tuple[tuple[str, Value], ...] = ()


@dataclass(frozen=True, slots=True)
class Method:
    """A method of something that is not an object of the project."""

    receiver: Value
    name: str


@dataclass(frozen=True, slots=True)
class Partial:
    """A function with some of its arguments given."""

    function: Value
    arguments: Arguments


@dataclass(frozen=True, slots=True)
class Items:
    """A tuple or list of known length."""

    items: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Bag:
    """A collection of unknown length; `element` stands for each of its items."""

    element: Value


@dataclass(frozen=True, slots=True)
class Table:
    """A dict: the literal keys, and a value for all others."""

    items: tuple[tuple[object, Value], ...]
    rest: Value | None = None

    def values(self) -> list[Value]:
        """Every value that a look-up may return."""
        return [v for _, v in self.items] + ([] if self.rest is None else [self.rest])


@dataclass(frozen=True, slots=True)
class Record:
    """An immutable object with named fields, such as a `StatefulModuleOutput`.

    Attributes:
        name: Its class.
        fields: Each with its value, in order.
        cls: Where its methods are, if its class is the project's.
    """

    name: str
    fields: tuple[tuple[str, Value], ...]
    cls: ClassInfo | None = None

    def field(self, name: str) -> Value | None:
        """The value of a field, or None if there is no such field."""
        return dict(self.fields).get(name)

    def with_values(self, values: Iterable[Value]) -> Record:
        """The same object with other values."""
        names = (name for name, _ in self.fields)
        return replace(self, fields=tuple(zip(names, values, strict=True)))


@dataclass(frozen=True, slots=True)
class Choice:
    """One of several values."""

    options: tuple[Value, ...]


Value = (
    Opaque
    | Const
    | Key
    | Stream
    | Layer
    | Instance
    | Super
    | External
    | SourceModule
    | Class
    | Function
    | Method
    | Partial
    | Items
    | Bag
    | Table
    | Record
    | Choice
)


@dataclass(frozen=True, slots=True)
class Arguments:
    """Evaluated arguments of a call; `rest` blurs what `*args` and `**kwargs` bring."""

    positional: tuple[Value, ...] = ()
    keywords: tuple[tuple[str, Value], ...] = ()
    rest: Value | None = None

    def get(self, name: str, position: int | None = None) -> Value | None:
        """The argument given by keyword or at a position, or None."""
        for keyword, value in self.keywords:
            if keyword == name:
                return value
        if position is not None and position < len(self.positional):
            return self.positional[position]
        return None

    def values(self) -> list[Value]:
        """Every argument."""
        every = [*self.positional, *(value for _, value in self.keywords)]
        return every if self.rest is None else [*every, self.rest]

    def before(self, *first: Value) -> Arguments:
        """The same call with further arguments in front."""
        return replace(self, positional=(*first, *self.positional))


NONE = Const(None)

UNKNOWN_OUTPUT = "?"
"""The name of a record that may be a `StatefulModuleOutput`, or any other data."""


def options(value: Value) -> tuple[Value, ...]:
    """The alternatives of a value; itself if there is only one."""
    return value.options if isinstance(value, Choice) else (value,)


def children(value: Value) -> Iterator[Value]:
    """The values that a value is made of."""
    match value:
        case Items(items) | Choice(items):
            yield from items
        case Bag(element):
            yield element
        case Table():
            yield from value.values()
        case Record(_, fields):
            yield from (v for _, v in fields)
        case Method(receiver, _):
            yield receiver
        case Partial(function, arguments):
            yield function
            yield from arguments.values()
        case Function(bound=bound, defaults=defaults):
            yield from (value for _, value in defaults)
            if bound is not None:
                yield bound
        case Layer(_, arguments):
            yield from arguments.values()
        case _:
            pass


def taint_of(value: Value) -> Taint:
    """Everything that flows into a value."""
    match value:
        case Opaque(taint) | Key(taint) | Stream(taint):
            return taint
        case Layer(path=str(path)) | Instance(path=str(path)):
            return frozenset({Held(path)})
        case _:
            return merge(taint_of(child) for child in children(value))


def blur(*values: Value) -> Opaque:
    """Data that depends on the given values in some unknown way."""
    return Opaque(merge(map(taint_of, values)))


def depth(value: Value) -> int:
    """How deeply containers are nested."""
    return 1 + max(map(depth, children(value)), default=0)
