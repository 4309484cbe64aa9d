"""Which Flax layers draw by themselves when they are called (flax 0.12.8)."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class DrawingLayer:
    """A layer with a stream of its own.

    Attributes:
        rate: The constructor argument that decides whether it draws at all, or None.
        rate_position: Where that argument stands positionally, or None for keyword only.
        default_draws: Whether it draws when the rate is not given.
        silent_rates: Literal rates at which nothing is drawn.
        stream: The attribute that holds its stream.
    """

    rate: str | None = None
    rate_position: int | None = None
    default_draws: bool = True
    silent_rates: tuple[float, ...] = ()
    stream: str = "rngs"


DRAWING_LAYERS: dict[str, DrawingLayer] = {
    "flax.nnx.Dropout": DrawingLayer("rate", 0, silent_rates=(0.0, 1.0)),
    "flax.nnx.MultiHeadAttention": DrawingLayer(
        "dropout_rate", default_draws=False, silent_rates=(0.0,)
    ),
    "flax.nnx.bridge.ToNNX": DrawingLayer(stream="to_nnx__rngs"),
}

WRITING_LAYERS: dict[str, tuple[str, bool]] = {
    "flax.nnx.BatchNorm": ("use_running_average", True),
    "flax.nnx.SpectralNorm": ("update_stats", False),
}
"""Layers that update statistics when they are called: the argument of the call and its value that
keep them from it. The same argument of the constructor does not count, as `train()` undoes it."""

RECURRENT_CALLERS = frozenset({"flax.nnx.RNN", "flax.nnx.Bidirectional"})
"""Layers that ask a cell for its initial carry when the call passes none."""

CARRY_INITIALIZER = "carry_init"
"""The cell's constructor argument that makes its initial carry random; zeros without it."""

CARRY_ARGUMENT = "initial_carry"
CARRY_METHOD = "initialize_carry"

SILENT_FLAG = "deterministic"
KEY_ARGUMENT = "rngs"

RETURNING_SELF = frozenset({"lazy_init"})
METHODS = frozenset({CARRY_METHOD, "__call__", "lazy_init"})
"""Methods of layers that are modelled."""

MODELLED = frozenset(DRAWING_LAYERS) | RECURRENT_CALLERS | {"flax.nnx.Sequential"}
"""Layers whose calls are modelled, also where a class of the project derives from one."""
