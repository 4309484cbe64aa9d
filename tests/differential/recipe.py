"""What a module is composed of: names from the tables."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from .dimensions_flow import REACHES, SINKS
from .dimensions_keys import SOURCES, Source
from .dimensions_state import ADVANCES, SEEDS, Advance

MEMORY = "memory"
"""The part of the carry that is no key."""


@dataclass(frozen=True)
class Noise:
    """One sample.

    Attributes:
        source: Where it comes from; nothing if from the carry.
        advance: How the carry gives a key; nothing if it does not.
        seed: How the carried key starts.
        steps: From there to numbers.
        control: The control flow around it.
        reach: Where it is reached.
        sink: What it reaches.
    """

    source: str = ""
    advance: str = ""
    seed: str = ""
    steps: tuple[str, ...] = ()
    control: str = "straight"
    reach: str = "directly"
    sink: str = "output"

    @property
    def carried(self) -> Advance | None:
        """How the carry gives a key."""
        return ADVANCES[self.advance] if self.advance else None

    @property
    def held(self) -> Source | None:
        """Where else it comes from."""
        return SOURCES[self.source] if self.source else None


@dataclass(frozen=True)
class Recipe:
    """One module.

    Attributes:
        noises: Its samples.
        role: What it is.
        shell: What is around it.
        structure: What its carry is built of.
        reset: What resets the carry.
        memory: Whether the carry holds something besides keys.
        torso: What it does with its input.
        library: The package that it is written for.
        parameter: How the constructor declares its streams.
    """

    noises: tuple[Noise, ...]
    role: str = "layer"
    shell: str = "none"
    structure: str = "tuple"
    reset: str = "missing"
    memory: bool = False
    torso: str = "x"
    library: str = "nnx_ppo"
    parameter: str = "rngs: nnx.Rngs"

    def slots(self) -> Iterator[tuple[str, str, bool]]:
        """The parts of the carry: name, start, and whether it is a key."""
        for n, noise in enumerate(self.noises):
            if noise.carried is None:
                continue
            if noise.carried.key:
                yield f"key{n}", SEEDS[noise.seed], True
            for name, start in noise.carried.slots.items():
                yield name.replace("$n", str(n)), start, False
        if self.memory or any(SINKS[noise.sink].memory for noise in self.noises):
            yield MEMORY, "jnp.zeros((batch_size, 2))", False

    def __str__(self) -> str:
        parts = [f"{self.role}, {self.shell}, carry {self.structure}, reset {self.reset}"]
        for noise in self.noises:
            chain = " > ".join((noise.source or f"{noise.seed} / {noise.advance}", *noise.steps))
            parts.append(f"{chain} | {noise.control} | {noise.reach} | {noise.sink}")
        return "\n".join(parts)


def has_base(noise: Noise) -> bool:
    """Whether a sample is reached through what the class derives from."""
    return bool(REACHES[noise.reach].base)
