"""The sources of published packages, as the registry serves them: read, never installed."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from flake8_nnx_rng.source import Document, SourceError
from flake8_nnx_rng.source.document import decode

CACHE = "NNX_RNG_CORPUS"
"""The environment variable with the directory that keeps what was downloaded."""

TIMEOUT = 300


@dataclass(frozen=True)
class Package:
    """A package of one version.

    Attributes:
        name: Its name in the registry.
        version: Its version.
        is_sdist: Whether it is read as a source distribution, which has examples and tests too.
    """

    name: str
    version: str
    is_sdist: bool = False

    def __str__(self) -> str:
        return f"{self.name} {self.version}"

    def archive(self, cache: Path) -> Path:
        """The archive in the cache, downloaded if it is not there.

        Raises:
            LookupError: If it cannot be had.
        """
        home = Path(os.environ.get(CACHE) or cache) / f"{self.name}-{self.version}"
        if not home.exists():
            home.parent.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryDirectory(dir=home.parent) as work:
                fresh = Path(work, "fresh")
                self._download(fresh)
                with contextlib.suppress(OSError):  # another process was faster
                    fresh.rename(home)
        return next(path for path in home.iterdir() if path.is_file())

    def _download(self, target: Path) -> None:
        kind = "--no-binary" if self.is_sdist else "--only-binary"
        command = [sys.executable, "-m", "pip", "download", "--no-deps", "--quiet"]
        options = ["--disable-pip-version-check", kind, ":all:", "--dest", str(target)]
        requirement = f"{self.name}=={self.version}"
        try:
            done = subprocess.run(
                [*command, *options, requirement], capture_output=True, text=True, timeout=TIMEOUT
            )
        except subprocess.TimeoutExpired as error:
            raise LookupError(f"{self}: the registry does not answer") from error
        if done.returncode:
            problem = (done.stderr.strip() or "no reason given").splitlines()[-1]
            raise LookupError(f"{self} cannot be downloaded: {problem}")


def documents(archive: Path) -> Iterator[Document]:
    """The Python files of an archive that are valid Python."""
    for name, data in _members(archive):
        try:
            document = decode(data, name)
            document.syntax_tree()
        except SourceError:  # files that are meant to be broken
            continue
        yield document


def _members(archive: Path) -> Iterator[tuple[str, bytes]]:
    if archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as wheel:
            for name in sorted(wheel.namelist()):
                if name.endswith(".py"):
                    yield name, wheel.read(name)
        return
    with tarfile.open(archive) as sdist:
        for member in sdist:
            file = sdist.extractfile(member) if member.name.endswith(".py") else None
            if file is not None:
                yield member.name.partition("/")[2], file.read()
