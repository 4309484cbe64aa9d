"""What the functions of `jax.random` take behind their key, in any JAX that is supported."""

from __future__ import annotations

_SHAPED = "shape dtype out_sharding"
_WITH_METHOD = "shape dtype method out_sharding"  # since jax 0.12
_SIGNATURES = {
    "ball": "d p shape dtype out_sharding",
    "bernoulli": "p shape mode out_sharding",
    "beta": f"a b {_WITH_METHOD}",
    "binomial": "n p shape dtype",
    "bits": _SHAPED,
    "categorical": "logits axis shape replace mode out_sharding",
    "cauchy": _SHAPED,
    "chisquare": f"df {_WITH_METHOD}",
    "choice": "a shape replace p axis mode",
    "dirichlet": f"alpha {_SHAPED}",
    "double_sided_maxwell": "loc scale shape dtype",
    "exponential": _SHAPED,
    "f": f"dfnum dfden {_SHAPED}",
    "gamma": f"a {_WITH_METHOD}",
    "generalized_normal": f"p {_SHAPED}",
    "geometric": f"p {_SHAPED}",
    "gumbel": "shape dtype mode out_sharding",
    "laplace": _SHAPED,
    "loggamma": f"a {_WITH_METHOD}",
    "logistic": _SHAPED,
    "lognormal": f"sigma {_SHAPED}",
    "maxwell": _SHAPED,
    "multinomial": "n p shape dtype unroll",
    "multivariate_normal": "mean cov shape dtype method out_sharding",
    "normal": _SHAPED,
    "orthogonal": "n shape dtype m out_sharding",
    "pareto": f"b {_SHAPED}",
    "permutation": "x axis independent out_sharding",
    "poisson": f"lam {_WITH_METHOD}",
    "rademacher": _SHAPED,
    "randint": "shape minval maxval dtype out_sharding",
    "rayleigh": f"scale {_SHAPED}",
    "t": f"df {_SHAPED}",
    "triangular": f"left mode right {_SHAPED}",
    "truncated_normal": f"lower upper {_SHAPED}",
    "uniform": "shape dtype minval maxval out_sharding",
    "wald": f"mean {_SHAPED}",
    "weibull_min": "scale concentration shape dtype",
}

SIGNATURES: dict[str, tuple[str, ...]] = {
    name: tuple(parameters.split()) for name, parameters in _SIGNATURES.items()
}
"""By function, the names of its parameters in order; the methods of `nnx.Rngs` take the same."""

SHAPE, AXIS, REPLACE = "shape", "axis", "replace"
PERMUTATION, INDEPENDENT = "permutation", "independent"

NOT_BY_ROWS: dict[str, frozenset[str]] = {
    "choice": frozenset({"a"}),
    "double_sided_maxwell": frozenset({"loc", "scale"}),
    "weibull_min": frozenset({"scale", "concentration"}),
}
"""Parameters for whose rows nothing is drawn apart: what is chosen from, and what does not give a
draw its shape."""

MIXES_ROWS = frozenset({"permutation", "orthogonal"})
"""Draws that are of a whole array, or make one of which no axis counts anything else."""
