"""Layers that draw by themselves."""

from __future__ import annotations

import pytest
from support import marked, reported

from .regressions import written_out

CASES = {
    "built by a partial": """
        make = functools.partial(nnx.Dropout, 0.5)
        self.drop = make(rngs=rngs)
        ---
        y = self.drop(x)  # NNX104
    """,
    "built by a helper": """
        self._build(rngs)
        ---
        def _build(self, rngs):
            self.drop = nnx.Dropout(0.5, rngs=rngs)
        ---
        y = self.drop(x)  # NNX104
    """,
    "of the file": """
        DROP = nnx.Dropout(0.5, rngs=nnx.Rngs(0))
        ---
        pass
        ---

        ---
        y = DROP(x)  # NNX104
    """,
    "silent as built, which may be changed": """
        self.drop = nnx.Dropout(0.5, deterministic=True, rngs=rngs)
        ---
        y = self.drop(x)  # NNX104
    """,
    "silent under a flag": """
        self.drop = nnx.Dropout(0.5, rngs=rngs)
        self.training = False
        ---
        y = self.drop(x, deterministic=not self.training)  # NNX104
    """,
    "given no key": """
        self.drop = nnx.Dropout(0.5, rngs=rngs)
        ---
        y = self.drop(x, rngs=None)  # NNX104
    """,
    "given a held key": """
        self.drop = nnx.Dropout(0.5, rngs=rngs)
        self.key = rngs.noise()
        ---
        y = self.drop(x, rngs=self.key)  # NNX104
    """,
    "a random carry": """
        self.rnn = nnx.RNN(nnx.GRUCell(3, 3, carry_init=nnx.initializers.normal(), rngs=rngs))
        ---
        y = self.rnn(x)  # NNX104
    """,
    "of a chain built by a star": """
        ls = [nnx.Linear(3, 3, rngs=rngs), nnx.Dropout(0.5, rngs=rngs)]
        self.net = nnx.Sequential(*ls)
        ---
        y = self.net(x)  # NNX104
    """,
    "of a chain in a chain": """
        inner = nnx.Sequential(nnx.relu, nnx.Dropout(0.5, rngs=rngs))
        self.net = nnx.Sequential(nnx.Linear(3, 3, rngs=rngs), inner)
        ---
        y = self.net(x)  # NNX104
    """,
    "of a list that a helper fills": """
        def make(rngs):
            out = []
            for _ in range(2):
                out.append(nnx.Dropout(0.5, rngs=rngs))
            return out
        ---
        self.a = nnx.List(make(rngs))
        ---

        ---
        y = x
        for l in self.a:
            y = l(y)  # NNX104
    """,
    "of two lists": """
        self.a = [nnx.Linear(3, 3, rngs=rngs)]
        self.b = [nnx.Dropout(0.5, rngs=rngs)]
        ---
        y = x
        for l in self.a + self.b:
            y = l(y)  # NNX104
    """,
    "of two lists at once": """
        self.lin = nnx.List([nnx.Linear(3, 3, rngs=rngs) for _ in range(2)])
        self.drops = nnx.List([nnx.Dropout(0.5, rngs=rngs) for _ in range(2)])
        ---
        y = x
        for l, d in zip(self.lin, self.drops):
            y = d(l(y))  # NNX104
    """,
    "of a dict by computed names": """
        self.m = {f'd{i}': nnx.Dropout(0.5, rngs=rngs) for i in range(3)}
        ---
        y = x
        for i in range(3):
            y = self.m[f'd{i}'](y)  # NNX104
    """,
    "of attributes of computed names": """
        for i in range(3):
            setattr(self, f'd{i}', nnx.Dropout(0.5, rngs=rngs))
        ---
        y = x
        for i in range(3):
            y = getattr(self, f'd{i}')(y)  # NNX104
    """,
    "in a named tuple": """
        class Ch(NamedTuple):
            d: Any
            n: int
        ---
        self.m = Ch(nnx.Dropout(0.5, rngs=rngs), 1)
        ---

        ---
        y = self.m.d(x)  # NNX104
    """,
    "in a child of its own kind": """
        class Node(nnx.Module):
            def __init__(self, rngs, depth):
                self.child = Node(rngs, depth - 1) if depth else None
                self.drop = nnx.Dropout(0.5, rngs=rngs)

            def __call__(self, h):
                if self.child is not None:
                    h = self.child(h)
                return self.drop(h)  # NNX104
        ---
        self.root = Node(rngs, 3)
        ---

        ---
        y = self.root(x)
    """,
    "under vmap": """
        self.drop = nnx.Dropout(0.5, rngs=rngs)
        ---
        y = nnx.vmap(lambda d, v: d(v), in_axes=(None, 0))(self.drop, x)  # NNX104
    """,
    "bridged": """
        import flax.linen

        lin = lambda: flax.linen.Dropout(0.5)
        ---
        self.m = nnx.bridge.ToNNX(lin(), rngs=rngs)
        ---

        ---
        y = self.m(x)  # NNX104
    """,
    "that enters the loss alone": """
        self.drop = nnx.Dropout(0.5, rngs=rngs)
        ---
        return Out(state, x, jnp.mean(self.drop(x)), {})  # NNX104
    """,
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_a_layer_that_draws_is_reported_where_it_is_called(case: str) -> None:
    code = written_out(case)
    assert marked(code)
    assert reported(code, "NNX1") == marked(code)
