"""A linter for randomness in PPO modules written with Flax NNX.

PPO runs a network twice: the rollout, and the loss that replays it on minibatches. A layer that
draws its noise from the module's own stream sees different noise in the two, and the gradient is
silently wrong. This package finds every such draw.
"""

from typing import TYPE_CHECKING

__version__ = "0.1.0"

if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        """`Fix` is the codemod for libcst's tool, loaded only when that asks for it."""
        if name == "Fix":
            from flake8_nnx_rng.adapters.libcst_tool import Fix

            return Fix
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
