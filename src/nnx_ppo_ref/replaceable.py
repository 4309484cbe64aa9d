"""Copies of frozen dataclasses with some fields changed."""

from __future__ import annotations

import dataclasses
from typing import Any, Self, cast


class Replaceable:
    """Gives a dataclass nnx-ppo's `replace`."""

    def replace(self, **changes: Any) -> Self:
        """A copy with some fields changed."""
        changed: Self = dataclasses.replace(cast(Any, self), **changes)
        return changed
