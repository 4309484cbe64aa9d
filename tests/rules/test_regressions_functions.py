"""Class-level streams in functions, methods and what is made of them."""

from __future__ import annotations

import pytest
from support import marked, reported

from .regressions import written_out

CASES = {
    "in a method chosen from a dict": """
        self.src = rngs
        self.kind = 'normal'
        ---
        def _normal(self, x):
            return x + jax.random.normal(self.src(), x.shape)  # NNX101

        def _none(self, x):
            return x
        ---
        y = {"normal": self._normal, "none": self._none}[self.kind](x)
    """,
    "in a lambda of the constructor": """
        self.f = lambda s: jax.random.normal(rngs(), s)  # NNX101
        ---
        y = x + self.f(x.shape)
    """,
    "through a nonlocal name": """
        self.rngs = rngs
        ---
        r = None
        def f():
            nonlocal r
            r = self.rngs
        f()
        y = x + r.normal(x.shape)  # NNX101
    """,
    "by the default of a function": """
        self.rngs = rngs
        ---
        def f(r=self.rngs):
            return r.normal(x.shape)  # NNX101
        y = x + f()
    """,
    "passed on by star-arguments": """
        self.rngs = rngs
        ---
        def _d(self, *args, **kw):
            return self._e(*args, **kw)

        def _e(self, x, r):
            return x + r.normal(x.shape)  # NNX101
        ---
        y = self._d(x, self.rngs)
    """,
    "passed on in a dict": """
        self.rngs = rngs
        ---
        def _d(self, x, r):
            return x + r.normal(x.shape)  # NNX101
        ---
        kw = dict(r=self.rngs)
        kw['x'] = x
        y = self._d(**kw)
    """,
    "in a partial kept in an attribute": """
        self.rngs = rngs
        self.f = functools.partial(self._d, scale=2.0)
        ---
        def _d(self, v, scale):
            return v + scale * self.rngs.normal(v.shape)  # NNX101
        ---
        y = self.f(x)
    """,
    "in a decorated method": """
        def logged(f):
            @functools.wraps(f)
            def w(*a, **k):
                return f(*a, **k)
            return w
        ---
        self.rngs = rngs
        ---
        @logged
        def _d(self, x):
            return x + self.rngs.normal(x.shape)  # NNX101
        ---
        y = self._d(x)
    """,
    "in the decorator of a method": """
        def noisy(scale):
            def deco(f):
                def w(self, x):
                    return f(self, x) + scale * self.rngs.normal(x.shape)  # NNX101
                return w
            return deco
        ---
        self.rngs = rngs
        ---
        @noisy(0.1)
        def _d(self, x):
            return x
        ---
        y = self._d(x)
    """,
    "in a property with a setter": """
        self._src = rngs
        ---
        @property
        def gen(self):
            return self._src

        @gen.setter
        def gen(self, v):
            self._src = v
        ---
        y = x + self.gen.normal(x.shape)  # NNX101
    """,
    "of the file": """
        RNGS = nnx.Rngs(0)

        def noisy(x):
            return x + RNGS.normal(x.shape)  # NNX101
        ---
        pass
        ---

        ---
        y = noisy(x)
    """,
    "in a decorated scan": """
        self.rngs = rngs
        ---
        @nnx.scan(in_axes=(nnx.Carry, None), length=2)
        def f(h, r):
            return h + r.normal(h.shape)  # NNX101
        y = f(x, self.rngs)
    """,
    "in a branch of jax": """
        self.rngs = rngs
        ---
        def _d(self, row):
            return row + self.rngs.normal(row.shape)  # NNX101
        ---
        y = jax.lax.switch(0, [self._d, lambda h: h], x)
    """,
    "handed through a branch of jax": """
        self.rngs = rngs
        ---
        stream = jax.lax.cond(True, lambda r: r, lambda r: r, operand=self.rngs)
        y = x + stream.normal(x.shape)  # NNX101
    """,
    "in a reduction": """
        self.rngs = rngs
        ---
        y = functools.reduce(lambda h, _: h + self.rngs.normal(h.shape), range(3), x)  # NNX101
    """,
    "in functions that call each other": """
        self.rngs = rngs
        ---
        def a(n):
            return b(n)
        def b(n):
            return a(n - 1) if n else self.rngs.normal(())  # NNX101
        y = x + a(3)
    """,
    "in a child that is given no key": """
        class Block(nnx.Module):
            def __init__(self, rngs):
                self.rngs = rngs

            def __call__(self, h, key=None):
                if key is None:
                    key = self.rngs()  # NNX101
                return h + jax.random.normal(key, h.shape)
        ---
        self.b = Block(rngs)
        ---

        ---
        y = self.b(x)
    """,
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_a_draw_from_a_stream_is_reported_where_it_stands(case: str) -> None:
    code = written_out(case)
    assert marked(code)
    assert reported(code, "NNX1") == marked(code)
