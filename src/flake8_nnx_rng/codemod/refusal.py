"""Why a class is left as it is."""

from __future__ import annotations


class RefusedError(Exception):
    """No rewrite keeps what the code means; the text says why, in one line."""
