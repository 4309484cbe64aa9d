"""NNX206: keys that draw by batch position, in a project whose modules carry keys."""

from __future__ import annotations

from pathlib import Path

import pytest
from support import PRELUDE, write

from flake8_nnx_rng.lint import lint
from flake8_nnx_rng.rules import patterns
from flake8_nnx_rng.source import read_document

CARRYING = patterns.NOISE
PLAIN = (
    PRELUDE
    + """
class Plain(StatefulModule):
    def __call__(self, state, x, rollout_extras=None):
        return StatefulModuleOutput(state, 2 * x, 0.0, {})
"""
)
BUILDING = "from nnx_ppo.networks.variational import VariationalBottleneck\n"
CHOICES = {
    "the setting": 'import jax\njax.config.update("jax_default_prng_impl", "rbg")\n',
    "the setting's attribute": 'import jax\njax.config.jax_default_prng_impl = "unsafe_rbg"\n',
    "the environment": 'import os\nos.environ["JAX_DEFAULT_PRNG_IMPL"] = "rbg"\n',
    "the environment's default": (
        'import os\nos.environ.setdefault("JAX_DEFAULT_PRNG_IMPL", "rbg")\n'
    ),
    "a context": 'import jax\nwith jax.default_prng_impl("rbg"):\n    run()\n',
    "a name": 'import jax\nNAME = "rbg"\nKEY = jax.random.key(0, impl=NAME)\n',
    "one of two": 'import jax\nKEY = jax.random.key(0, impl="rbg" if fast else "threefry2x32")\n',
    "a default": 'import jax\ndef key(impl="rbg"):\n    return jax.random.key(0, impl=impl)\n',
}


def found(directory: Path, files: dict[str, str]) -> list[str]:
    write(directory, {"pyproject.toml": "", **files})
    findings = lint(read_document(directory / "main.py"))
    return [finding.message for finding in findings if finding.code == "NNX206"]


@pytest.mark.parametrize("choice", CHOICES.values(), ids=CHOICES)
def test_a_choice_in_one_file_concerns_the_keys_of_another(choice: str, tmp_path: Path) -> None:
    (message,) = found(tmp_path, {"main.py": choice, "lib/layers.py": CARRYING})
    assert "and CarriedNoise carries keys" in message


def test_a_layer_of_the_library_carries_keys_wherever_it_is_built(tmp_path: Path) -> None:
    files = {"main.py": CHOICES["the setting"], "plain.py": PLAIN, "nets.py": BUILDING}
    (message,) = found(tmp_path, files)
    assert "and VariationalBottleneck carries keys" in message


@pytest.mark.parametrize(
    "files",
    [
        {"plain.py": PLAIN},
        {"venv/layers.py": CARRYING, "plain.py": PLAIN},
        {"broken.py": CARRYING + "\ndef f(:\n"},
        {},
    ],
)
def test_a_choice_is_of_no_concern_where_nothing_carries_keys(
    files: dict[str, str], tmp_path: Path
) -> None:
    assert found(tmp_path, {"main.py": CHOICES["the setting"], **files}) == []


@pytest.mark.parametrize(
    "choice",
    [
        'import jax\nKEY = jax.random.key(0, impl="threefry2x32")  # not rbg\n',
        'import jax\nother(0, impl="rbg")\n',
        'config = {}\nconfig["algorithm"] = "rbg"\nconfig.name = "rbg"\nset("name", "rbg")\n',
        "import jax\ndef key(impl):  # such as rbg\n    return jax.random.key(0, impl=impl)\n",
    ],
)
def test_what_is_no_choice_of_such_keys_is_not_reported(choice: str, tmp_path: Path) -> None:
    assert found(tmp_path, {"main.py": choice, "layers.py": CARRYING}) == []
