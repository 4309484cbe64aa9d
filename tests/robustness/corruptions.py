"""Files in which bytes are not what they were."""

from __future__ import annotations

import importlib.util
import itertools
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from string import ascii_lowercase, ascii_uppercase, digits

from mutation.mutants import mutants
from support import module

from flake8_nnx_rng.rules import CATALOGUE

Damage = Callable[[random.Random, bytearray, int], None]
"""Changes bytes at a place."""

ROOT = Path(__file__).parent.parent.parent
EVERY_MUTANT = 11


def _flip(chance: random.Random, data: bytearray, at: int) -> None:
    data[at] ^= 1 << chance.randrange(8)


def _replace(chance: random.Random, data: bytearray, at: int) -> None:
    data[at] = chance.randrange(256)


def _replace_alike(chance: random.Random, data: bytearray, at: int) -> None:
    """A letter becomes another one, a digit another one, which is often still Python."""
    place = next((i for i in range(at, len(data)) if data[i : i + 1].isalnum()), None)
    if place is not None:
        kind = next(kind for kind in _ALIKE if data[place] in kind)
        data[place] = chance.choice(kind)


def _insert(chance: random.Random, data: bytearray, at: int) -> None:
    data[at:at] = chance.randbytes(chance.randint(1, 3))


def _delete(chance: random.Random, data: bytearray, at: int) -> None:
    del data[at : at + chance.randint(1, 8)]


def _duplicate(chance: random.Random, data: bytearray, at: int) -> None:
    data[at:at] = data[at : at + chance.randint(1, 80)]


def _truncate(chance: random.Random, data: bytearray, at: int) -> None:
    del data[at:]


def _swap_lines(chance: random.Random, data: bytearray, at: int) -> None:
    lines = data.splitlines(keepends=True)
    one, other = chance.randrange(len(lines)), chance.randrange(len(lines))
    lines[one], lines[other] = lines[other], lines[one]
    data[:] = b"".join(lines)


def _repeat_line(chance: random.Random, data: bytearray, at: int) -> None:
    lines = data.splitlines(keepends=True)
    lines.insert(chance.randrange(len(lines)), chance.choice(lines))
    data[:] = b"".join(lines)


def _exchange_words(chance: random.Random, data: bytearray, at: int) -> None:
    words = data.split(b" ")
    one, other = chance.randrange(len(words)), chance.randrange(len(words))
    words[one], words[other] = words[other], words[one]
    data[:] = b" ".join(words)


_ALIKE = tuple(text.encode() for text in (ascii_lowercase, ascii_uppercase, digits))

GENTLE: tuple[Damage, ...] = (_replace_alike, _swap_lines, _repeat_line)
"""Damages after which a file often parses still."""

DAMAGES: tuple[Damage, ...] = (
    _flip,
    _replace,
    _insert,
    _delete,
    _duplicate,
    _truncate,
    _swap_lines,
    _repeat_line,
    _exchange_words,
)


def real_files() -> list[bytes]:
    """Files that matter to the linter, most of them with findings, and as they are on disks."""
    spec = importlib.util.find_spec("nnx_ppo")
    assert spec is not None
    package = Path(next(iter(spec.submodule_search_locations or ())))
    files = [
        *sorted((package / "networks").glob("*.py")),
        *sorted((ROOT / "examples").glob("*.py")),
    ]
    examples = [module(one) for rule in CATALOGUE.values() for one in (*rule.invalid, *rule.valid)]
    broken = [one.source for one in itertools.islice(mutants(), 0, None, EVERY_MUTANT)]
    return [
        *(path.read_bytes() for path in files),
        *(text.encode() for text in (*examples, *broken)),
    ]


def corrupted(files: list[bytes], seed: int, count: int) -> Iterator[bytes]:
    """Files, each with one to three damages, half of them with gentle ones; the same for a seed."""
    chance = random.Random(seed)
    for _ in range(count):
        data = bytearray(chance.choice(files))
        damages = chance.choice((GENTLE, DAMAGES))
        for _ in range(chance.randint(1, 3)):
            if len(data) > 1:
                chance.choice(damages)(chance, data, chance.randrange(len(data)))
        yield bytes(data)
