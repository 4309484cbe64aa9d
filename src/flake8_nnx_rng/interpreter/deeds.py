"""What may become of a key or a stream in a call."""

from __future__ import annotations

from dataclasses import dataclass

from flake8_nnx_rng.interpreter.events import Site, Use
from flake8_nnx_rng.interpreter.values import Value


@dataclass(frozen=True, slots=True)
class Made:
    """A key was made in a call, under a name that an earlier round of a loop may have used."""

    array: str


@dataclass(frozen=True, slots=True)
class Moved:
    """A held stream moved on in a call, this many times."""

    path: str
    times: int = 1


@dataclass(frozen=True, slots=True)
class Used:
    """A key was used in a call; the alternatives are what the key may be."""

    site: Site
    keys: tuple[Value, ...]
    use: Use


@dataclass(frozen=True, slots=True)
class Replaced:
    """A held place was given another key in a call; the alternatives are what that may be."""

    path: str
    keys: tuple[Value, ...]


Deed = Made | Moved | Used | Replaced
