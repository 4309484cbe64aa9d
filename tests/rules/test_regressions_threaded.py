"""What reproduces its rollout: emitted draws, samplers, and keys of the carry or the input."""

from __future__ import annotations

import pytest
from support import reported

from .regressions import written_out

CASES = {
    "extras by a walrus": """
        self.rngs = rngs
        ---
        if (n := rollout_extras) is None:
            n = self.rngs.normal(x.shape)
        return Out(state, x + n, 0.0, {}, n)
    """,
    "extras under a further test": """
        self.rngs = rngs
        self.s=1
        ---
        if rollout_extras is None and self.s:
            n = self.rngs.normal(x.shape)
        elif rollout_extras is None:
            n = jnp.zeros_like(x)
        else:
            n = rollout_extras
        return Out(state, x + n, 0.0, {}, n)
    """,
    "extras by an index": """
        self.rngs = rngs
        ---
        n = (lambda: rollout_extras, lambda: self.rngs.normal(x.shape))[rollout_extras is None]()
        return Out(state, x + n, 0.0, {}, n)
    """,
    "extras tested by a helper": """
        self.rngs = rngs
        ---
        @staticmethod
        def _rollout(e):
            return e is None
        ---
        n = self.rngs.normal(x.shape) if self._rollout(rollout_extras) else rollout_extras
        return Out(state, x + n, 0.0, {}, n)
    """,
    "extras one by one": """
        self.rngs = rngs
        ---
        ns = []
        for i in range(3):
            n = self.rngs.normal(x.shape) if rollout_extras is None else rollout_extras[i]
            ns.append(n)
            x = x + n
        return Out(state, x, 0.0, {}, ns)
    """,
    "extras as a record": """
        @dataclass
        class Ex:
            n: Any
        ---
        self.rngs = rngs
        ---

        ---
        ex = rollout_extras if rollout_extras is not None else Ex(n=self.rngs.normal(x.shape))
        return Out(state, x + ex.n, 0.0, {}, ex)
    """,
    "extras that are keys": """
        self.rngs = rngs
        ---
        k = jax.random.split(self.rngs(), x.shape[0]) if rollout_extras is None else rollout_extras
        n = jax.vmap(lambda q: jax.random.normal(q, (3,)))(k)
        return Out(state, x + n, 0.0, {}, k)
    """,
    "an output that is replaced": """
        self.rngs = rngs
        ---
        n = self.rngs.normal(x.shape) if rollout_extras is None else rollout_extras
        out = Out(state, x + n, 0.0, {})
        return out.replace(rollout_extras=n)
    """,
    "a draw that is overridden": """
        self.rngs = rngs
        ---
        n = self.rngs.normal(x.shape)
        if rollout_extras is not None:
            n = rollout_extras
        return Out(state, x + n, 0.0, {}, n)
    """,
    "a sampler": """
        # ActionSampler
        self.rngs = rngs
        ---
        mean, std = jnp.split(x, 2, -1)
        a = mean + std * jax.random.normal(self.rngs(), mean.shape)
        raw = a if rollout_extras is None else rollout_extras
        return Out((), {'action': raw, 'log_likelihood': -(raw - mean) ** 2}, 0.0, {}, raw)
    """,
    "a sampler that may be deterministic": """
        # ActionSampler
        self.rngs = rngs
        ---
        mean, std = jnp.split(x, 2, -1)
        raw = mean if self.deterministic else mean + self.rngs.normal(mean.shape)
        if rollout_extras is not None:
            raw = rollout_extras
        return Out((), raw, 0.0, {}, raw)
    """,
    "a sampler that draws again": """
        # ActionSampler
        self.rngs = rngs
        ---
        mean, std = jnp.split(x, 2, -1)
        raw = mean
        for _ in range(3):
            raw = jnp.where(jnp.abs(raw) > 1, mean + self.rngs.normal(mean.shape), raw)
        if rollout_extras is not None:
            raw = rollout_extras
        return Out((), raw, 0.0, {}, raw)
    """,
    "a sampler with a key of its own": """
        # ActionSampler
        self.key = nnx.Variable(rngs.noise())
        ---
        k, u = jax.random.split(self.key.value)
        self.key.value = k
        a = x + jax.random.normal(u, x.shape) if rollout_extras is None else rollout_extras
        return Out(state, a, 0., {}, a)
    """,
    "a stream in the carry": """
        pass
        ---
        y, n = jax.vmap(lambda r, row: (row + r.normal(row.shape), r))(state, x)
        return Out(n, y, 0.0, {})
    """,
    "two counters folded in": """
        self.key = nnx.Variable(rngs())
        ---
        def fold(e, t):
            return jax.random.fold_in(jax.random.fold_in(self.key[...], e), t)
        k = jax.vmap(fold)(state['env'], state['t'])
        y = jax.vmap(lambda k, row: row + jax.random.normal(k, row.shape))(k, x)
    """,
    "a key of the input": """
        pass
        ---
        y = jax.vmap(lambda k, row: row + jax.random.normal(k, row.shape))(x['key'], x['obs'])
    """,
    "a hash of the input": """
        self.key = rngs()
        ---
        k = jax.vmap(lambda row: jax.random.fold_in(self.key, jnp.sum(row).astype(int)))(x)
        y = jax.vmap(lambda k, row: row + jax.random.normal(k, row.shape))(k, x)
    """,
    "a key carried through a scan": """
        pass
        ---
        def body(c, _):
            k, h = c
            k, u = jax.vmap(lambda q: tuple(jax.random.split(q)))(k)
            return (k, h + jax.vmap(lambda q: jax.random.normal(q, (3,)))(u)), None
        (k, y), _ = jax.lax.scan(body, (state, x), None, length=3)
        return Out(k, y, 0.0, {})
    """,
    "a stream of the pass, split": """
        pass
        ---
        def f(k, row):
            r = nnx.Rngs(k)
            with nnx.split_rngs(r, splits=2):
                pass
            return row + r.normal(row.shape)
        y = jax.vmap(f)(state, x)
    """,
    "a key of the carry or another": """
        pass
        ---
        k = jnp.where(x[..., 0] > 0, state, jax.random.split(state[0], 2))
        y = x + jax.vmap(lambda k: jax.random.normal(k, (3,)))(k)
    """,
    "a helper's fallback that is not used": """
        def noise(shape, key=None):
            if key is None:
                key = jax.random.key(0)
            return jax.random.normal(key, shape)
        ---
        pass
        ---

        ---
        a, b = jax.vmap(lambda k: tuple(jax.random.split(k)))(state)
        y = jax.vmap(lambda k: noise((3,), key=k))(a)
    """,
    "a helper with a key and without": """
        self.rngs = rngs
        ---
        def _n(self, x, key):
            if key is None:
                return x
            return x + jax.vmap(lambda k: jax.random.normal(k, (3,)))(key)
        ---
        y = self._n(x, None) + self._n(x, state)
    """,
    "a key written in an object of the pass": """
        class Noise:
            def __init__(self, k):
                self.k = k

            def __call__(self, h):
                self.k, u = jax.vmap(jax.random.split, out_axes=1)(self.k)
                return jax.vmap(lambda q: jax.random.normal(q, (3,)))(u)
        ---
        pass
        ---

        ---
        m = Noise(state)
        y = x + m(x)
    """,
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_it_is_silent(case: str) -> None:
    assert reported(written_out(case), "NNX1") == []
