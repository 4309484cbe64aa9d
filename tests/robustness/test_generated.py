"""Generated modules, of all that Python's grammar knows, through every face."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, seed, settings

from flake8_nnx_rng.codemod.applying.running import planned

from .faces import FACES, TASK, through
from .grammar import FORWARD, HEAD, modules

SAMPLE, CHUNKS, CHUNK = 16, 10, 100
SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]


def outcomes(number: int, count: int) -> Counter[str]:
    """How often each face has read what was generated, and found something."""
    counted: Counter[str] = Counter()

    @seed(number)
    @settings(max_examples=count, deadline=None, database=None, suppress_health_check=SLOW)
    @given(modules())
    def through_every_face(text: str) -> None:
        for name, face in FACES.items():
            found = through(face, "a.py", text.encode())
            what = "an error" if found is None else "findings" if found else "nothing"
            counted[f"{name}: {what}"] += 1

    through_every_face()
    return counted


@pytest.fixture(autouse=True)
def directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "pyproject.toml").touch()
    monkeypatch.chdir(tmp_path)


@pytest.mark.slow
def test_generated_modules_are_read_or_refused() -> None:
    counted = outcomes(0, SAMPLE)
    assert counted["check: findings"] > SAMPLE // 2
    assert counted["fix: findings"] == counted["check: findings"]


@pytest.mark.slow
@pytest.mark.thorough
@pytest.mark.parametrize("number", range(1, CHUNKS + 1))
def test_a_thousand_generated_modules_are_read_or_refused(number: int) -> None:
    print(f"{CHUNK} generated modules:", dict(sorted(outcomes(number, CHUNK).items())))


def test_a_pass_with_a_bare_return_is_left_with_the_reason() -> None:
    text = (HEAD + FORWARD).replace(
        "self.noise = ", "if x is None:\n            return\n        n = "
    )
    outcome = planned(TASK, {}, "a.py", text.replace("self.noise, ", "n, ").encode())
    assert outcome.error == ""
    assert "returns nothing" in outcome.left[0].reason
