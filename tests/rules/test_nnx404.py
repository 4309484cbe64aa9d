"""NNX404 on defaults in every spelling."""

from __future__ import annotations

import pytest
from support import marked, reported

CALL = """
            def __call__(self, state, x, rollout_extras=None):
                return StatefulModuleOutput(state, x, 0.0, {})
"""

CASES = {
    "a collection of streams": "def __init__(self, rngs=nnx.Rngs(0)): ...  # NNX404",
    "one of several streams": "def __init__(self, rngs=nnx.Rngs(params=0, noise=1)): ...  # NNX404",
    "a stream": "def __init__(self, s=nnx.RngStream(0, tag='noise')): ...  # NNX404",
    "a key, keyword only": "def __init__(self, *, key=jax.random.key(0)): ...  # NNX404",
    "a legacy key": "def __init__(self, key=jax.random.PRNGKey(0), /): ...  # NNX404",
    "half a key": "def __init__(self, key=jax.random.fold_in(KEY, 1)): ...  # NNX404",
    "a name of the file": "def __init__(self, rngs=RNGS): ...  # NNX404",
    "another method": "def initialize_state(self, batch_size, rngs=nnx.Rngs(0)): ...  # NNX404",
    "none": "def __init__(self, rngs=None, name='rngs', scale=float(1)): ...",
    "a class": "def __init__(self, make=nnx.Rngs): ...",
}


@pytest.mark.parametrize("method", CASES.values(), ids=CASES)
def test_a_default_that_is_random_state_is_reported(method: str) -> None:
    code = f"""
        RNGS = nnx.Rngs(0)
        KEY = jax.random.key(0)

        class M(StatefulModule):
            {method}
            {CALL}
    """
    assert reported(code) == marked(code)


def test_a_default_of_a_base_class_is_reported_once_for_all_that_derive_from_it() -> None:
    code = f"""
        class Base:
            def __init__(self, rngs=nnx.Rngs(0)): ...  # NNX404

        class First(Base, StatefulModule):
            {CALL}

        class Second(Base, StatefulModule):
            {CALL}
    """
    assert reported(code) == marked(code)


def test_a_default_of_a_function_or_of_another_class_is_nobody_s_business() -> None:
    code = f"""
        def build(rngs=nnx.Rngs(0)): ...

        class Other(nnx.Module):
            def __init__(self, rngs=nnx.Rngs(0)): ...

        class M(StatefulModule):
            {CALL}
    """
    assert reported(code) == []
