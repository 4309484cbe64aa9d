"""A pytest fixture, `assert_replays`.

`pytest_plugins = ["nnx_ppo_ref.oracle.plugin"]` in a test suite's top `conftest.py` loads it. It
loads JAX, so it is not registered for whoever has only the linter installed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from nnx_ppo_ref.oracle.checking import assert_replays as check_and_assert


@pytest.fixture(scope="session")
def assert_replays() -> Callable[..., Any]:
    """The function `nnx_ppo_ref.oracle.assert_replays`."""
    return check_and_assert
