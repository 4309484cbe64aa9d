"""Random state that the pass writes."""

from __future__ import annotations

import pytest
from support import marked, reported

from .regressions import written_out

CASES = {
    "by a sampler that sets its stream back": """
        # ActionSampler
        self.rngs = rngs
        ---
        self.rngs.action.count[...] = 0  # NNX103
        y = x if rollout_extras is None else rollout_extras
        return Out(state, y, 0.0, {}, y)
    """,
    "a plain attribute": """
        self.key = rngs.noise()
        ---
        self.key, u = jax.random.split(self.key)  # NNX103
        y = x
    """,
    "by a method": """
        self.key = nnx.Variable(rngs.noise())
        ---
        k, u = jax.random.split(self.key.get_value())
        self.key.set_value(k)  # NNX103
        y = x
    """,
    "under another name": """
        self.key = nnx.Variable(rngs.noise())
        ---
        v = self.key
        v[...] = jax.random.split(v[...])[0]  # NNX103
        y = x
    """,
    "in a function that is given it": """
        def advance(v):
            k, u = jax.random.split(v.value)
            v.value = k  # NNX103
            return u
        ---
        self.key = nnx.Variable(rngs.noise())
        ---

        ---
        advance(self.key)
        y = x
    """,
    "of a child": """
        class Child(nnx.Module):
            def __init__(self, rngs):
                self.key = nnx.Variable(rngs())
        ---
        self.child = Child(rngs)
        ---

        ---
        self.child.key.value = jax.random.split(self.child.key.value)[0]  # NNX103
        y = x
    """,
    "in a list": """
        self.keys = nnx.List([nnx.Variable(rngs())])
        ---
        self.keys[0][...] = jax.random.split(self.keys[0][...])[0]  # NNX103
        y = x
    """,
    "of the file": """
        KEY = nnx.Variable(jax.random.key(0))
        ---
        pass
        ---

        ---
        KEY.value = jax.random.split(KEY.value)[0]  # NNX103
        y = x
    """,
    "by setattr": """
        self.key = rngs.noise()
        ---
        setattr(self, 'key', jax.random.split(self.key)[0])  # NNX103
        y = x
    """,
    "past the attribute": """
        self.key = rngs.noise()
        ---
        self.__dict__['key'] = jax.random.split(self.key)[0]  # NNX103
        y = x
    """,
    "a new attribute": """
        pass
        ---
        self.last_key = jax.random.split(state[0])[0]  # NNX103
        y = x
    """,
    "a key of the carry": """
        self.key = nnx.Variable(rngs.noise())
        ---
        k = jax.vmap(jax.random.split)(state)
        self.key.value = k[:, 0]  # NNX103
        y = x
    """,
    "a stream's count": """
        self.rngs = rngs
        ---
        self.rngs.noise.count[...] += 1  # NNX103
        y = x
    """,
    "one of the streams": """
        self.rngs = rngs
        ---
        self.rngs.noise = nnx.RngStream(jax.random.key(1), tag='noise')  # NNX103
        y = x
    """,
    "by an update": """
        self.rngs = rngs
        ---
        nnx.update(self.rngs, nnx.state(nnx.Rngs(1)))  # NNX103
        y = x
    """,
    "drawn from as well": """
        self.k = nnx.Variable(rngs())
        ---
        k, u = jax.random.split(self.k.get_value())
        self.k.set_value(k)  # NNX103
        y = x + jax.random.normal(u, x.shape)  # NNX102
    """,
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_a_write_of_random_state_is_reported_where_it_stands(case: str) -> None:
    code = written_out(case)
    assert marked(code)
    assert reported(code, "NNX1") == marked(code)
