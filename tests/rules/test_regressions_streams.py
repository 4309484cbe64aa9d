"""Class-level streams, by every way that leads to them."""

from __future__ import annotations

import pytest
from support import marked, reported

from .regressions import written_out

CASES = {
    "under another name": """
        self.rngs = rngs
        ---
        src = self.rngs
        y = x + jax.random.normal(src.a(), x.shape)  # NNX101
    """,
    "twice in a line": """
        self.rngs = rngs
        ---
        y = x + self.rngs.normal(x.shape) + self.rngs.uniform(x.shape)  # NNX101 NNX101
    """,
    "for nothing": """
        self.rngs = rngs
        ---
        self.rngs()  # NNX101
        y = x
    """,
    "by a method kept in an attribute": """
        self.draw = rngs.normal
        ---
        y = x + self.draw(x.shape)  # NNX101
    """,
    "by a name that is an attribute": """
        self.rngs = rngs
        self.col='a'
        ---
        y = x + jax.random.normal(self.rngs[self.col](), x.shape)  # NNX101
    """,
    "by getattr in a loop over names": """
        self.rngs = rngs
        ---
        y = x
        for n in ('a', 'b'):
            y = y + jax.random.normal(getattr(self.rngs, n)(), x.shape)  # NNX101
    """,
    "in a loop over all attributes": """
        self.src = rngs
        ---
        y = x
        for k, v in vars(self).items():
            if isinstance(v, nnx.Rngs):
                y = y + v.normal(x.shape)  # NNX101
    """,
    "set in a loop": """
        for k, v in {'src': rngs}.items():
            setattr(self, k, v)
        ---
        y = x + self.src.normal(x.shape)  # NNX101
    """,
    "from a dict spread into another": """
        self.s = {'a': rngs.a}
        ---
        t = {**self.s, 'c': 1}
        y = x + t['a'].normal(x.shape)  # NNX101
    """,
    "from a tuple that is unpacked": """
        self.pair = (rngs, dim, 3)
        ---
        src, *rest = self.pair
        y = x + src.normal(x.shape)  # NNX101
    """,
    "from a list in a dict": """
        self.a = {'b': [rngs]}
        ---
        y = x + self.a['b'][0].normal(x.shape)  # NNX101
    """,
    "of the class": """
        pass
        ---
        SRC = nnx.Rngs(0)
        ---
        y = x + self.__class__.SRC.normal(x.shape)  # NNX101
    """,
    "in an arm of a match": """
        self.rngs = rngs
        self.mode = 'a'
        ---
        match self.mode:
            case 'a':
                y = x + self.rngs.normal(x.shape)  # NNX101
            case _:
                y = x
    """,
    "in every part of a try": """
        self.rngs = rngs
        ---
        try:
            1 / 0
        except (ValueError, ZeroDivisionError) as e:
            y = x + self.rngs.normal(x.shape)  # NNX101
        else:
            y = x + self.rngs.normal(x.shape)  # NNX101
        finally:
            z = self.rngs()  # NNX101
    """,
    "found in an earlier round of a loop": """
        self.rngs = rngs
        ---
        y = x
        r = None
        for i in range(3):
            if r is None:
                r = self.rngs
                continue
            y = y + r.normal(x.shape)  # NNX101
    """,
    "under a flag of a configuration": """
        @dataclass
        class Cfg:
            noise: bool = False
        ---
        self.rngs = rngs
        self.cfg = Cfg()
        ---

        ---
        if self.cfg.noise:
            x = x + self.rngs.normal(x.shape)  # NNX101
        y = x
    """,
    "by forking each of its streams": """
        self.rngs = rngs
        ---
        rs = {k: s.fork() for k, s in self.rngs.items()}  # NNX101
        y = x + rs['a'].normal(x.shape)
    """,
    "by splitting it for a while": """
        self.rngs = rngs
        ---
        with nnx.split_rngs(self.rngs, splits=3):  # NNX101
            y = nnx.vmap(lambda r, row: row + r.normal(row.shape))(self.rngs, x)  # NNX101
    """,
    "by reseeding": """
        self.rngs = rngs
        ---
        nnx.reseed(self, default=0)  # NNX101
        y = x
    """,
    "by a stream of its key": """
        self.rngs = rngs
        ---
        y = x + nnx.Rngs(self.rngs()).normal(x.shape)  # NNX101
    """,
    "by building a layer": """
        self.rngs = rngs
        ---
        self.lin = nnx.Linear(3, 3, rngs=self.rngs)  # NNX101
        y = self.lin(x)
    """,
    "by asking a cell for a carry": """
        self.rngs=rngs
        self.cell = nnx.GRUCell(3, 3, rngs=rngs)
        ---
        h = self.cell.initialize_carry(x.shape, rngs=self.rngs)  # NNX101
        y = x
    """,
    "of a child": """
        class Child(StatefulModule):
            def __init__(self, rngs):
                self.src = rngs.fork()

            def __call__(self, state, x, rollout_extras=None):
                return Out(state, x, 0.0, {})
        ---
        self.child = Child(rngs)
        ---

        ---
        y = x + self.child.src.normal(x.shape)  # NNX101
    """,
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_a_draw_from_a_stream_is_reported_where_it_stands(case: str) -> None:
    code = written_out(case)
    assert marked(code)
    assert reported(code, "NNX1") == marked(code)
