"""How JAX, Flax and Python hand functions and values on."""

from __future__ import annotations

import sys

from flake8_nnx_rng.knowledge import library

SEEN_THROUGH = sys.stdlib_module_names | {
    "absl",
    "builtins",
    "chex",
    "einops",
    "flax",
    "jax",
    "jaxtyping",
    "numpy",
    "optax",
    "scipy",
    "typing_extensions",
}
"""Packages whose functions draw only where another table says so."""

KEEPING_METHODS = frozenset(
    {"append", "appendleft", "extend", "insert", "setdefault"}
    | {"critical", "debug", "error", "exception", "info", "warning"}
)
"""Methods of collections and loggers, which keep or show what they are given."""


def draws_nothing(name: str) -> bool:
    """Whether a library's function or class of no other table draws nothing of what it is given.

    >>> draws_nothing("jax.tree.leaves"), draws_nothing("distrax.Normal")
    (True, True)
    >>> draws_nothing("elsewhere.perturbed"), draws_nothing("distrax.perturbed")
    (False, False)
    """
    package, is_class = name.partition(".")[0], name.rpartition(".")[2][:1].isupper()
    return package in SEEN_THROUGH or (is_class and package in library.STATELESS_PACKAGES)


TRANSFORMS = frozenset(
    [
        "jax.jit",
        "jax.checkpoint",
        "jax.remat",
        "jax.named_call",
        "jax.custom_vjp",
        "jax.custom_jvp",
        "jax.ad_checkpoint.checkpoint",
        "jax.shard_map",
        "jax.experimental.shard_map.shard_map",
        "jax.disable_jit",
        "jax.linear_util.wrap_init",
        "numpy.vectorize",
        "functools.wraps",
        "functools.cache",
        "functools.lru_cache",
        "jaxtyping.jaxtyped",
        "flax.nnx.jit",
        "flax.nnx.remat",
        "flax.nnx.scan",
        "flax.nnx.custom_vjp",
        "flax.nnx.shard_map",
        "flax.nnx.cached_partial",
        "flax.nnx.checkify",
        "flax.nnx.jit_partial",
    ]
)
"""Functions that return a function with the same arguments and the same draws."""

MAPS = frozenset(
    [
        "jax.vmap",
        "jax.pmap",
        "jax.numpy.vectorize",
        "jax.custom_batching.sequential_vmap",
        "flax.nnx.vmap",
        "flax.nnx.pmap",
    ]
)
"""Functions that return a function which is called with one row of each argument."""

VECTORIZING = frozenset({"jax.numpy.vectorize"})
"""Of these, those whose function also takes a single row, and has no `in_axes`."""

GRADIENTS = frozenset(
    [
        "jax.grad",
        "jax.value_and_grad",
        "jax.jacfwd",
        "jax.jacrev",
        "jax.hessian",
        "flax.nnx.grad",
        "flax.nnx.value_and_grad",
        "jax.eval_shape",
        "flax.nnx.eval_shape",
    ]
)
"""Functions that call what they are given, and return other numbers than it does."""

DIFFERENTIATED = frozenset({"jax.linearize", "jax.vjp", "jax.jvp", "flax.nnx.vjp", "flax.nnx.jvp"})
"""Functions that call what they are given at once."""

PASS_THROUGH = frozenset(
    [
        "jax.numpy.asarray",
        "jax.numpy.array",
        "jax.numpy.copy",
        "jax.numpy.stack",
        "jax.numpy.concatenate",
        "jax.numpy.where",
        "jax.lax.stop_gradient",
        "jax.lax.with_sharding_constraint",
        "jax.lax.optimization_barrier",
        "jax.lax.select",
        "jax.device_put",
        "jax.block_until_ready",
        "copy.copy",
        "copy.deepcopy",
        "flax.nnx.clone",
        "flax.nnx.data",
        "flax.nnx.static",
        "flax.nnx.identity",
        "flax.nnx.view",
        "typing.cast",
    ]
)
"""Functions whose result is what they are given, in another place."""

COPIES = frozenset({"copy.copy", "copy.deepcopy", "flax.nnx.clone"})
"""Of these, those whose result is another object."""

TRACES = frozenset(
    {
        "jax.jit",
        "jax.checkpoint",
        "jax.remat",
        "jax.vmap",
        "jax.pmap",
        "jax.grad",
        "jax.value_and_grad",
        "jax.jacfwd",
        "jax.jacrev",
        "jax.hessian",
        "jax.numpy.vectorize",
        "jax.lax.associative_scan",
        "jax.lax.cond",
        "jax.lax.fori_loop",
        "jax.lax.map",
        "jax.lax.scan",
        "jax.lax.switch",
        "jax.lax.while_loop",
    }
)
"""Functions of JAX that trace what they are given: a stream of outside raises an error there."""

RESHAPES = {
    "jax.numpy.reshape": ("a", 0),
    "jax.numpy.broadcast_to": ("array", 0),
    "jax.numpy.squeeze": ("a", 0),
    "jax.numpy.expand_dims": ("a", 0),
    "jax.numpy.repeat": ("a", 0),
    "jax.numpy.tile": ("A", 0),
    "jax.numpy.ravel": ("a", 0),
    "jax.numpy.atleast_1d": ("arys", 0),
    "jax.numpy.full": ("fill_value", 1),
}
"""Functions that yield one of their arguments in another shape, by that argument."""

COUNTERS = frozenset(
    {
        "jax.numpy.arange",
        "jax.numpy.linspace",
        "jax.lax.iota",
        "jax.lax.broadcasted_iota",
        "numpy.arange",
        "numpy.linspace",
    }
)
"""Functions that yield numbers one after the other."""

READS = {"jax.numpy.shape": "shape", "jax.numpy.ndim": "ndim", "jax.numpy.size": "size"}
"""Functions that read an attribute of their argument."""

STACKS = frozenset(
    {"jax.numpy.stack", "jax.numpy.concatenate", "jax.numpy.array", "jax.numpy.asarray"}
)
"""Of these, functions that make one array of a list of them."""

ROLL = "jax.numpy.roll"

TURNS = frozenset({ROLL, "jax.numpy.flip", "jax.numpy.flipud"})
"""Functions that only put the rows of a batch in another order."""

SHIFTS = TURNS | {"jax.numpy.take", "jax.numpy.sort"}
"""Functions after which the rows of a batch stand elsewhere."""

RESHAPING_METHODS = frozenset({"reshape", "repeat", "ravel", "flatten", "squeeze", "astype"})
"""Methods of an array that do the same."""

SELECTIONS = frozenset({"jax.numpy.where", "jax.lax.select"})
"""Of these, functions that return one of their further arguments."""

SHAPE_ONLY = frozenset(
    [
        "jax.numpy.zeros_like",
        "jax.numpy.ones_like",
        "jax.numpy.full_like",
        "jax.numpy.empty_like",
        "builtins.hasattr",
        "builtins.issubclass",
        "builtins.callable",
    ]
)
"""Functions whose result depends on shapes and types alone, which are fixed under jit."""

SHAPE, DTYPE = "shape", "dtype"

SHAPE_ATTRIBUTES = frozenset({SHAPE, DTYPE, "ndim", "size"})
"""Attributes of an array that are fixed under jit."""

CALLED_ONCE = frozenset(["jax.lax.cond", "jax.lax.switch", "flax.nnx.cond", "flax.nnx.switch"])
"""Functions that call one of the functions that they are given, at once and once."""
