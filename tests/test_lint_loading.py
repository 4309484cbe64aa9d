"""What linting loads, and that it never runs what it reads."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from support import module, write

from flake8_nnx_rng.lint import lint
from flake8_nnx_rng.source import Document

NOISY = """
    class Noisy(StatefulModule):
        def __init__(self, rngs: nnx.Rngs):
            self.rngs = rngs

        def __call__(self, state, x, rollout_extras=None):
            return StatefulModuleOutput(state, x + self.rngs.normal(x.shape), 0.0, {})
"""

LOADED = """
import sys
from flake8_nnx_rng.lint import lint
from flake8_nnx_rng.source import Document
lint(Document("a.py", sys.stdin.read()))
print(*sys.modules)
"""


def _loaded(text: str) -> set[str]:
    """The modules that linting a text in a fresh interpreter leaves loaded."""
    command = [sys.executable, "-c", LOADED]
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=True)
    return set(done.stdout.split())


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("import os\nclass A(B): ...\n", id="no marker"),
        pytest.param("# nnx_ppo\nclass A: ...\n", id="no class with a base"),
        pytest.param("# nnx_ppo\nclass A(B): ...\nx = " + "1+" * 900 + "1\n", id="too deep"),
    ],
)
def test_a_file_that_cannot_matter_does_not_load_libcst(text: str) -> None:
    loaded = _loaded(text)
    assert "flake8_nnx_rng.lint" in loaded
    assert not {name for name in loaded if name.partition(".")[0] == "libcst"}
    assert "flake8_nnx_rng.rules" not in loaded


@pytest.mark.parametrize(("base", "matters"), [("Plain", False), ("Noisy", True)])
def test_a_file_without_a_marker_loads_libcst_only_if_a_base_comes_from_a_file_with_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, base: str, matters: bool
) -> None:
    monkeypatch.chdir(tmp_path)
    plain, deep = "class Plain: ...\n", "from plain import Plain\nclass Deep(Plain): ...\n"
    write(tmp_path, {"noisy.py": module(NOISY), "plain.py": plain, "deep.py": deep})
    imports = "import noisy\nfrom noisy import Noisy\nfrom deep import Deep as Plain\n"
    assert ("libcst" in _loaded(f"{imports}class A({base}): ...\n")) is matters


def test_a_file_that_matters_loads_no_more_of_libcst_than_it_needs() -> None:
    loaded = _loaded(module(NOISY.replace("self.rngs.normal(x.shape)", "1")))
    assert "libcst" in loaded
    assert not {"libcst.matchers", "libcst.codemod"} & loaded


def test_a_file_with_findings_loads_no_matchers_and_no_codemods() -> None:
    assert not {"libcst.matchers", "libcst.codemod"} & _loaded(module(NOISY))


def test_the_libraries_that_are_linted_for_are_never_loaded() -> None:
    loaded = _loaded(module(NOISY))
    assert not {"jax", "flax", "nnx_ppo", "numpy", "nnx_ppo_ref"} & loaded


def test_the_code_that_is_linted_is_never_executed_nor_imported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trap = tmp_path / "trap.py"
    effect = "import pathlib\npathlib.Path(__file__).with_name('ran').touch()\n"
    trap.write_text(effect, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    text = f"import trap\nfrom trap import Base\n{effect}{module(NOISY)}"
    text += "\nclass Other(trap.Base, Base):\n    def __call__(self, x): ...\n"
    text += f"\nopen({str(tmp_path / 'ran')!r}, 'w')\n1 / 0\n"
    assert [finding.code for finding in lint(Document("a.py", text))] == ["NNX101", "NNX900"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["trap.py"]
    assert "trap" not in sys.modules
