"""Where the key of a draw comes from, the first that applies."""

from __future__ import annotations

from enum import Enum, auto

from flake8_nnx_rng.interpreter.taint import (
    Drawn,
    Fixed,
    Held,
    Host,
    Taint,
    held_paths,
    is_threaded,
)
from flake8_nnx_rng.interpreter.values import Stream, Value, taint_of

OWN = "self."
"""How the places begin that the module holds."""


class Origin(Enum):
    """The one origin by which a draw is judged."""

    THREADED = auto()  # the carry, the input or the extras flow in: both passes see the same
    GIVEN_OUT = auto()  # a held stream gave it out, and is reported there
    HOST = auto()  # the host drew it, and is reported there
    FIXED = auto()  # made from a constant in the pass
    HELD = auto()  # kept by the module or the file
    UNKNOWN = auto()


_KINDS = (
    (Drawn, Origin.GIVEN_OUT),
    (Host, Origin.HOST),
    (Fixed, Origin.FIXED),
    (Held, Origin.HELD),
)


def origin_of(taint: Taint) -> Origin:
    """The origin of a key with this taint."""
    if is_threaded(taint):
        return Origin.THREADED
    for kind, origin in _KINDS:
        if any(isinstance(source, kind) for source in taint):
            return origin
    return Origin.UNKNOWN


def held_place(source: Value) -> str | None:
    """Where the class-level stream or key is held that a value is or comes from, or None."""
    taint = taint_of(source)
    if is_threaded(taint):
        return None
    if isinstance(source, Stream) and source.path is not None:
        return source.path
    if origin_of(taint) is not Origin.HELD:
        return None
    path = getattr(source, "path", None)
    return path if isinstance(path, str) else held_paths(taint)[0]
