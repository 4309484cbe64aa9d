"""Whether a file without a marker may matter because of the bases of its classes."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from support import write

from flake8_nnx_rng.source import (
    Disk,
    Document,
    Resolver,
    derives_from_marked,
    find_roots,
    imports_a_base,
)

BASE = "from marked import X\nclass Base(X): ...\nclass Plain: ...\n"


def _matters(directory: Path, text: str, files: dict[str, str]) -> bool:
    write(directory, {"setup.py": "", "base.py": BASE} | files)
    path = directory / "main.py"
    disk = Disk()
    resolver = Resolver(
        Document("main.py", text), ast.parse(text), path, find_roots(disk, path), disk
    )
    return derives_from_marked(resolver, ("marked",))


@pytest.mark.parametrize(
    "text",
    [
        "from base import Base\nclass A(Base): ...",
        "from base import Base as B\nclass A(B[int]): ...",
        "import base\nclass A(base.Base): ...",
        "from . import base\nclass A(base.Base): ...",
        "from base import *\nclass A(Base): ...",
        "from base import Base\nAlias = Base\nclass A(Alias): ...",
        "from base import Base\nclass B(Base): ...\nclass A(B): ...",
        "from base import Base\ndef f():\n    class A(Base): ...",
        "def f():\n    from base import Base\n    class A(Base): ...",
        "if x:\n    from base import Base\nelse:\n    Base = object\nclass A(Base): ...",
        "from base import Base\nclass A(mixed(Base)): ...",
        "from middle import Middle\nclass A(Middle): ...",
        "from star import Base\nclass A(Base): ...",
        "from middle import Aliased\nclass A(Aliased): ...",
        "from renamed import Short\nclass A(Short): ...",
    ],
)
def test_a_base_in_a_file_with_a_marker_is_found(tmp_path: Path, text: str) -> None:
    files = {
        "star.py": "from base import *",
        "middle.py": "from star import Base\nimport base as b\nclass Middle(Base): ...\n"
        "Aliased = b.Base\n",
        "renamed.py": "from inner import Thing as Short",
        "inner.py": "from marked.types import X as Thing",
    }
    assert _matters(tmp_path, text, files)


@pytest.mark.parametrize(
    "text",
    [
        "import base\nclass A: ...",
        "import base\nclass A(object): ...",
        "from acme import Layer\nclass A(Layer): ...",
        "from other import Plain\nclass A(Plain): ...",
        "import base\nfrom other import *\nclass A(Plain): ...",
        "from gone import Base\nclass A(Base): ...",
        "from broken import Base\nclass A(Base): ...",
        "class A(B): ...\nclass B(A): ...",
        "from cycle import A\nclass A(A): ...",
        "import other\nclass A(other): ...",
    ],
)
def test_other_bases_do_not_make_a_file_matter(tmp_path: Path, text: str) -> None:
    files = {
        "other.py": "import base\nclass Plain(Exception): ...",
        "broken.py": "class Base(:",
        "cycle.py": "from main import A",
    }
    assert not _matters(tmp_path, text, files)


def test_a_file_whose_classes_have_no_imported_base_reads_no_other_file(tmp_path: Path) -> None:
    text = "import base, enum\nclass A(enum.Enum): ...\nclass B(ValueError): ...\n"
    write(tmp_path, {"setup.py": "", "base.py": BASE})
    path = tmp_path / "main.py"
    disk = Disk()
    resolver = Resolver(
        Document("main.py", text), ast.parse(text), path, find_roots(Disk(), path), disk
    )
    assert not derives_from_marked(resolver, ("marked",))
    assert disk.consulted == {}


@pytest.mark.parametrize(
    ("text", "may"),
    [
        ("class A: ...", False),
        ("class A(B): ...", True),
        ("class A(ValueError, object): ...", False),
        ("class A: ...\nclass B(A): ...", False),
        ("import enum\nclass A(enum.Enum): ...", False),
        ("from flax import nnx\nclass A(nnx.Module): ...", False),
        ("from collections.abc import Sequence as S\nclass A(S[int]): ...", False),
        ("import enum\nimport base\nclass A(enum.Enum): ...", False),
        ("import base\nclass A(base.B): ...", True),
        ("import base.inner as b\nclass A(b.B): ...", True),
        ("from .enum import Enum\nclass A(Enum): ...", True),
        ("from . import enum\nclass A(enum.Enum): ...", True),
        ("from base import *\nclass A(B): ...", True),
        ("from base import A\nclass A(A): ...", True),
        ("import enum\nE = enum.Enum\nclass A(E): ...", True),
        ("try:\n    from enum import E\nexcept E:\n    from base import E\nclass A(E): ...", True),
        ("def f():\n    from base import B\n    class A(mixed(B)): ...", True),
    ],
)
def test_a_base_may_be_imported_unless_every_name_in_it_is_known(text: str, may: bool) -> None:
    assert imports_a_base(ast.parse(text)) is may
