"""Randomness of the host."""

from __future__ import annotations

import pytest
from support import marked, reported

from .regressions import written_out

CASES = {
    "an imported function": """
        from numpy.random import normal
        ---
        pass
        ---

        ---
        y = x + normal(size=3)  # NNX107
    """,
    "a module imported one way or the other": """
        try:
            import numpy as xp
        except ImportError:
            import jax.numpy as xp
        ---
        pass
        ---

        ---
        y = x + xp.random.normal(size=3)  # NNX107
    """,
    "a function kept in an attribute": """
        self.f = np.random.normal
        ---
        y = x + self.f(size=3)  # NNX107
    """,
    "a generator of the module": """
        self.rng = np.random.default_rng(0)
        ---
        y = x + self.rng.normal(size=3)  # NNX107
    """,
    "a generator of the file": """
        GEN = np.random.default_rng(0)
        ---
        pass
        ---

        ---
        y = x + GEN.normal(size=3)  # NNX107
    """,
    "to choose a layer": """
        self.layers = [nnx.Linear(3, 3, rngs=rngs)]
        ---
        y = random.choice(self.layers)(x)  # NNX107
    """,
    "in place": """
        pass
        ---
        idx = list(range(3))
        random.shuffle(idx)  # NNX107
        y = x[:, idx]
    """,
    "as a seed": """
        pass
        ---
        s = np.random.randint(99)  # NNX107
        y = x + jax.random.normal(jax.random.key(s), x.shape)
    """,
    "a clock as a seed": """
        pass
        ---
        y = x + jax.random.normal(jax.random.key(int(time.time())), x.shape)  # NNX107
    """,
    "in a method that is a callback": """
        from jax.experimental import io_callback
        ---
        pass
        ---
        def _n(self):
            return np.random.normal(size=3)  # NNX107
        ---
        y = x + io_callback(self._n, jax.ShapeDtypeStruct((3,), float))
    """,
    "in a sampler": """
        # ActionSampler
        pass
        ---
        a = x + np.random.normal(size=x.shape)  # NNX107
        if rollout_extras is not None:
            a = rollout_extras
        return Out(state, a, 0., {}, a)
    """,
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_a_draw_on_the_host_is_reported_where_it_stands(case: str) -> None:
    code = written_out(case)
    assert marked(code)
    assert reported(code, "NNX1") == marked(code)
