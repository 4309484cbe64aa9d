"""Classes that share code are rewritten together wherever in the project they stand."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from support import PRELUDE, write

from flake8_nnx_rng.codemod.planning.plan import proposals
from flake8_nnx_rng.codemod.proposal import Proposal, Safety
from flake8_nnx_rng.lint import lint
from flake8_nnx_rng.source import applied, read_document

from ..rewriting import BASE, HELPER

OWN_START = """
class Sub(Base):
    def initialize_state(self, batch_size):
        return ()
"""

OWN_PASS = """
class Sub(Base):
    def __call__(self, state, x, rollout_extras=None):
        return StatefulModuleOutput(state, 2 * x + self.noise(x), 0.0, {})
"""


def planned(directory: Path, files: Mapping[str, str], name: str) -> Proposal:
    write(directory, {"pyproject.toml": "", **files})
    (proposal,) = proposals(read_document(directory / name))
    return proposal


def apply(proposal: Proposal, directory: Path) -> dict[str, str]:
    """Writes what is proposed, and gives the files that were changed."""
    changed = {}
    for path, edits in proposal.edits.items():
        file = Path(path)
        file.write_text(applied(file.read_text(), edits))
        changed[file.relative_to(directory).as_posix()] = file.read_text()
    for file in directory.rglob("*.py"):
        assert lint(read_document(file)) == []
    return changed


@pytest.mark.parametrize(
    "sub",
    [
        "from base import Base\n" + OWN_START,
        "from base import Base as Root\n" + OWN_START.replace("(Base)", "(Root)"),
        "import base\n" + OWN_START.replace("(Base)", "(base.Base)"),
    ],
)
def test_a_subclass_of_another_file_changes_with_its_base(sub: str, tmp_path: Path) -> None:
    files = {"base.py": PRELUDE + BASE, "sub.py": sub}
    changed = apply(planned(tmp_path, files, "base.py"), tmp_path)
    assert changed.keys() == {"base.py", "sub.py"}
    assert "import jax\n" in changed["sub.py"]
    assert "return jax.random.split(self.rngs(), batch_size)" in changed["sub.py"]


def test_a_subclass_of_a_subclass_changes_with_them(tmp_path: Path) -> None:
    files = {
        "base.py": PRELUDE + BASE,
        "middle.py": "from base import Base\nclass Middle(Base):\n    pass\n",
        "sub.py": "from middle import Middle\n" + OWN_START.replace("(Base)", "(Middle)"),
    }
    changed = apply(planned(tmp_path, files, "base.py"), tmp_path)
    assert changed.keys() == {"base.py", "sub.py"}


def test_a_base_of_another_file_changes_with_a_class_that_uses_it(tmp_path: Path) -> None:
    files = {"base.py": PRELUDE + HELPER, "sub.py": PRELUDE + "from base import Base\n" + OWN_PASS}
    changed = apply(planned(tmp_path, files, "sub.py"), tmp_path)
    assert changed.keys() == {"base.py", "sub.py"}
    assert "def noise(self, key, x):" in changed["base.py"]


def test_what_shares_a_helper_changes_together(tmp_path: Path) -> None:
    sub = PRELUDE + "from base import Base\n" + OWN_PASS
    files = {"base.py": PRELUDE + HELPER, "one.py": sub, "two.py": sub.replace("Sub", "Other")}
    changed = apply(planned(tmp_path, files, "one.py"), tmp_path)
    assert changed.keys() == {"base.py", "one.py", "two.py"}


def test_what_is_not_touched_is_left_out(tmp_path: Path) -> None:
    files = {
        "base.py": PRELUDE + HELPER,
        "sub.py": PRELUDE
        + "from base import Base\n"
        + OWN_PASS.replace("self.noise(x)", "self.rngs.normal(x.shape)"),
    }
    changed = apply(planned(tmp_path, files, "sub.py"), tmp_path)
    assert changed.keys() == {"sub.py"}


def test_one_that_cannot_change_stops_them_all(tmp_path: Path) -> None:
    sub = PRELUDE + "from base import Base\n" + OWN_PASS
    broken = sub.replace("self.noise(x)", "x @ self.rngs.normal((3, 3)) + self.noise(x)")
    files = {"base.py": PRELUDE + HELPER, "one.py": sub, "two.py": broken}
    proposal = planned(tmp_path, files, "one.py")
    assert proposal.safety is Safety.NONE
    assert "shared by the whole batch" in proposal.reason


def test_a_mixin_of_another_file_changes_too(tmp_path: Path) -> None:
    mixin = """
class Noise:
    def noise(self, x):
        return self.rngs.normal(x.shape)
"""
    sub = """
from mixin import Noise

class Sub(Noise, StatefulModule):
    def __init__(self, rngs):
        self.rngs = rngs

    def __call__(self, state, x, rollout_extras=None):
        return StatefulModuleOutput(state, 2 * x + self.noise(x), 0.0, {})
"""
    proposal = planned(tmp_path, {"mixin.py": mixin, "sub.py": PRELUDE + sub}, "sub.py")
    changed = apply(proposal, tmp_path)
    assert changed.keys() == {"mixin.py", "sub.py"}
    assert changed["mixin.py"].startswith("import jax\n")


HEADS = {
    "a docstring": ('"""Noise."""\n\nSCALE = 1.0\n', '"""Noise."""\nimport jax\n'),
    "another import": ("import math\n\nSCALE = math.pi\n", "import math\nimport jax\n"),
    "code": ("SCALE = 1.0\n", "import jax\nSCALE = 1.0\n"),
    "its own name for jax": ("import jax as j\n", "import jax as j\n"),
}


@pytest.mark.parametrize(("head", "start"), HEADS.values(), ids=HEADS)
def test_an_import_is_added_where_it_belongs_and_only_if_it_is_missing(
    head: str, start: str, tmp_path: Path
) -> None:
    files = {
        "helpers.py": head + FUNCTION,
        "m.py": (PRELUDE + USER).replace("import jax\n", ""),
    }
    proposal = planned(tmp_path, files, "m.py")
    changed = apply(proposal, tmp_path)
    assert changed["helpers.py"].startswith(start)
    name = "import jax as j" if " as " in head else "import jax"
    assert f"\n{name}\n" in changed["m.py"]


def test_files_with_two_names_for_jax_are_left_alone(tmp_path: Path) -> None:
    files = {"helpers.py": "import jax as j\n" + FUNCTION, "m.py": PRELUDE + USER}
    assert planned(tmp_path, files, "m.py").reason == "its files call jax j and jax"


FUNCTION = """
def noise(rngs, x):
    return rngs.normal(x.shape)
"""

USER = """
from helpers import noise

class M(StatefulModule):
    def __init__(self, rngs):
        self.rngs = rngs

    def __call__(self, state, x, rollout_extras=None):
        return StatefulModuleOutput(state, x + noise(self.rngs, x), 0.0, {})
"""


def test_a_function_of_another_file_takes_a_key_as_well(tmp_path: Path) -> None:
    proposal = planned(tmp_path, {"helpers.py": FUNCTION, "m.py": PRELUDE + USER}, "m.py")
    assert proposal.safety is Safety.UNSAFE
    assert "`noise` takes a key now" in proposal.reason
    assert apply(proposal, tmp_path).keys() == {"helpers.py", "m.py"}


@pytest.mark.parametrize(
    "plot",
    [
        "from helpers import noise\nnoise(rngs, 1.0)\n",
        "from helpers import noise as n\nn(rngs, 1.0)\n",
        "import helpers\nhelpers.noise(rngs, 1.0)\n",
    ],
)
def test_unless_something_else_uses_it(plot: str, tmp_path: Path) -> None:
    files = {"helpers.py": FUNCTION, "m.py": PRELUDE + USER, "plot.py": plot}
    proposal = planned(tmp_path, files, "m.py")
    assert proposal.safety is Safety.NONE
    assert proposal.reason == "`noise` is used in plot.py too"


def test_a_library_that_is_installed_in_the_project_is_left_alone(tmp_path: Path) -> None:
    files = {
        "venv/lib/base.py": PRELUDE + HELPER,
        "pyproject.toml": '[tool.flake8-nnx-rng]\nroots = ["venv/lib"]\n',
        "sub.py": PRELUDE + "from base import Base\n" + OWN_PASS,
    }
    write(tmp_path, files)
    from flake8_nnx_rng.lint import Settings

    settings = Settings(roots=(str(tmp_path / "venv/lib"),))
    (proposal,) = proposals(read_document(tmp_path / "sub.py"), settings)
    assert proposal.safety is Safety.NONE
    assert not proposal.edits
