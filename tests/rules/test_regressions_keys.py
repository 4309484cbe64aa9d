"""Class-level keys, by every way that leads to them."""

from __future__ import annotations

import pytest
from support import marked, reported

from .regressions import written_out

CASES = {
    "split": """
        self.key = rngs.noise()
        ---
        a, b = jax.random.split(self.key)
        y = x + jax.random.normal(a, x.shape) + jax.random.uniform(b, x.shape)  # NNX102 NNX102
    """,
    "one of several": """
        self.keys = jax.random.split(rngs(), 4)
        ---
        y = x + jax.random.normal(self.keys[0], x.shape)  # NNX102
    """,
    "in a configuration": """
        @dataclass
        class Cfg:
            key: Any
            n: int = 3
        ---
        self.cfg = Cfg(rngs())
        ---

        ---
        y = x + jax.random.normal(self.cfg.key, x.shape)  # NNX102
    """,
    "in an RngKey": """
        self.key = nnx.RngKey(rngs(), tag='k')
        ---
        y = x + jax.random.normal(self.key[...], x.shape)  # NNX102
    """,
    "in a Variable of the project's own": """
        class NoiseKey(nnx.Variable):
            pass
        ---
        self.key = NoiseKey(rngs())
        ---

        ---
        y = x + jax.random.normal(self.key[...], x.shape)  # NNX102
    """,
    "as its data": """
        self.kd = nnx.Variable(jax.random.key_data(rngs()))
        ---
        y = x + jax.random.normal(jax.random.wrap_key_data(self.kd[...]), x.shape)  # NNX102
    """,
    "of a stream with its count": """
        self.rngs = rngs
        ---
        k = jax.random.fold_in(self.rngs.noise.key[...], self.rngs.noise.count[...])
        y = x + jax.random.normal(k, x.shape)  # NNX102
    """,
    "in a closure": """
        key = rngs()
        self.f = lambda s: jax.random.normal(key, s)  # NNX102
        ---
        y = x + self.f(x.shape)
    """,
    "in a partial": """
        self.f = functools.partial(jax.random.normal, rngs())
        ---
        y = x + self.f(x.shape)  # NNX102
    """,
    "by a function of a computed name": """
        self.key = rngs.noise()
        self.kind='normal'
        ---
        y = x + getattr(jax.random, self.kind)(self.key, x.shape)  # NNX102
    """,
    "by a partial under vmap": """
        self.key = rngs.noise()
        ---
        ks = jax.random.split(self.key, x.shape[0])
        y = x + jax.vmap(functools.partial(jax.random.normal, shape=(3,)))(ks)  # NNX102
    """,
    "told apart by env alone": """
        self.key = rngs.noise()
        ---
        ks = jax.vmap(lambda i: jax.random.fold_in(self.key, i))(jnp.arange(x.shape[0]))
        y = jax.vmap(lambda k, r: r + jax.random.normal(k, r.shape))(ks, x)  # NNX102
    """,
    "told apart by a counter of the module": """
        self.key = rngs.noise()
        self.t = nnx.Variable(0)
        ---
        y = x + jax.random.normal(jax.random.fold_in(self.key, self.t[...]), x.shape)  # NNX102
    """,
    "told apart by a loop's counter": """
        self.key = rngs.noise()
        ---
        y = x
        for i in range(3):
            y = y + jax.random.normal(jax.random.fold_in(self.key, i), x.shape)  # NNX102
    """,
    "in one of two branches": """
        self.key = rngs.noise()
        self.carried = True
        ---
        if self.carried:
            k = state
        else:
            k = self.key
        y = jax.vmap(lambda k, r: r + jax.random.normal(k, r.shape))(k, x)  # NNX102
    """,
    "in one of two calls of a helper": """
        self.key = rngs()
        ---
        def _n(self, k, v):
            return jax.random.normal(k, v.shape)  # NNX102
        ---
        a = self._n(jax.random.split(self.key)[0], x)
        b = self._n(jax.random.fold_in(self.key, jnp.sum(state)), x)
        y = a + b
    """,
    "in the first round of a loop": """
        self.key = rngs()
        ---
        k = jax.random.fold_in(self.key, 0)
        y = x
        for i in range(2):
            y = y + jax.random.normal(k, x.shape)  # NNX102
            k = jax.random.fold_in(k, jnp.sum(state))
    """,
    "in an object of the pass": """
        class Noise:
            def __init__(self, k):
                self.k = k

            def __call__(self, h):
                self.k, u = jax.random.split(self.k)
                return jax.random.normal(u, h.shape)  # NNX102
        ---
        self.key = rngs()
        ---

        ---
        m = Noise(self.key)
        y = x + m(x)
    """,
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_a_draw_from_a_key_is_reported_where_it_stands(case: str) -> None:
    code = written_out(case)
    assert marked(code)
    assert reported(code, "NNX1") == marked(code)
