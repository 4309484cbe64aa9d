"""Which Flax layers draw, or write state, by themselves when they are called (flax 0.12.12)."""

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


WITHOUT_PARAMETERS = frozenset({"flax.nnx.Dropout", "flax.nnx.Sequential", "flax.nnx.RNN"})
"""Layers that learn nothing by themselves."""

ONE_MASK = {"flax.nnx.MultiHeadAttention": "broadcast_dropout"}
"""Those that draw one mask for the batch, unless this argument of the constructor is False."""


@dataclass(frozen=True)
class WritingLayer:
    """A layer that writes state of its own when it is called.

    Attributes:
        flag: The argument of the call that decides whether it does, or None if nothing does.
        flag_position: Where that argument stands positionally, or None for keyword only.
        silent_values: Its literal values at which nothing is written.
        writes_unsaid: Whether it writes when nothing is said.
        hears_constructor: Whether the constructor's argument of that name counts as well; not if
            `train()` undoes it.
    """

    flag: str | None = None
    flag_position: int | None = None
    silent_values: tuple[object, ...] = ()
    writes_unsaid: bool = True
    hears_constructor: bool = False


WRITING_LAYERS: dict[str, WritingLayer] = {
    "flax.nnx.BatchNorm": WritingLayer("use_running_average", 1, (True,)),
    # These two normalise the parameters of the layer that they wrap in place, in either mode.
    "flax.nnx.SpectralNorm": WritingLayer(),
    "flax.nnx.WeightNorm": WritingLayer(),
    "flax.nnx.MultiHeadAttention": WritingLayer(
        "decode", None, (False, None), writes_unsaid=False, hears_constructor=True
    ),
    "flax.nnx.bridge.ToNNX": WritingLayer("mutable", None, (False, None), writes_unsaid=False),
}

RECURRENT_CALLERS = frozenset({"flax.nnx.RNN", "flax.nnx.Bidirectional"})
"""Layers that ask a cell for its initial carry when the call passes none."""

CARRY_INITIALIZER = "carry_init"
"""The cell's constructor argument that makes its initial carry random; zeros without it."""

CELLS = frozenset(
    f"flax.nnx.{name}" for name in ("GRUCell", "LSTMCell", "OptimizedLSTMCell", "SimpleCell")
)
"""The cells that do so, with one axis of features."""

CARRY_ARGUMENT = "initial_carry"
CARRY_METHOD = "initialize_carry"

SILENT_FLAG = "deterministic"
KEY_ARGUMENT = "rngs"

RETURNING_SELF = frozenset({"lazy_init"})
METHODS = frozenset({CARRY_METHOD, "__call__", "lazy_init"})
"""Methods of layers that are modelled."""

SELF_WILLED = frozenset(DRAWING_LAYERS) | frozenset(WRITING_LAYERS)
"""Layers that draw or write when they are called."""

MODELLED = SELF_WILLED | RECURRENT_CALLERS | {"flax.nnx.Sequential"}
"""Layers whose calls are modelled, also where a class of the project derives from one."""
