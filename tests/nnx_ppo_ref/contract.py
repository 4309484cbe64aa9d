"""What every environment must hold to, so that a rollout compiles once and scans."""

from __future__ import annotations

from typing import Any

import jax

from nnx_ppo_ref.environments import Environment, EnvironmentState


def assert_types_are_fixed(env: Environment, action: Any) -> EnvironmentState:
    """A step returns what a reset returns: structure, shapes and dtypes, none of them weak.

    Returns:
        The state's shapes and dtypes.
    """
    start = jax.eval_shape(env.reset, jax.random.key(0))
    following = jax.eval_shape(env.step, start, action)
    types = [
        [
            (jax.tree_util.keystr(path), leaf.shape, leaf.dtype, leaf.weak_type)
            for path, leaf in jax.tree_util.tree_leaves_with_path(state)
        ]
        for state in (start, following)
    ]
    assert types[0] == types[1]
    assert not any(weak for *_, weak in types[0])
    assert isinstance(start, EnvironmentState)
    return start
