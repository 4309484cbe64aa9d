"""What a dotted name stands for in the files of a project."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from support import write

from flake8_nnx_rng.source import (
    Definition,
    Disk,
    Document,
    Found,
    Outside,
    Place,
    Resolver,
    find_roots,
)

CLIQUE = "abcdefghijkl"
EVERY_STAR = "".join(f"from {name} import *\n" for name in CLIQUE)
LAYERS = {"lib/__init__.py": "", "lib/layers.py": "class A: ...\n"}


def _resolver(directory: Path, files: dict[str, str], own: str = "main.py") -> Resolver:
    write(directory, {"setup.py": ""} | files)
    path = directory / own
    disk = Disk()
    text = files.get(own, "")
    return Resolver(Document(own, text), ast.parse(text), path, find_roots(disk, path), disk)


def _shown(directory: Path, found: Found) -> str:
    match found:
        case Outside(name):
            return f"<{name}>"
        case Definition(file, name, attributes):
            return ":".join((file.relative_to(directory).as_posix(), name, *attributes))
        case Place(None, directories):
            return "+".join(sorted(d.relative_to(directory).as_posix() for d in directories))
        case Place(Path() as file):
            return file.relative_to(directory).as_posix()
    raise AssertionError(found)


def _found(directory: Path, files: dict[str, str], name: str, own: str = "main.py") -> list[str]:
    resolver = _resolver(directory, files, own)
    return [_shown(directory, one) for one in resolver.find(name, directory / own)]


@pytest.mark.parametrize(
    ("files", "name", "found"),
    [
        (LAYERS, "lib.layers.A", "lib/layers.py:A"),
        (LAYERS, "lib.layers.A.b.c", "lib/layers.py:A:b:c"),
        (LAYERS, "lib.layers", "lib/layers.py"),
        (LAYERS, "lib", "lib/__init__.py"),
        (LAYERS, ".lib.layers.A", "lib/layers.py:A"),
        (LAYERS, "lib.layers.B", "<lib.layers.B>"),
        (LAYERS, "lib.other.A", "<lib.other.A>"),
        (LAYERS, "other.A", "<other.A>"),
        (LAYERS, ".other.A", "<.other.A>"),
        (LAYERS, "..main.A", "<..main.A>"),
        ({"src/lib/a.py": "A = 1"}, "lib.a.A", "src/lib/a.py:A"),
        ({"src/ns/lib/a.py": "A = 1"}, "ns.lib", "src/ns/lib"),
        ({"src/ns/a.py": "", "ns/b.py": "B = 1"}, "ns", "ns+src/ns"),
        ({"src/ns/a.py": "A = 1", "ns/b.py": "B = 1"}, "ns.b.B", "ns/b.py:B"),
        ({"src/ns/a.py": "A = 1", "ns/b.py": "B = 1"}, "ns.a.A", "src/ns/a.py:A"),
        ({"src/a/__init__.py": "A = 1", "a/b.py": ""}, "a.A", "src/a/__init__.py:A"),
        ({"a.py": "A = 1", "a/b.py": ""}, "a.A", "a.py:A"),
        ({"a.py": "", "a/__init__.py": "A = 1"}, "a.A", "a/__init__.py:A"),
        ({"flax.py": "A = 1", "random.py": "A = 1"}, "flax.A", "<flax.A>"),
        ({"flax.py": "A = 1", "random.py": "A = 1"}, "random.A", "<random.A>"),
        ({"flax.py": "A = 1", "random.py": "A = 1"}, ".random.A", "random.py:A"),
    ],
)
def test_the_longest_module_that_exists_has_the_rest_of_the_name(
    tmp_path: Path, files: dict[str, str], name: str, found: str
) -> None:
    assert _found(tmp_path, files, name) == [found]


@pytest.mark.parametrize(
    ("init", "found"),
    [
        ("from .layers import A", ["lib/layers.py:A"]),
        ("from lib.layers import A", ["lib/layers.py:A"]),
        ("from .layers import *", ["lib/layers.py:A"]),
        ("from . import layers\nA = layers.A", ["lib/__init__.py:A"]),
        ("from .layers import A as B\nfrom . import B as A", ["lib/layers.py:A"]),
        ("from .middle import A", ["lib/layers.py:A"]),
        ("from .middle import *", ["lib/layers.py:A"]),
        ("from acme import A", ["<acme.A>"]),
        ("from acme import *", ["<acme.A>"]),
        ("from acme import *\nfrom .layers import *", ["lib/layers.py:A"]),
        ("from .empty import *\nfrom .layers import *", ["lib/layers.py:A"]),
        ("from .empty import *", ["<lib.A>"]),
        ("from .empty import A", ["<.empty.A>"]),
        (
            "try:\n    from acme import A\nexcept ImportError:\n    from .layers import A",
            ["<acme.A>", "lib/layers.py:A"],
        ),
        (
            "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from .layers import A",
            ["lib/layers.py:A"],
        ),
        ("if x:\n    from .layers import A\nelse:\n    A = None", None),
        ("from .layers import A\nA = None", ["lib/__init__.py:A"]),
        ("A = None\nfrom .layers import A", ["lib/layers.py:A"]),
    ],
)
def test_what_a_package_exports_is_followed_to_where_it_is_defined(
    tmp_path: Path, init: str, found: list[str] | None
) -> None:
    middle = "from .layers import A\n"
    files = LAYERS | {"lib/__init__.py": init, "lib/middle.py": middle, "lib/empty.py": ""}
    found = ["lib/layers.py:A", "lib/__init__.py:A"] if found is None else found
    assert sorted(_found(tmp_path, files, "lib.A")) == sorted(found)


@pytest.mark.parametrize(
    ("init", "found"),
    [
        ("", "lib/dense.py"),
        ("from . import dense", "lib/dense.py"),
        ("import lib.dense", "lib/dense.py"),
        ("from .dense import dense", "lib/dense.py:dense"),
        ("dense = 1", "lib/__init__.py:dense"),
        ("from .dense import *", "lib/dense.py"),
    ],
)
def test_a_package_may_bind_the_name_of_its_module_to_something_else(
    tmp_path: Path, init: str, found: str
) -> None:
    files = {"lib/__init__.py": init, "lib/dense.py": "def dense(): ...\n"}
    assert _found(tmp_path, files, "lib.dense") == [found]


@pytest.mark.parametrize(
    ("name", "found"),
    [
        (".b.B", "lib/sub/b.py:B"),
        ("..a.A", "lib/a.py:A"),
        ("...main.M", "main.py:M"),
        (".", "lib/sub/__init__.py"),
        ("..", "lib"),
        ("..sub.b", "lib/sub/b.py"),
        (".S", "lib/sub/__init__.py:S"),
        ("." * 99 + "x", "<" + "." * 99 + "x>"),
    ],
)
def test_relative_names_start_at_the_directory_of_the_file(
    tmp_path: Path, name: str, found: str
) -> None:
    files = {
        "main.py": "M = 1",
        "lib/a.py": "A = 1",
        "lib/sub/__init__.py": "S = 1",
        "lib/sub/b.py": "B = 1",
        "lib/sub/own.py": "",
    }
    assert _found(tmp_path, files, name, own="lib/sub/own.py") == [found]


@pytest.mark.parametrize(
    "files",
    [
        {"a.py": "from b import X", "b.py": "from a import X"},
        {"a.py": "from b import *", "b.py": "from a import *"},
        {"a.py": "from a import X"},
        {"a.py": "from a import *"},
        {"a/__init__.py": "from . import X"},
        {"a/__init__.py": "from .a import *", "a/a.py": "from . import *"},
        {
            f"{name}.py": "".join(f"from {n} import *\n" for n in "abcdefghijkl")
            for name in "abcdefghijkl"
        },
    ],
)
def test_cycles_of_imports_end(tmp_path: Path, files: dict[str, str]) -> None:
    found = _found(tmp_path, files, "a.X")
    assert all(one.startswith("<") for one in found)
    defined = {name: f"{text}\nY = 1\n" for name, text in files.items()}
    assert any(one.endswith("py:Y") for one in _found(tmp_path, defined, "a.Y"))


@pytest.mark.parametrize(
    "text",
    ["class A(:\n", "x = " + "1+" * 900 + "1\nclass A: ...\n", "# coding: nonsense\nclass A: ..."],
    ids=["syntax error", "nested too deeply", "unknown encoding"],
)
def test_a_file_that_cannot_be_parsed_defines_nothing(tmp_path: Path, text: str) -> None:
    assert _found(tmp_path, {"lib.py": text}, "lib.A") == ["<lib.A>"]


def test_a_file_in_another_encoding_is_read_as_it_declares(tmp_path: Path) -> None:
    resolver = _resolver(tmp_path, {})
    (tmp_path / "lib.py").write_bytes("# coding: latin-1\nÄ = 'ß'\n".encode("latin-1"))
    assert resolver.find("lib.Ä", tmp_path / "main.py") == (Definition(tmp_path / "lib.py", "Ä"),)


def test_the_linted_file_is_seen_as_its_user_has_it_saved_or_not(tmp_path: Path) -> None:
    write(tmp_path, {"setup.py": "", "a.py": "OLD = 1"})
    path = tmp_path / "a.py"
    disk = Disk()
    document = Document("a.py", "NEW = 1")
    resolver = Resolver(document, document.syntax_tree(), path, find_roots(disk, path), disk)
    assert resolver.find("a.NEW", path) == (Definition(path, "NEW"),)
    assert resolver.find("a.OLD", path) == (Outside("a.OLD"),)
    assert path not in disk.consulted


def test_names_that_the_tables_know_are_never_looked_for_in_files(tmp_path: Path) -> None:
    types = "class StatefulModule: ...\nclass NamedChildren: ...\nclass StatefulModuleOutput: ...\n"
    files = {
        "nnx_ppo/__init__.py": "from .types import *",
        "nnx_ppo/types.py": types,
        "nnx_ppo/own.py": "",
    }
    for name in ("nnx_ppo.StatefulModule", "nnx_ppo.types.StatefulModuleOutput"):
        assert _found(tmp_path, files, name) == [f"<{name}>"]
    assert _found(tmp_path, files, "nnx_ppo.NamedChildren") == ["nnx_ppo/types.py:NamedChildren"]
    relative = _found(tmp_path, files, ".types.StatefulModule", own="nnx_ppo/own.py")
    assert relative == ["<nnx_ppo.types.StatefulModule>"]


def test_a_star_import_offers_what_its_module_has_or_may_have(tmp_path: Path) -> None:
    resolver = _resolver(tmp_path, LAYERS | {"lib/empty.py": ""})

    def offered(*names: str) -> list[str]:
        return resolver.starred(names, tmp_path / "main.py")

    assert offered("lib.layers.A", "lib.empty.A", "acme.A") == ["lib.layers.A"]
    assert offered("lib.layers.B", "lib.empty.B", "acme.B") == ["acme.B"]
    assert offered("lib.layers.B", "lib.empty.B") == []


def test_attributes_of_a_module_are_found_below_it(tmp_path: Path) -> None:
    resolver = _resolver(tmp_path, LAYERS)
    (package,) = resolver.find("lib", tmp_path / "main.py")
    assert isinstance(package, Place)
    (layers,) = resolver.below("lib", package, "layers")
    assert isinstance(layers, Place)
    assert resolver.below("lib.layers", layers, "A") == (
        Definition(tmp_path / "lib" / "layers.py", "A"),
    )
    assert resolver.below("lib.layers", layers, "B") == (Outside("lib.layers.B"),)


def test_files_that_were_looked_for_in_vain_are_consulted_too(tmp_path: Path) -> None:
    resolver = _resolver(tmp_path, LAYERS)
    resolver.find("lib.other.A", tmp_path / "main.py")
    consulted = resolver.disk.consulted
    assert consulted[tmp_path / "lib" / "other.py"] is None
    assert consulted[tmp_path / "lib" / "other" / "__init__.py"] is None
    assert consulted[tmp_path / "lib" / "__init__.py"] is not None


def test_a_name_that_stars_would_lengthen_without_end_is_not_found(tmp_path: Path) -> None:
    """A compiled module is not there to be read, and every star might bring its name."""
    stars = "".join(f"from .{name} import *\n" for name in ("_native", *CLIQUE))
    files = {"lib/__init__.py": stars} | {f"lib/{name}.py": stars for name in CLIQUE}
    assert _found(tmp_path, files, "lib._native.A") == ["<lib._native.A>"]
    found = _found(tmp_path, files, "._native.A", own="lib/own.py")
    assert all(one.startswith("<") for one in found)
