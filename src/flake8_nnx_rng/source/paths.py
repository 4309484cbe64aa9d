"""Questions about paths that no path makes raise: too long, in a circle of links, or forbidden."""

from __future__ import annotations

import os
from pathlib import Path


def exists(path: Path) -> bool:
    """Whether there is anything at a path that can be reached."""
    return os.path.exists(path)  # noqa: PTH110 (pathlib's raises before Python 3.14)


def is_directory(path: Path) -> bool:
    """Whether there is a directory at a path."""
    return os.path.isdir(path)  # noqa: PTH112 (as above)


def behind_links(path: Path) -> Path:
    """The path behind all symbolic links, as far as they lead anywhere."""
    try:
        return Path(os.path.realpath(path))
    except ValueError:  # a null character
        return path
