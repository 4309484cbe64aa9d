"""What the methods of `nnx.Rngs` and `nnx.RngStream`, and functions on them, do (flax 0.12.8)."""

from __future__ import annotations

from flake8_nnx_rng.knowledge import keys

RNGS = "flax.nnx.Rngs"
STREAM = "flax.nnx.RngStream"
STREAM_TYPES = frozenset({RNGS, STREAM})
KEY_TYPES = frozenset({"flax.nnx.RngKey", "flax.nnx.RngState"})
VARIABLE = "flax.nnx.Variable"
VARIABLE_TYPES = frozenset(
    {
        "flax.nnx.Variable",
        "flax.nnx.Param",
        "flax.nnx.BatchStat",
        "flax.nnx.Cache",
        "flax.nnx.Intermediate",
        "flax.nnx.RngCount",
    }
    | KEY_TYPES
)

DRAW_METHODS = keys.DRAWS
"""Methods that advance the stream and return random numbers."""

_INITIALIZERS = (
    "delta_orthogonal glorot_normal glorot_uniform he_normal he_uniform kaiming_normal "
    "kaiming_uniform lecun_normal lecun_uniform variance_scaling xavier_normal xavier_uniform"
)
INITIALIZER_METHODS: frozenset[str] = frozenset(_INITIALIZERS.split())
"""Methods that return an initializer, which draws when it is called."""

ADVANCE_METHODS = frozenset({"split", "fork", "broadcast"})
"""Methods that advance the stream and return new streams."""

MAPPING_METHODS = frozenset({"items"})

ADVANCE_FUNCTIONS = frozenset(
    {
        "flax.nnx.split_rngs",
        "flax.nnx.fork_rngs",
        "flax.nnx.reseed",
        "flax.nnx.with_rngs",
        "flax.nnx.backup_keys",
        "flax.nnx.restore_rngs",
    }
)
"""Functions that advance or replace every stream below the node that they are given."""

RESTART_FUNCTIONS = frozenset({"flax.nnx.reseed"})
"""Of these, those after which every pass draws the same."""

READ_METHODS = frozenset({"get_value", "get_raw_value", "copy"})
WRITE_METHODS = frozenset({"set_value", "set_raw_value", "copy_from", "update_from_state"})
VARIABLE_METHODS = READ_METHODS | WRITE_METHODS
VALUE_ATTRIBUTES = frozenset({"value", "raw_value"})
"""Ways to the content of an `nnx.Variable`, beside `[...]`."""

STREAM_STATE = frozenset({"key", "count"})
"""The Variables of a single stream."""

WRITE_FUNCTIONS = frozenset({"flax.nnx.update"})
STATE_FUNCTIONS = frozenset({"flax.nnx.state", "flax.nnx.pop"})
STATE_FILTERS = frozenset({"flax.nnx.RngKey", "flax.nnx.RngCount", "flax.nnx.RngState"})

USUAL_NAME = "rngs"
"""What constructors call the streams that they are given."""

COMMON_NAMES = frozenset({"rng", USUAL_NAME})
"""What streams are called by convention; a hint only where no type is known."""


def is_stream_name(path: str) -> bool:
    """Whether an attribute of unknown type is named as streams are.

    >>> is_stream_name("self.noise_rngs"), is_stream_name("self.rng_scale")
    (True, False)
    """
    last = path.rpartition(".")[2]
    return last.rpartition("_")[2] in COMMON_NAMES
