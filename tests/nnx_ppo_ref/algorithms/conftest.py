"""Lets nnx-ppo's test files be loaded."""

from __future__ import annotations

import pytest


def pytest_configure(config: pytest.Config) -> None:
    """Knows the marker that they use."""
    config.addinivalue_line("markers", "warp: nnx-ppo's tests of MuJoCo Warp, which are not run")
