"""The form of a break: what is replaced in the oracle's source, and the tests that must fail."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

SOURCE = Path(__file__).parents[2] / "src" / "nnx_ppo_ref" / "oracle"
TESTS = Path(__file__).parents[1] / "nnx_ppo_ref" / "oracle"


@dataclass(frozen=True)
class Edit:
    """A piece of the oracle's source and what stands there instead.

    Attributes:
        file: The file, below the oracle's directory.
        old: The piece, which the file holds once.
        new: What it becomes.
    """

    file: str
    old: str
    new: str

    @property
    def module(self) -> str:
        """The name of the module."""
        return ".".join(("nnx_ppo_ref", "oracle", *Path(self.file).with_suffix("").parts))

    @property
    def path(self) -> Path:
        """The file."""
        return SOURCE / self.file

    def applied(self, source: str) -> str:
        """The source with the piece replaced.

        Raises:
            ValueError: If the piece is not there, or not once.
        """
        count = source.count(self.old)
        if count != 1:
            raise ValueError(
                f"{self.file} holds {count} times what the break replaces, and must hold it once; "
                f"say anew in tests/oracle_mutants what it is:\n{self.old}"
            )
        return source.replace(self.old, self.new)


@dataclass(frozen=True)
class Break:
    """A mutant of the oracle.

    Attributes:
        name: What no longer happens.
        edits: How.
        killers: Tests of the oracle that must fail, one at least: a file without `test_` and
            `.py`, the test without `test_`, and a parameter: `noise::what_is_shared[a scalar]`.
    """

    name: str
    edits: tuple[Edit, ...]
    killers: tuple[str, ...]

    def sources(self) -> dict[str, str]:
        """The broken modules by name."""
        sources: dict[str, str] = {}
        for edit in self.edits:
            before = sources.get(edit.module, edit.path.read_text("utf-8"))
            sources[edit.module] = edit.applied(before)
        return sources


LIBRARY = "nnx_ppo_ref.networks.types"


def node_id(killer: str) -> str:
    """The test's name for pytest, with modules of the reference where it can have others too."""
    file, _, test = killer.partition("::")
    name, _, parameter = test.partition("[")
    inside = parameter.removesuffix("]")
    if inside.startswith("="):
        inside = inside.removeprefix("=")
    else:
        inside = f"{LIBRARY}-{inside}" if inside else LIBRARY
    ending = f"[{inside}]" if inside else ""
    return f"{TESTS / f'test_{file}.py'}::test_{name}{ending}"
