"""The command: what it prints, and its exit status."""

from __future__ import annotations

from pathlib import Path

import pytest

from nnx_ppo_ref.oracle.__main__ import main

SOURCE = """
import jax.numpy as jnp
from flax import nnx
from nnx_ppo_ref import StatefulModule, StatefulModuleOutput, VariationalBottleneck

class Noisy(StatefulModule):
    def __init__(self):
        self.rngs = nnx.Rngs(0)

    def __call__(self, module_state, obs, rollout_extras=None):
        x = obs["x"] if isinstance(obs, dict) else obs
        output = x + self.rngs.normal(x.shape)
        return StatefulModuleOutput(module_state, output, 0.0, {})

def sound():
    return VariationalBottleneck(2, nnx.Rngs(0))

def fails():
    raise RuntimeError("no weights")

made = Noisy()
number = 3
sample = jnp.zeros(4)

def observation():
    return {"x": jnp.zeros(4)}
"""


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "oracle_command_subject.py").write_text(SOURCE)
    monkeypatch.chdir(tmp_path)


S = "oracle_command_subject"


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        ([f"{S}:sound", "--input-shape", "4"], 0),
        ([f"{S}:sound", "--input", f"{S}:sample"], 0),
        ([f"{S}:Noisy", "--input", f"{S}:observation"], 1),
        ([f"{S}:made", "--input-shape", "2,2", "--seed", "3", "--steps", "2"], 1),
        ([f"{S}:made", "--input-shape", "4", "--observable", "freshness"], 0),
        ([f"{S}:made", "--input-shape", "4", "--observable", "purity"], 1),
    ],
)
def test_the_status_says_whether_something_is_broken(
    arguments: list[str], status: int, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == status
    assert ": broken: " in (out := capsys.readouterr().out) or ": nothing is broken" in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([f"{S}:sound"], "--input-shape 4"),
        ([f"{S}:sound", "--input-shape", "x"], "is no shape"),
        ([f"{S}:sound", "--input-shape", "0"], "is no shape"),
        ([f"{S}", "--input-shape", "4"], "package.module:name"),
        (["no_such_module_here:f", "--input-shape", "4"], "cannot import"),
        ([f"{S}:missing", "--input-shape", "4"], "has no 'missing'"),
        ([f"{S}:number", "--input-shape", "4"], "neither a module nor a function"),
        ([f"{S}:fails", "--input-shape", "4"], "no weights"),
        ([f"{S}:sound", "--input-shape", "4", "--batch-size", "1"], "batch_size"),
    ],
)
def test_bad_input_is_said_in_one_line(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert message in captured.err
    assert captured.err.count("\n") == 1


def test_the_readme_shows_a_report_as_it_is_printed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("nnx_ppo")
    root = Path(__file__).parents[3]
    monkeypatch.chdir(root)
    monkeypatch.syspath_prepend(str(root))
    assert main(["examples.noisy_policy:noisy", "--input-shape", "4"]) == 1
    assert capsys.readouterr().out in (root / "README.md").read_text("utf-8")


def test_an_unknown_observable_is_a_usage_error() -> None:
    with pytest.raises(SystemExit) as exit_info:
        main([f"{S}:sound", "--input-shape", "4", "--observable", "sharpness"])
    assert exit_info.value.code == 2
