"""Keys and streams that the pass makes of constants."""

from __future__ import annotations

import pytest
from support import marked, reported

from .regressions import written_out

CASES = {
    "split in a loop": """
        pass
        ---
        for k in jax.random.split(jax.random.key(0), 3):
            y = x + jax.random.normal(k, x.shape)  # NNX106
    """,
    "a stream of nothing": """
        pass
        ---
        y = x + nnx.Rngs().normal(x.shape)  # NNX106
    """,
    "seeded by a shape": """
        pass
        ---
        y = x + jax.random.normal(jax.random.key(x.shape[0]), x.shape)  # NNX106
    """,
    "a permutation": """
        pass
        ---
        perm = jax.random.permutation(jax.random.key(0), 3)  # NNX106
        y = x[:, perm]
    """,
    "a helper's fallback": """
        def noise(shape, key=None):
            if key is None:
                key = jax.random.key(0)
            return jax.random.normal(key, shape)  # NNX106
        ---
        pass
        ---

        ---
        y = x + noise(x.shape)
    """,
    "in one of two branches": """
        self.frozen = True
        ---
        if self.frozen:
            k = jax.random.split(jax.random.key(0), x.shape[0])
        else:
            k = state
        y = jax.vmap(lambda k, r: r + jax.random.normal(k, r.shape))(k, x)  # NNX106
    """,
    "in a sampler": """
        # ActionSampler
        pass
        ---
        a = x + jax.random.normal(jax.random.key(0), x.shape)  # NNX106
        if rollout_extras is not None:
            a = rollout_extras
        return Out(state, a, 0., {}, a)
    """,
    "in a layer of the pass": """
        self.rngs = rngs
        ---
        y = nnx.Dropout(0.5, rngs=nnx.Rngs(0))(x)  # NNX106
    """,
    "a stream handed to a layer": """
        self.drop = nnx.Dropout(0.5, rngs=rngs)
        ---
        y = self.drop(x, rngs=nnx.Rngs(0))  # NNX106
    """,
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_a_draw_from_a_constant_is_reported_where_it_stands(case: str) -> None:
    code = written_out(case)
    assert marked(code)
    assert reported(code, "NNX1") == marked(code)
