"""Bases, helpers and names in other files of the project, and where their findings stand."""

from __future__ import annotations

from pathlib import Path

import pytest
from support import PRELUDE, write

from flake8_nnx_rng.lint import Settings, lint
from flake8_nnx_rng.source import Disk, read_document

ROOT = (
    PRELUDE
    + """
class Root(StatefulModule):
    def _noise(self, shape):
        return self.rngs.normal(shape)
"""
)
MID = """
from .root import Root

class Mid(Root):
    def __init__(self, rngs):
        self.rngs = rngs
"""
HELPERS = """
import jax

def noise(rngs, x):
    return x + rngs.normal(x.shape)

def of_stream(stream, x):
    return jax.random.normal(stream(), x.shape)

def of_module(module, x):
    return noise(module.rngs, x)
"""
FAULT = "rollout and loss replay will see different noise; carry one key per env in the state"


def _lint(
    directory: Path, files: dict[str, str], name: str, settings: Settings | None = None
) -> list[str]:
    """Code, place and way of the findings in one of the files of a project."""
    write(directory, {"setup.py": ""} | files)
    document = read_document(directory / name, name)
    lines = document.text.splitlines()
    return [
        f"{finding.code} {lines[finding.span.line - 1][finding.span.column :].strip()}"
        for finding in lint(read_document(directory / name), None, settings)
    ]


def _messages(directory: Path, files: dict[str, str], name: str) -> list[str]:
    write(directory, {"setup.py": ""} | files)
    return [finding.text for finding in lint(read_document(directory / name))]


def _leaf(*statements: str, head: str = "from .mid import Mid", base: str = "Mid") -> str:
    """A module whose forward pass consists of statements; it need not name the library."""
    body = "".join(f"        {statement}\n" for statement in statements)
    return (
        f"{head}\n\nclass Leaf({base}):\n"
        f"    def __call__(self, state, x, rollout_extras=None):\n{body}"
    )


def _package(leaf: str, **files: str) -> dict[str, str]:
    common = {"__init__": "", "root": ROOT, "mid": MID, "helpers": HELPERS, "leaf": leaf}
    return {f"src/lib/{name}.py": text for name, text in (common | files).items()}


@pytest.mark.parametrize(
    ("head", "base"),
    [
        ("from .mid import Mid", "Mid"),
        ("from lib.mid import Mid as M", "M"),
        ("import lib.mid", "lib.mid.Mid"),
        ("import lib.mid as m", "m.Mid"),
        ("from . import mid", "mid.Mid"),
        ("from lib import mid", "mid.Mid"),
        ("from .mid import *", "Mid"),
        ("from .exports import Exported", "Exported"),
        ("from .exports import *", "Exported"),
        ("from . import exports", "exports.mid.Mid"),
        ("from .mid import Mid\nAlias = Mid", "Alias"),
        ("from .exports import Nested", "Nested.Inner"),
        ("try:\n    from .mid import Mid\nexcept ImportError:\n    Mid = object", "Mid"),
        ("if True:\n    from .mid import Mid\nelse:\n    from acme import Mid", "Mid"),
        ("from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from .mid import Mid", "Mid"),
    ],
)
def test_a_draw_of_the_class_is_found_though_its_base_is_three_files_away(
    tmp_path: Path, head: str, base: str
) -> None:
    leaf = _leaf("return self.rngs.normal(x.shape)", head=head, base=base)
    exports = (
        "from . import mid\nfrom .mid import Mid as Exported\n"
        "class Nested:\n    class Inner(Exported): ...\n"
    )
    found = _lint(tmp_path, _package(leaf, exports=exports), "src/lib/leaf.py")
    assert found == ["NNX101 self.rngs.normal(x.shape)"]


@pytest.mark.parametrize(
    ("head", "call"),
    [
        ("from .helpers import noise", "noise(self.rngs, x)"),
        ("from .helpers import of_stream", "of_stream(self.rngs.noise, x)"),
        ("from .helpers import of_module as draw", "draw(self, x)"),
        ("from . import helpers", "helpers.noise(self.rngs, x)"),
        ("import lib.helpers", "lib.helpers.of_module(self, x)"),
        ("from .helpers import *", "noise(self.rngs, x)"),
        (
            "from functools import partial\nfrom . import helpers",
            "partial(helpers.noise)(self.rngs, x)",
        ),
        ("", "self._noise(x.shape)"),
        ("", "super()._noise(x.shape)"),
    ],
)
def test_a_draw_in_another_file_stands_at_the_last_place_in_this_one(
    tmp_path: Path, head: str, call: str
) -> None:
    leaf = _leaf(f"y = {call}", "return y", head=f"{head}\nfrom .mid import Mid")
    assert _lint(tmp_path, _package(leaf), "src/lib/leaf.py") == [f"NNX101 {call}"]


def test_a_function_may_import_its_helper_itself(tmp_path: Path) -> None:
    leaf = _leaf("from .helpers import noise", "return noise(self.rngs, x)")
    found = _lint(tmp_path, _package(leaf), "src/lib/leaf.py")
    assert found == ["NNX101 noise(self.rngs, x)"]


def test_the_message_names_the_way_and_the_place_of_the_draw(tmp_path: Path) -> None:
    leaf = _leaf("return of_module(self, x)", head="from .helpers import *\nfrom .mid import Mid")
    (text,) = _messages(tmp_path, _package(leaf), "src/lib/leaf.py")
    assert text == (
        "NNX101 Leaf.__call__ → of_module → noise draws from class-level self.rngs: "
        f"{FAULT} (at src/lib/helpers.py:4)"
    )


def test_each_place_that_leads_to_a_draw_elsewhere_is_reported(tmp_path: Path) -> None:
    leaf = _leaf(
        "y = noise(self.rngs, x)",
        "z = of_module(self, x)",
        "return noise(self.rngs, y) + z",
        head="from .helpers import noise, of_module\nfrom .mid import Mid",
    )
    found = _lint(tmp_path, _package(leaf), "src/lib/leaf.py")
    assert found == [
        "NNX101 noise(self.rngs, x)",
        "NNX101 of_module(self, x)",
        "NNX101 noise(self.rngs, y) + z",
    ]


NOISY = (
    ROOT
    + """
    def __init__(self, rngs):
        self.rngs = rngs

    def __call__(self, state, x, rollout_extras=None):
        return StatefulModuleOutput(state, x + self._noise(x.shape), 0.0, {})
"""
)


@pytest.mark.parametrize(
    "leaf",
    [
        "from .root import Root\nclass Leaf(Root): ...\n",
        _leaf("return super().__call__(state, x)", head="from .root import Root", base="Root"),
        _leaf("return self._noise(x.shape)", head="from .root import Root", base="Root"),
    ],
    ids=["inherited", "called", "same draw"],
)
def test_what_the_base_reports_in_its_own_file_is_reported_there_alone(
    tmp_path: Path, leaf: str
) -> None:
    files = _package(leaf, root=NOISY)
    assert _lint(tmp_path, files, "src/lib/leaf.py") == []
    assert _lint(tmp_path, files, "src/lib/root.py") == ["NNX101 self.rngs.normal(shape)"]


def test_a_helper_that_class_and_base_both_call_is_reported_in_both(tmp_path: Path) -> None:
    root = PRELUDE + (
        "from .helpers import noise\n\nclass Root(StatefulModule):\n"
        "    def __init__(self, rngs):\n        self.rngs = rngs\n"
        "    def __call__(self, state, x, rollout_extras=None):\n"
        "        return noise(self.rngs, x)\n"
    )
    head = "from .helpers import noise\nfrom .root import Root"
    files = _package(_leaf("return noise(self.rngs, x)", head=head, base="Root"), root=root)
    assert _lint(tmp_path, files, "src/lib/leaf.py") == ["NNX101 noise(self.rngs, x)"]
    assert _lint(tmp_path, files, "src/lib/root.py") == ["NNX101 noise(self.rngs, x)"]


def test_what_nobody_else_reports_stands_at_the_name_of_the_class(tmp_path: Path) -> None:
    mixin = (
        "class Mixin:\n    def __call__(self, state, x, rollout_extras=None):\n"
        "        return self._noise(x.shape)\n"
    )
    leaf = "from .mid import Mid\nfrom .mixin import Mixin\nclass Leaf(Mixin, Mid): ...\n"
    again = "from .leaf import Leaf\nclass Again(Leaf): ...\n"
    files = _package(leaf, mixin=mixin, again=again)
    assert _lint(tmp_path, files, "src/lib/mixin.py") == []
    assert _lint(tmp_path, files, "src/lib/root.py") == []
    assert _lint(tmp_path, files, "src/lib/leaf.py") == ["NNX101 Leaf(Mixin, Mid): ..."]
    assert _lint(tmp_path, files, "src/lib/again.py") == []


def test_a_lambda_that_is_inherited_as_entry_point_stands_at_the_name_too(tmp_path: Path) -> None:
    mixin = (
        "class Mixin:\n    __call__ = lambda self, state, x, extras=None: self._noise(x.shape)\n"
    )
    leaf = "from .mid import Mid\nfrom .mixin import Mixin\nclass Leaf(Mixin, Mid): ...\n"
    found = _lint(tmp_path, _package(leaf, mixin=mixin), "src/lib/leaf.py")
    assert found == ["NNX101 Leaf(Mixin, Mid): ..."]


def test_a_child_of_another_file_is_called_where_it_is_called(tmp_path: Path) -> None:
    child = (
        "from flax import nnx\nclass Child(nnx.Module):\n    def __init__(self, rngs):\n"
        "        self.drop = nnx.Dropout(0.5, rngs=rngs)\n"
        "    def __call__(self, x):\n        return self.drop(x)\n"
    )
    leaf = (
        "from .child import Child\nfrom .root import Root\nclass Leaf(Root):\n"
        "    def __init__(self, rngs):\n        self.child = Child(rngs)\n"
        "    def __call__(self, state, x, rollout_extras=None):\n        return self.child(x)\n"
    )
    found = _lint(tmp_path, _package(leaf, child=child), "src/lib/leaf.py")
    assert found == ["NNX104 self.child(x)"]


def test_a_name_of_another_module_is_held_there(tmp_path: Path) -> None:
    store = "import jax\nfrom flax import nnx\nKEY = jax.random.key(0)\nRNGS = nnx.Rngs(0)\nN = 3\n"
    leaf = _leaf(
        "import jax",
        "y = jax.random.normal(store.KEY, x.shape)",
        "return RNGS.normal((store.N,)) + y",
        head="from . import store\nfrom .store import RNGS\nfrom .mid import Mid",
    )
    found = _lint(tmp_path, _package(leaf, store=store), "src/lib/leaf.py")
    assert found == [
        "NNX102 jax.random.normal(store.KEY, x.shape)",
        "NNX101 RNGS.normal((store.N,)) + y",
    ]


def test_a_sound_helper_is_no_finding(tmp_path: Path) -> None:
    helpers = (
        "import jax\n\ndef split(keys):\n"
        "    return jax.vmap(lambda k: tuple(jax.random.split(k)))(keys)\n\n"
        "def draw(keys, x):\n"
        "    return jax.vmap(lambda k, row: jax.random.normal(k, row.shape))(keys, x)\n"
    )
    leaf = _leaf(
        "following, use = split(state)",
        "return following, draw(use, x)",
        head="from .helpers import draw, split\nfrom .mid import Mid",
    )
    assert _lint(tmp_path, _package(leaf, helpers=helpers), "src/lib/leaf.py") == []


@pytest.mark.parametrize(
    "head",
    [
        "from .gone import Base",
        "from .broken import Base",
        "from .mid import Base",
        "import lib.mid",
    ],
)
def test_a_base_that_is_found_nowhere_is_said(tmp_path: Path, head: str) -> None:
    base = "lib.mid.Base" if head.startswith("import") else "Base"
    leaf = PRELUDE + _leaf("return x", head=head, base=base)
    files = _package(leaf, broken="class Base(:\n")
    (found,) = _lint(tmp_path, files, "src/lib/leaf.py")
    assert found.startswith("NNX900 Leaf(")


def test_a_base_is_unknown_if_a_base_of_it_in_another_file_is(tmp_path: Path) -> None:
    mid = "from acme import Layer\nclass Mid(Layer): ...\n"
    leaf = PRELUDE + _leaf("return self.rngs.normal()")
    files = _package(leaf, mid=mid)
    (found,) = _lint(tmp_path, files, "src/lib/leaf.py")
    assert found.startswith("NNX900 ")
    for name in ("acme.Layer", "lib.mid.Mid", "lib.leaf.Leaf", ".mid.Mid", "lib.exports.Mid"):
        exports = _package(leaf, mid=mid, exports="from .mid import Mid")
        (found,) = _lint(tmp_path, exports, "src/lib/leaf.py", Settings(bases=(name,)))
        assert found == "NNX101 self.rngs.normal()"


def test_a_plain_base_of_another_file_makes_no_module(tmp_path: Path) -> None:
    leaf = PRELUDE + _leaf("return self.rngs.normal()", head="from .plain import *", base="Plain")
    assert _lint(tmp_path, _package(leaf, plain="class Plain: ...\n"), "src/lib/leaf.py") == []


def test_with_the_module_of_flax_as_a_base_every_nnx_project_is_audited(tmp_path: Path) -> None:
    files = {
        "net/base.py": "from flax import nnx\nclass Base(nnx.Module):\n"
        "    def __init__(self, rngs: nnx.Rngs):\n        self.rngs = rngs\n",
        "net/noisy.py": "from net.base import Base\nclass Noisy(Base):\n"
        "    def __call__(self, x):\n        return x + self.rngs.normal(x.shape)\n",
    }
    settings = Settings(bases=("flax.nnx.Module",))
    assert _lint(tmp_path, files, "net/noisy.py") == []
    found = _lint(tmp_path, files, "net/noisy.py", settings)
    assert found == ["NNX101 self.rngs.normal(x.shape)"]


def test_roots_that_are_named_are_searched(tmp_path: Path) -> None:
    leaf = _leaf("return self.rngs.normal()", head="# nnx_ppo\nfrom far.mid import Mid")
    files = {"a/leaf.py": leaf, "b/c/far/mid.py": ROOT + "\nclass Mid(Root): ...\n"}
    (found,) = _lint(tmp_path, files, "a/leaf.py")
    assert found.startswith("NNX900 ")
    settings = Settings(roots=("b/c",))
    assert _lint(tmp_path, files, "a/leaf.py", settings) == ["NNX101 self.rngs.normal()"]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("from .second import B\nclass A(B):", "from .first import A\nclass B(A):"),
        ("from .second import B\nA = B\nclass C(A):", "from .first import A as B\nclass D(B):"),
        (
            "from . import second\nX = second.X\nclass C(X):",
            "from . import first\nX = first.X\nclass D(X):",
        ),
    ],
)
def test_cycles_of_bases_and_names_across_files_end(
    tmp_path: Path, first: str, second: str
) -> None:
    body = "\n    def __call__(self, state, x): return x\n"
    files = _package("", first=f"{PRELUDE}{first}{body}", second=f"{second}{body}")
    for name in ("first", "second"):
        assert all("NNX900" in line for line in _lint(tmp_path, files, f"src/lib/{name}.py"))


def test_cycles_of_calls_and_values_across_files_end(tmp_path: Path) -> None:
    ping = "from . import pong\nX = pong.X\ndef ping(r, n): return pong.pong(r, n) if n else X\n"
    pong = "from . import ping\nX = ping.X\ndef pong(r, n): return ping.ping(r, n) + r.normal()\n"
    leaf = _leaf("return ping(self.rngs, 9)", head="from .ping import ping\nfrom .mid import Mid")
    found = _lint(tmp_path, _package(leaf, ping=ping, pong=pong), "src/lib/leaf.py")
    assert found == ["NNX101 ping(self.rngs, 9)"]


def test_a_decorator_and_a_declared_type_of_other_files_are_followed(tmp_path: Path) -> None:
    tools = (
        "import functools\nfrom flax import nnx\nStream = nnx.RngStream\n"
        "def drawing(f):\n    @functools.wraps(f)\n    def inner(self, *args):\n"
        "        return f(self, *args) + self.rngs.normal()\n    return inner\n"
    )
    leaf = (
        "from .tools import Stream, drawing\nfrom .root import Root\nclass Leaf(Root):\n"
        "    def __init__(self, source: Stream, rngs):\n"
        "        self.source, self.rngs = source, rngs\n"
        "    def __call__(self, state, x, rollout_extras=None):\n"
        "        return self.shift(x) + self.source()\n"
        "    @drawing\n    def shift(self, x):\n        return x\n"
    )
    found = _lint(tmp_path, _package(leaf, tools=tools), "src/lib/leaf.py")
    assert found == ["NNX101 self.shift(x) + self.source()", "NNX101 self.source()"]


def test_every_file_that_a_finding_depends_on_is_consulted(tmp_path: Path) -> None:
    leaf = _leaf(
        "return noise(self.rngs, x)", head="from .helpers import noise\nfrom .mid import Mid"
    )
    write(tmp_path, {"setup.py": ""} | _package(leaf))
    disk = Disk()
    lint(read_document(tmp_path / "src/lib/leaf.py"), None, None, disk)
    read = {path.name for path, found in disk.consulted.items() if found and path.suffix == ".py"}
    assert {"__init__.py", "root.py", "mid.py", "helpers.py", "setup.py"} <= read
    assert disk.consulted[tmp_path / "pyproject.toml"] is None
