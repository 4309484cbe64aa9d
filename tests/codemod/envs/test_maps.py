"""Functions that are mapped over the envs draw with the key of one env each."""

from __future__ import annotations

import pytest

from ..rewriting import changes, noisy, proposed

END = "\nreturn StatefulModuleOutput(state, y, 0.0, {})"
TAKING = """
def perturbed(row, rngs):
    return row + rngs.normal(row.shape)

"""
OWN = """
def perturbed(row):
    return row + self.rngs.normal(row.shape)

"""

DECORATED = {
    "jax.vmap": (
        f"@jax.vmap{OWN}y = perturbed(x)",
        "-def perturbed(row):\n"
        "-return row + self.rngs.normal(row.shape)\n"
        "+def perturbed(key, row):\n"
        "+return row + jax.random.normal(key, row.shape)\n"
        "-y = perturbed(x)\n"
        "+y = perturbed(use, x)",
    ),
    "jax.vmap with axes": (
        f"@functools.partial(jax.vmap, in_axes=(0,)){OWN}y = perturbed(x)",
        "-@functools.partial(jax.vmap, in_axes=(0,))\n"
        "-def perturbed(row):\n"
        "-return row + self.rngs.normal(row.shape)\n"
        "+@functools.partial(jax.vmap, in_axes=(0, 0,))\n"
        "+def perturbed(key, row):\n"
        "+return row + jax.random.normal(key, row.shape)\n"
        "-y = perturbed(x)\n"
        "+y = perturbed(use, x)",
    ),
    "streams that are split": (
        f"@nnx.split_rngs(splits=x.shape[0])\n@nnx.vmap{TAKING}y = perturbed(x, self.rngs)",
        "-@nnx.split_rngs(splits=x.shape[0])\n"
        "-def perturbed(row, rngs):\n"
        "-return row + rngs.normal(row.shape)\n"
        "+def perturbed(row, key):\n"
        "+return row + jax.random.normal(key, row.shape)\n"
        "-y = perturbed(x, self.rngs)\n"
        "+y = perturbed(x, use)",
    ),
    "streams that are split, with axes of their own": (
        "@nnx.split_rngs(splits=x.shape[0])\n"
        "@nnx.vmap(in_axes=(0, nnx.StateAxes({...: 0})))"
        f"{TAKING}y = perturbed(x, self.rngs)",
        "-@nnx.split_rngs(splits=x.shape[0])\n"
        "-@nnx.vmap(in_axes=(0, nnx.StateAxes({...: 0})))\n"
        "-def perturbed(row, rngs):\n"
        "-return row + rngs.normal(row.shape)\n"
        "+@nnx.vmap(in_axes=(0, 0))\n"
        "+def perturbed(row, key):\n"
        "+return row + jax.random.normal(key, row.shape)\n"
        "-y = perturbed(x, self.rngs)\n"
        "+y = perturbed(x, use)",
    ),
}


@pytest.mark.parametrize(("before", "after"), DECORATED.values(), ids=DECORATED)
def test_what_a_decorator_maps_takes_a_key(before: str, after: str) -> None:
    assert changes(noisy(before + END)) == after


SPLITTING = "nnx.split_rngs(splits=x.shape[0])"
NOT_SEEN = "is mapped over something else than the envs"

REFUSED = {
    "numbers": ("y = x + jax.vmap(lambda i: i * self.rngs.normal(()))(jnp.arange(3))", NOT_SEEN),
    "columns": (
        "y = jax.vmap(lambda c: c + self.rngs.normal(c.shape), in_axes=(1,), out_axes=1)(x)",
        NOT_SEEN,
    ),
    "columns of the transpose": (
        "y = jax.vmap(lambda c: c + self.rngs.normal(c.shape))(x.T).T",
        NOT_SEEN,
    ),
    "every element": (
        "y = jnp.vectorize(lambda v: v + self.rngs.normal(()))(x)",
        "is vectorized over all axes",
    ),
    "streams from which nothing is drawn": (
        f"@{SPLITTING}\n@nnx.vmap\ndef noise(row, rngs):\n    return row\n\n"
        "y = noise(x, self.rngs)",
        "streams that a decorator splits are needed by something else",
    ),
    "streams from which nothing is drawn, beside a draw": (
        f"@{SPLITTING}\n@nnx.vmap\ndef noise(row, rngs):\n    return row\n\n"
        "y = noise(x, self.rngs) + self.rngs.normal(x.shape)",
        "streams that it splits are needed by something else",
    ),
    "streams that something else needs too": (
        f"@{SPLITTING}\n@nnx.vmap\ndef noise(row, rngs):\n"
        "    return self.norm(row, rngs) + rngs.normal(row.shape)\n\ny = noise(x, self.rngs)",
        "streams that it splits are needed by something else",
    ),
}


@pytest.mark.parametrize(("body", "reason"), REFUSED.values(), ids=REFUSED)
def test_a_map_over_something_else_is_left_alone(body: str, reason: str) -> None:
    init = "self.norm = nnx.LayerNorm(3, rngs=rngs)"
    (proposal,) = proposed(noisy(body + END, init=init))
    assert not proposal.edits
    assert reason in proposal.reason
