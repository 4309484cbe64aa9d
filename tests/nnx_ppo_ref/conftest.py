"""The rule for the whole reference: no key is used twice."""

from __future__ import annotations

from collections.abc import Iterator

import jax
import pytest


@pytest.fixture(autouse=True)
def key_reuse_is_an_error() -> Iterator[None]:
    """A replay is the one place where a key comes twice: clone it there."""
    with jax.debug_key_reuse(True):
        yield
