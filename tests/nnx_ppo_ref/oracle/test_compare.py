"""What counts as a difference."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np

from nnx_ppo_ref.oracle.compare import difference, largest
from nnx_ppo_ref.oracle.interpret import Value


def test_a_nan_and_a_number_differ() -> None:
    one, other = np.array([np.nan, np.nan, 1.0]), np.array([np.nan, 1.0, np.nan])
    assert difference(one, other).tolist() == [0, np.inf, np.inf]


def test_infinities_differ_unless_they_are_equal() -> None:
    one, other = np.array([np.inf, np.inf, -np.inf]), np.array([np.inf, -np.inf, 1.0])
    assert difference(one, other).tolist() == [0, np.inf, np.inf]


def test_results_of_other_shapes_differ_infinitely() -> None:
    minibatch = np.array([3, 0])
    one, other = Value(jnp.zeros((4, 3))), Value(jnp.zeros(3))
    found = largest(one, other, minibatch, 4, np.zeros((4, 3)))
    assert found == (np.inf, None, True)


def test_the_environment_that_differs_most_is_named() -> None:
    minibatch = np.array([3, 0])
    one = Value(np.array([0.0, 9.0, 9.0, 5.0]))
    other = Value(np.array([4.0, 2.0]))
    assert largest(one, other, minibatch, 4, np.zeros(4)) == (2.0, 0, True)
    assert largest(one, other, minibatch, 4, np.full(4, 3.0)) == (2.0, 0, False)
