"""Advantages against nnx-ppo's and against their definition."""

from __future__ import annotations

from typing import Any

import hypothesis
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from nnx_ppo_ref.algorithms.advantages import gae

T, B = 5, 3
shares = st.floats(0.0, 1.0, width=32)
numbers = hnp.arrays(np.float32, (2 * T + 1, B), elements=st.floats(-100.0, 100.0, width=32))
flags = hnp.arrays(bool, (2, T, B))


def defined(
    rewards: Any, values: Any, last: Any, done: Any, truncation: Any, lambda_: float, gamma: float
) -> Any:
    """Equation 16 of arXiv:1506.02438 as a sum over the steps that follow."""
    following = np.concatenate([values[1:], last[None]]) * ~done
    deltas = (rewards + gamma * following - values) * ~truncation
    total = np.zeros_like(deltas)
    for t in range(len(rewards)):
        weight = np.ones_like(last)
        for k in range(t, len(rewards)):
            total[t] += weight * deltas[k]
            weight = weight * gamma * lambda_ * ~done[k]
    return total


def arguments(
    numbers: Any, flags: Any, lambda_: float, gamma: float
) -> tuple[Any, Any, Any, Any, Any, float, float]:
    return numbers[:T], numbers[T:-1], numbers[-1], flags[0], flags[1], lambda_, gamma


compiled = jax.jit(gae)


@hypothesis.given(numbers, flags, shares, shares)
@hypothesis.settings(deadline=None, max_examples=50)
def test_it_is_the_sum_of_its_definition(
    numbers: Any, flags: Any, lambda_: float, gamma: float
) -> None:
    given = arguments(numbers, flags, lambda_, gamma)
    np.testing.assert_allclose(compiled(*given), defined(*given), rtol=1e-4, atol=1e-2)


def test_it_equals_nnx_ppos() -> None:
    theirs = pytest.importorskip("nnx_ppo.algorithms.ppo")
    random = np.random.default_rng(0)
    their_gae = jax.jit(theirs.gae)
    for share in (0.0, 0.2, 1.0):
        for _ in range(5):
            given = arguments(
                random.normal(size=(2 * T + 1, B)).astype(np.float32),
                random.random((2, T, B)) < share,
                *random.random(2),
            )
            np.testing.assert_allclose(compiled(*given), their_gae(*given), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("dtype", [jnp.int32, jnp.float16, jnp.bfloat16])
def test_it_takes_rewards_of_other_types(dtype: Any) -> None:
    ones = jnp.ones((2, 1))
    no = jnp.zeros((2, 1), bool)
    found = gae(ones.astype(dtype), 0 * ones, jnp.zeros(1), no, no, 1.0, 0.5)
    np.testing.assert_allclose(found, [[1.5], [1.0]])


def test_it_has_no_gradient() -> None:
    no = jnp.zeros((T, B), bool)
    slope = jax.grad(lambda v: gae(v, v, v[-1], no, no, 0.9, 0.9).sum())(jnp.ones((T, B)))
    assert not slope.any()


@pytest.mark.parametrize(("values", "last"), [((T, 1), (B,)), ((T + 1, B), (B,)), ((T, B), (1,))])
def test_shapes_that_do_not_fit_are_refused(values: Any, last: Any) -> None:
    no = jnp.zeros((T, B), bool)
    with pytest.raises(ValueError, match="need value estimates of the same shape"):
        gae(jnp.ones((T, B)), jnp.ones(values), jnp.ones(last), no, no, 0.9, 0.9)
