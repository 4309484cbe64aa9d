"""Every fault in every module that it fits."""

from __future__ import annotations

import difflib
import functools
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass

from . import contracts
from .carries import Carrying, faults
from .draws import DRAWS, Draw
from .editing import input_of, replaced, with_first_lines, with_last_lines, with_member, with_top
from .subjects import PPO, REFERENCE, SIZE, SUBJECTS, Subject

IN_FULL = {f"{PPO} Dense", f"{PPO} NormalTanhSampler", f"{REFERENCE} AR1VariationalBottleneck"}
IMPORTS = "import jax\nfrom flax import nnx\n"


@dataclass(frozen=True)
class Mutant:
    """A module with a fault.

    Attributes:
        subject: What was broken.
        fault: How, in words.
        codes: The rules that should speak.
        source: The text of the file.
    """

    subject: Subject
    fault: str
    codes: tuple[str, ...]
    source: str

    def __str__(self) -> str:
        return f"{self.subject}: {self.fault}"

    @property
    def diff(self) -> str:
        """What was changed."""
        before, after = self.subject.source.splitlines(), self.source.splitlines()
        return "\n".join(difflib.unified_diff(before, after, "sound", "mutant", "", "", 2))


def mutants() -> Iterator[Mutant]:
    """All of them."""
    for subject in SUBJECTS.values():
        for name, draw in _draws(subject).items():
            yield Mutant(subject, f"draw, {name}", draw.codes, noisy(subject, draw))
        for name, (changes, code) in _faults(subject).items():
            source = replaced(subject.source, subject.cls, *changes)
            yield Mutant(subject, name, tuple(code.split()), with_top(source, subject.cls, IMPORTS))


def noisy(subject: Subject, draw: Draw) -> str:
    """The source of a module whose input has noise on it."""
    source, cls = subject.source, subject.cls
    x = input_of(source, cls)
    fill = functools.partial(_filled, x=x)
    source = with_last_lines(source, cls, "__init__", fill(draw.init))
    noise = f"{x} = {x} + {fill(draw.noise)}\n"
    before = fill(draw.before)
    source = with_first_lines(source, cls, "__call__", _dedented(before) + noise)
    if draw.members:
        source = with_member(source, cls, draw.members)
    return with_top(source, cls, IMPORTS + _dedented(draw.top))


def _draws(subject: Subject) -> dict[str, Draw]:
    """All draws for three modules of different kinds, for the others every fifth, in turns."""
    if subject.sample is not None:
        return {}
    if str(subject) in IN_FULL:
        return DRAWS
    turn = list(SUBJECTS).index(str(subject))
    return {name: draw for i, (name, draw) in enumerate(DRAWS.items()) if (i + turn) % 5 == 0}


def _filled(code: str, x: str) -> str:
    return code.replace("$x", x).replace("mutant_size", str(SIZE))


def _dedented(code: str) -> str:
    code = textwrap.dedent(code).strip("\n")
    return code + "\n" if code else ""


def _faults(subject: Subject) -> dict[str, tuple[contracts.Changes, str]]:
    key = (subject.library, subject.cls)
    return faults(CARRYING[key]) if key in CARRYING else CONTRACTS.get(key, {})


_PPO_DRAW = "jax.vmap(lambda k: jax.random.normal(k, (self.latent_size,)))"
_SPLIT = "jax.random.split(self.rng(), batch_size)"

CARRYING = {
    (PPO, "VariationalBottleneck"): Carrying(
        draw=f"{_PPO_DRAW}(key)",
        keys="key",
        size="self.latent_size",
        batch="mean.shape",
        before="key",
        returned=("next_state={}", "next_key"),
        seed=_SPLIT,
        reset=("        return {}\n", "prev_state"),
    ),
    (PPO, "AR1VariationalBottleneck"): Carrying(
        draw=f"{_PPO_DRAW}(keys)",
        keys="keys",
        size="self.latent_size",
        batch="mean.shape",
        before="keys",
        returned=('"keys": {},', "next_keys"),
        seed=_SPLIT,
        reset=('"keys": {},', 'prev_state["keys"]'),
    ),
    (REFERENCE, "VariationalBottleneck"): Carrying(
        draw="standard_normal(use, self.latent_size)",
        keys="use",
        size="self.latent_size",
        batch="mean.shape",
        before="key",
        returned=("next_state={}", "next_key"),
        seed="seed_keys(self.rng, batch_size)",
        reset=None,
    ),
    (REFERENCE, "AR1VariationalBottleneck"): Carrying(
        draw="standard_normal(use, self.latent_size)",
        keys="use",
        size="self.latent_size",
        batch="mean.shape",
        before='state["keys"]',
        returned=('"keys": {},', "next_keys"),
        seed="seed_keys(self.rng, batch_size)",
        reset=('"keys": {},', 'prev_state["keys"]'),
    ),
}

CONTRACTS = {
    (PPO, "NormalTanhSampler"): contracts.PPO_SAMPLER,
    (PPO, "Sequential"): contracts.PPO_SEQUENTIAL,
    (PPO, "Concat"): contracts.PPO_NAMED,
    (PPO, "PPOAdapter"): contracts.PPO_ADAPTER,
    (REFERENCE, "NormalTanhSampler"): contracts.REF_SAMPLER,
    (REFERENCE, "Sequential"): contracts.REF_SEQUENTIAL,
    (REFERENCE, "PPOAdapter"): contracts.REF_ADAPTER,
}
