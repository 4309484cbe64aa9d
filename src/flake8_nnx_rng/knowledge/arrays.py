"""Which functions of JAX keep the first axis of what they are given (jax 0.10.2)."""

from __future__ import annotations

_NUMPY = (
    "abs absolute add arccos arcsin arctan arctan2 asarray array bool_ cbrt ceil clip conj copy "
    "cos cosh deg2rad divide equal exp exp2 expm1 fabs float32 float_power floor floor_divide "
    "fmax fmin greater greater_equal heaviside hypot int32 isfinite isinf isnan less less_equal "
    "log log10 log1p log2 logaddexp logical_and logical_not logical_or logical_xor maximum minimum "
    "mod multiply nan_to_num negative not_equal power rad2deg reciprocal remainder rint round sign "
    "sin sinc sinh sqrt square subtract tan tanh true_divide trunc where"
)
_ACTIVATIONS = (
    "celu elu gelu glu hard_sigmoid hard_silu hard_swish hard_tanh identity leaky_relu "
    "log_sigmoid mish relu relu6 selu sigmoid silu soft_sign softplus softsign "
    "squareplus standardize swish tanh"
)

_LAX = "stop_gradient select exp log rsqrt erf erf_inv"
_REDUCTIONS = "sum mean max min prod var std argmax argmin all any"

ELEMENTWISE: frozenset[str] = frozenset(
    {f"jax.numpy.{name}" for name in _NUMPY.split()}
    | {f"{module}.{name}" for module in ("jax.nn", "flax.nnx") for name in _ACTIVATIONS.split()}
    | {f"jax.lax.{name}" for name in _LAX.split()}
    | {
        "builtins.sum",
        "builtins.abs",
        "jax.scipy.special.erf",
        "jax.scipy.special.erfinv",
        "jax.scipy.special.logit",
    }
)
"""Functions of the elements alone: what they return has the first axis of what they are given."""

LIKE = frozenset(f"jax.numpy.{name}" for name in ["zeros_like", "ones_like", "full_like"])
FILLED = frozenset(f"jax.numpy.{name}" for name in ["zeros", "ones", "full", "empty", "arange"])
SHAPED = frozenset({"jax.numpy.broadcast_to", "jax.numpy.reshape"})

ALONG: dict[str, tuple[int, int | None]] = {
    "jax.numpy.concatenate": (1, 0),
    "jax.numpy.stack": (1, 0),
    "jax.numpy.split": (2, 0),
    "jax.numpy.array_split": (2, 0),
    "jax.numpy.cumsum": (1, None),
    "jax.numpy.sort": (1, -1),
    "jax.numpy.argsort": (1, -1),
    "jax.numpy.expand_dims": (1, 0),
    "jax.numpy.squeeze": (1, None),
    "jax.numpy.repeat": (2, None),
    "jax.nn.softmax": (1, -1),
    "jax.nn.log_softmax": (1, -1),
    "jax.nn.one_hot": (3, -1),
    "flax.nnx.softmax": (1, -1),
    "flax.nnx.log_softmax": (1, -1),
    "flax.nnx.one_hot": (3, -1),
    "jax.nn.logsumexp": (1, None),
    "jax.scipy.special.logsumexp": (1, None),
    **{f"jax.numpy.{name}": (1, None) for name in (*_REDUCTIONS.split(), "median")},
    "jax.numpy.linalg.norm": (2, None),
}
"""Functions along an axis: where it is given by position, and what it is if it is not given."""

METHODS_ALONG: dict[str, tuple[int, int | None]] = dict.fromkeys(
    (*_REDUCTIONS.split(), "cumsum"), (0, None)
)
"""Methods of an array along an axis."""

ELEMENTWISE_METHODS = frozenset({"astype", "clip", "conj", "copy", "round"})

LISTS = frozenset({"jax.numpy.split", "jax.numpy.array_split"})
"""Functions that return several arrays."""
