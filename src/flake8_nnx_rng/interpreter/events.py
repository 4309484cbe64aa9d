"""What happens to keys and streams in a pass.

Events state facts; whether a fact is a fault is for the rules to say.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

import libcst as cst

from flake8_nnx_rng.interpreter.regions import Region
from flake8_nnx_rng.interpreter.taint import CLEAN, Taint
from flake8_nnx_rng.interpreter.values import Instance, Key, Layer, Opaque, Stream, Value
from flake8_nnx_rng.knowledge.children import Promise
from flake8_nnx_rng.project import SourceFile


@dataclass(frozen=True, slots=True)
class Site:
    """A place in the code and the way to it.

    Attributes:
        node: The expression or statement.
        file: The file that holds it.
        trail: The calls from the entry point to it, such as `("Noisy.__call__", "_perturb")`.
        conditions: The tests of the branches taken, each with the arm.
        calls: Where the calls on the way stand, the outermost first.
        anchor: The last place on the way, this one included, in the file of the audited class.
        traced: Whether the way leads through a function that JAX traces by itself.
    """

    node: cst.CSTNode
    file: SourceFile = field(repr=False)
    trail: tuple[str, ...]
    conditions: tuple[tuple[cst.CSTNode, bool], ...] = field(default=(), repr=False)
    calls: tuple[cst.CSTNode, ...] = field(default=(), repr=False)
    anchor: cst.CSTNode | None = field(default=None, repr=False)
    traced: bool = field(default=False, repr=False)


@dataclass(frozen=True, slots=True)
class Drew:
    """Random numbers, or a key, were drawn.

    Attributes:
        site: Where.
        source: The stream or key that was drawn from.
        layer: The library layer that drew by itself, or None if the code did.
        shared: Whether it is known that all envs get the same numbers.
        is_batched: Whether it was mapped, so that many draws were made as one.
    """

    site: Site
    source: Stream | Key | Opaque
    layer: Layer | None = None
    shared: bool = False
    is_batched: bool = False


class Use(Enum):
    """What a key was used for."""

    DRAWN = "drawn from"
    SPLIT = "split"
    FOLDED = "folded into"


@dataclass(frozen=True, slots=True)
class Derived:
    """Another key was made of a key.

    Attributes:
        site: Where.
        source: The key that was split or folded into.
        use: Which of the two.
        given: What flows into the number that was folded in, or of keys.
    """

    site: Site
    source: Key | Opaque
    use: Use
    given: Taint = CLEAN


@dataclass(frozen=True, slots=True)
class MappedOver:
    """A map went over the key of a single env, as if it were one of all envs.

    Attributes:
        site: Where the mapped function is called.
        key: The carried key.
    """

    site: Site
    key: Key


@dataclass(frozen=True, slots=True)
class Reused:
    """A key was used that had been used before on the same path.

    Attributes:
        site: Where it is used again.
        key: The key.
        before: What it had been used for.
        use: What it is used for now.
    """

    site: Site
    key: Value
    before: frozenset[Use]
    use: Use


@dataclass(frozen=True, slots=True)
class Advanced:
    """A stream was split, forked, reseeded or otherwise moved on.

    Attributes:
        site: Where.
        source: The stream, or the module whose streams all moved.
        restarts: Whether it starts anew, so that every pass draws the same.
    """

    site: Site
    source: Stream | Instance | Layer | Opaque
    restarts: bool = False


@dataclass(frozen=True, slots=True)
class Wrote:
    """A held place was written.

    Attributes:
        site: Where.
        path: What was written, such as `self.key`.
        before: What it held.
        after: What it holds now.
    """

    site: Site
    path: str
    before: Value
    after: Value


@dataclass(frozen=True, slots=True)
class DrewOnHost:
    """The host's randomness, or a clock that became a seed, was read."""

    site: Site
    name: str


@dataclass(frozen=True, slots=True)
class Constructed:
    """A key or stream was made; the taint says from what."""

    site: Site
    name: str
    taint: Taint


@dataclass(frozen=True, slots=True)
class Escaped:
    """A key or stream was handed to code that is not followed."""

    site: Site
    value: Stream | Key
    callee: str


@dataclass(frozen=True, slots=True)
class Returned:
    """The entry point returned.

    Attributes:
        site: Where.
        value: What.
        drawn_with: For every draw on the path, the parts of the carry that it was made from.
        used: What keys on the path were used for.
        moved: How often each held stream has moved on, on the path and outside of loops.
    """

    site: Site
    value: Value
    drawn_with: frozenset[tuple[str, ...]] = frozenset()
    used: frozenset[tuple[Region, Use]] = frozenset()
    moved: frozenset[tuple[str, Value]] = frozenset()

    def keys(self, *uses: Use) -> frozenset[Region]:
        """The keys that were used so."""
        return frozenset(region for region, use in self.used if use in uses)


@dataclass(frozen=True, slots=True)
class Defaulted:
    """A parameter has a key or stream as its default, which all calls share.

    Attributes:
        site: The default.
        parameter: The parameter's name.
        value: What it is.
    """

    site: Site
    parameter: str
    value: Stream | Key


@dataclass(frozen=True, slots=True)
class CalledChild:
    """A module was called as PPO's containers call theirs: `child(state, x, rollout_extras)`.

    Attributes:
        site: Where.
        child: What it is called, such as `self.encoder`.
        promise: What it is known to need; of an unknown one, that depends.
        state: The state that it was given, or None.
        extras: The extras that it was given, or None.
        is_certain: Whether it is a module, rather than a function that takes as many arguments.
    """

    site: Site
    child: str
    promise: Promise
    state: Value | None
    extras: Value | None
    is_certain: bool


@dataclass(frozen=True, slots=True)
class ReadPart:
    """A field of what a call returned was read by its name, so the callee is a module.

    Attributes:
        site: Where.
        call: The call.
    """

    site: Site
    call: cst.CSTNode


Event = (
    Drew
    | Derived
    | MappedOver
    | Reused
    | Advanced
    | Wrote
    | DrewOnHost
    | Constructed
    | Escaped
    | Returned
    | CalledChild
    | ReadPart
)
