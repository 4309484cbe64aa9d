"""A rewritten module is clean, stays as it is, and keeps every promise at run time.

Modules with a fault come from the rules' examples, from the idioms and from the mutants. Those
that are left alone are listed here with the reason.
"""

from __future__ import annotations

import inspect
import sys
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from judging import imported, run
from mutation.mutants import Mutant
from mutation.sampling import MUTANTS, sampled
from mutation.subjects import PPO, Layers
from mutation.test_mutants import AUGMENT, broken_before
from rules.idioms import stand_ins
from rules.idioms.test_idioms import EXCUSED, IDIOMS
from support import module

from flake8_nnx_rng.adapters.cli import main
from flake8_nnx_rng.adapters.status import FAILED

from .corpus import EXAMPLES, is_clean, proposed, rewrites

pytestmark = pytest.mark.slow
pytest.importorskip("nnx_ppo")

UNSEEN = {
    "NNX205 0": {"hygiene"},
    "NNX303 0": {"hygiene"},
}
"""What the oracle sees in sound modules of nnx-ppo that an example is built of."""


@pytest.fixture(autouse=True)
def absent(monkeypatch: pytest.MonkeyPatch) -> None:
    files = {**stand_ins.FILES, "mutant_augment": AUGMENT}
    for name, source in files.items():
        monkeypatch.setitem(sys.modules, name, types.ModuleType(name))
        exec(source, vars(sys.modules[name]))


def broken(source: str, directory: Path, build: Callable[[Any], Any], sample: Any) -> set[str]:
    with imported(source, directory) as file:
        return set(run(lambda: build(file), sample).failed)


@pytest.mark.parametrize(
    "name",
    [  # every other one
        pytest.param(name, marks=pytest.mark.thorough if number % 2 else [])
        for number, name in enumerate(sorted(IDIOMS))
    ],
)
def test_a_rewritten_idiom_is_clean_and_keeps_its_promises(name: str, tmp_path: Path) -> None:
    from flax import nnx

    np = pytest.importorskip("numpy")

    def build(file: Any) -> Any:
        instance = file.M(nnx.Rngs(0))
        instance.train()
        return instance

    after = rewrites(name, module(IDIOMS[name]))
    if after is not None:
        assert is_clean(after)
        failed = broken(after, tmp_path, build, np.zeros(3, np.float32))
        assert failed <= EXCUSED.get(name, set())


@pytest.mark.thorough
@pytest.mark.parametrize("name", sorted(EXAMPLES))
def test_a_rewritten_example_is_clean_and_keeps_its_promises(name: str, tmp_path: Path) -> None:
    np = pytest.importorskip("numpy")
    after = rewrites(name, EXAMPLES[name])
    if after is not None:
        assert is_clean(after)
        cls = proposed(EXAMPLES[name])[0].name
        failed = broken(after, tmp_path, lambda f: _instance(getattr(f, cls)), np.zeros(4, "f"))
        assert failed <= UNSEEN.get(name, set())


@pytest.mark.parametrize("mutant", sampled(lambda mutant: mutant.codes))
def test_a_rewritten_mutant_is_sound_as_before_the_mutation(mutant: Mutant, tmp_path: Path) -> None:
    subject = mutant.subject
    after = rewrites(mutant.fault, mutant.source, subject.cls)
    if after is not None:
        failed = broken(after, tmp_path, subject.instance, subject.observation())
        assert failed <= broken_before(subject)


@pytest.mark.thorough
def test_nearly_all_mutants_that_may_be_rewritten_are() -> None:
    flagged = [p for m in MUTANTS.values() for p in proposed(m.source) if p.name == m.subject.cls]
    done = [p for p in flagged if p.edits]
    assert len(done) / len(flagged) >= 0.95


TREES = {
    "idioms": [module(snippet) for snippet in IDIOMS.values()],
    "examples": list(EXAMPLES.values()),
}
for _mutant in MUTANTS.values():
    TREES.setdefault(str(_mutant.subject), []).append(_mutant.source)
"""The broken files, in directories."""

QUICK = {f"{PPO} Delay"}
"""One of few files; most of what the others hold is rewritten and read one by one above."""


@pytest.mark.parametrize(
    "tree",
    [pytest.param(tree, marks=[] if tree in QUICK else pytest.mark.thorough) for tree in TREES],
)
def test_a_second_run_changes_nothing_and_what_is_still_found_is_what_was_left(
    tree: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for number, source in enumerate(TREES[tree]):
        (tmp_path / f"file{number:03}.py").write_text(source, encoding="utf-8")
    fix = ["fix", "--unsafe-fixes", "--select", "NNX", "."]

    def told(*command: str) -> list[str]:
        assert main(list(command)) != FAILED
        return capsys.readouterr().out.splitlines()

    first = told(*fix)
    once = _texts(tmp_path)
    assert any(" fixed " in line for line in first[:-1])
    assert once != dict(zip(sorted(once), TREES[tree], strict=True))
    left = [line for line in first if ": left " in line]
    found = told("check", "--select", "NNX", "--format", "short", ".")
    assert {_file(line) for line in found[:-1]} <= {_file(line) for line in left}
    again = told(*fix)
    assert _texts(tmp_path) == once
    assert [line for line in again if ": fixed " in line] == []


def _texts(directory: Path) -> dict[str, str]:
    return {path.name: path.read_text("utf-8") for path in directory.rglob("*")}


def _file(line: str) -> str:
    return line.partition(":")[0]


def _instance(cls: Any) -> Any:
    """An object of an example's class."""
    from flax import nnx

    layers = Layers(PPO)
    inner = (layers.dense(4, 4), layers.bottleneck(), layers.dense(4, 2), layers.emitting())
    values = {"rngs": nnx.Rngs(0), "features": 4, "inner": layers.chain(*inner)}
    wanted = inspect.signature(cls.__init__).parameters
    return cls(**{name: values[name] for name in wanted if name in values})
