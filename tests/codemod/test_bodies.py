"""Whatever is rewritten of many ways to draw keeps its promises; the rest is left alone."""

from __future__ import annotations

from pathlib import Path

import pytest
from judging import imported, read, run
from support import module

from flake8_nnx_rng.codemod.planning.plan import proposals
from flake8_nnx_rng.source import Document

from .rewriting import PATH, noisy, rewritten

INIT = """
self.lin = nnx.Linear(3, 3, rngs=rngs)
self.drop = nnx.Dropout(0.5, rngs=rngs)
self.w = nnx.Param(jnp.ones((3, 3)))
self.names = ["a", "b"]
self.key = nnx.Variable(jax.random.key(1))
self.keys = jax.random.split(jax.random.key(1), 3)
self.k2 = jax.random.key(3)
self.on = True
"""

BODIES = [
    ("n = self.rngs.normal((4,) + x.shape)\ny = x + n.mean(0)"),
    ("n = self.rngs.normal((4, *x.shape))\ny = x + n.mean(0)"),
    ("b = x.shape[0]\ny = x + self.rngs.normal((b, 3))"),
    ("b, d = x.shape\ny = x + self.rngs.normal((b, d))"),
    "y = x + self.rngs.normal((x.shape[0], x.shape[-1]))",
    ("y = x[:, None] + self.rngs.normal((x.shape[0], 5, 3))\ny = y.mean(1)"),
    ("i = self.rngs.randint((x.shape[0],), 0, 3)\ny = x + x[jnp.arange(x.shape[0]), i][:, None]"),
    ("i = self.rngs.randint((), 0, 3)\ny = x + i"),
    ("p = self.rngs.permutation(3)\ny = x[:, p]"),
    ("m = self.rngs.bernoulli(0.5, x.shape)\ny = jnp.where(m, x, 0)"),
    ("m = self.rngs.bernoulli(jax.nn.sigmoid(x))\ny = x * m"),
    ("m = self.rngs.bernoulli(jax.nn.sigmoid(x[:, :1]))\ny = x * m"),
    ("c = self.rngs.choice(jnp.arange(3), (x.shape[0],))\ny = x + c[:, None]"),
    ("c = self.rngs.choice(3, shape=(x.shape[0], 3), replace=True)\ny = x + c"),
    ("g = self.rngs.gumbel(x.shape)\ny = jax.nn.one_hot(jnp.argmax(x + g, axis=-1), 3)"),
    "y = x + self.rngs.gamma(jnp.exp(x))",
    "y = x + self.rngs.beta(jnp.exp(x), 2.0)",
    "y = x + self.rngs.beta(jnp.exp(x), 2.0, x.shape)",
    "y = self.rngs.multivariate_normal(x, jnp.eye(3))",
    "y = x + self.rngs.multivariate_normal(jnp.zeros(3), jnp.eye(3), (x.shape[0],))",
    "y = x + self.rngs.dirichlet(jnp.ones(3), (x.shape[0],))",
    "y = x + self.rngs.truncated_normal(-1.0, 1.0, x.shape, jnp.float32)",
    "y = x + self.rngs.uniform(x.shape, jnp.float32, -1.0, 1.0)",
    "y = x + self.rngs.categorical(x, axis=1)[:, None]",
    "y = x + self.rngs.categorical(jnp.zeros(3), shape=(x.shape[0],))[:, None]",
    (
        "key = self.rngs()\n"
        "k1, k2 = jax.random.split(key)\n"
        "y = x + jax.random.normal(k1, x.shape) + jax.random.normal(k2, x.shape)"
    ),
    (
        "ks = jax.random.split(self.rngs(), 3)\n"
        "y = x\n"
        "for k in ks:\n"
        "    y = y + jax.random.normal(k, x.shape)"
    ),
    (
        "ks = jax.random.split(self.rngs(), 3)\n"
        "y = x + jax.random.normal(ks[0], x.shape) + jax.random.normal(ks[2], x.shape)"
    ),
    (
        "ks = jax.random.split(self.rngs(), 3)\n"
        "y = x + sum(jax.random.normal(k, x.shape) for k in ks)"
    ),
    (
        "ks = jax.random.split(self.rngs(), 3)\n"
        "y = x + jax.vmap(lambda k: jax.random.normal(k, x.shape))(ks).sum(0)"
    ),
    ("k = jax.random.fold_in(self.rngs(), 3)\ny = x + jax.random.normal(k, x.shape)"),
    (
        "y = x\n"
        "for i in range(3):\n"
        "    y = y + jax.random.normal(jax.random.fold_in(self.key[...], i), x.shape)"
    ),
    (
        "y = x\n"
        "for i, n in enumerate(self.names):\n"
        "    if n == 'a':\n"
        "        y = y + self.rngs.normal(x.shape)"
    ),
    ("y = x\ni = 0\nwhile i < 2:\n    y = y + self.rngs.normal(x.shape)\n    i += 1"),
    (
        "def f(c, _):\n"
        "    return c + self.rngs.normal(c.shape), None\n"
        "y, _ = jax.lax.scan(f, x, None, length=3)"
    ),
    "y = jax.lax.fori_loop(0, 3, lambda i, c: c + self.rngs.normal(c.shape), x)",
    "y = jax.lax.cond(True, lambda: x + self.rngs.normal(x.shape), lambda: x)",
    ("f = lambda v: v + self.rngs.normal(v.shape)\ny = f(x) + f(2 * x)"),
    ("f = jax.jit(lambda v: v + self.rngs.normal(v.shape))\ny = f(x) + f(2 * x)"),
    "y = jax.checkpoint(lambda v: v + self.rngs.normal(v.shape))(x)",
    "y = x + [self.rngs.normal(x.shape) for _ in range(2)][0]",
    "y = x + {n: self.rngs.normal(x.shape) for n in self.names}['a']",
    ("h = self.lin(x)\ny = self.drop(h) + self.drop(x)"),
    ("y = self.drop(jnp.ones((3, 3))) @ x.T\ny = y.T"),
    "y = x @ self.drop(self.w[...])",
    "y = x + jax.random.normal(self.keys[0], x.shape)",
    ("y = x + jax.random.normal(self.k2, x.shape)\nself.k2 = jax.random.split(self.k2)[0]"),
    (
        "self.k2, a, b = jax.random.split(self.k2, 3)\n"
        "y = x + jax.random.normal(a, x.shape) * jax.random.uniform(b, x.shape)"
    ),
    (
        "k = self.key[...]\n"
        "k, a = jax.random.split(k)\n"
        "self.key[...] = k\n"
        "y = x + jax.random.normal(a, x.shape)"
    ),
    (
        "k = self.key[...]\n"
        "k, a = jax.random.split(k)\n"
        "k, b = jax.random.split(k)\n"
        "self.key[...] = k\n"
        "y = x + jax.random.normal(a, x.shape) + jax.random.normal(b, x.shape)"
    ),
    "y = x + np.random.randn(*x.shape)",
    "y = x + np.random.rand(x.shape[0], 3)",
    "y = x + np.random.default_rng(0).normal(size=(x.shape[0], 1))",
    "y = x * np.random.uniform(0.5, 1.5)",
    "y = x * (1 + 0.1 * jax.random.normal(self.rngs(), (3,)))",
    ("s = jax.random.normal(self.rngs())\ny = x * s"),
    "y = jnp.clip(x + self.rngs.normal(x.shape), -1, 1) if self.on else x",
    ("y = x\ny += self.rngs.normal(y.shape)"),
    (
        "y = x\n"
        "if x.shape[-1] > 2:\n"
        "    y = x + self.rngs.normal(x.shape)\n"
        "else:\n"
        "    y = x - self.rngs.normal(x.shape)"
    ),
    ("with jax.named_scope('n'):\n    y = x + self.rngs.normal(x.shape)"),
    "y = x + (n := self.rngs.normal(x.shape)) * n",
    ("x = x.reshape(x.shape[0], 1, 3)\ny = (x + self.rngs.normal(x.shape)).reshape(x.shape[0], 3)"),
    ("x = jnp.transpose(x)\ny = (x + self.rngs.normal(x.shape)).T"),
    ("x = x[None]\ny = (x + self.rngs.normal(x.shape))[0]"),
    ("x = jnp.stack([x, x])\ny = (x + self.rngs.normal(x.shape)).mean(0)"),
    ("x = jnp.stack([x, x], axis=1)\ny = (x + self.rngs.normal(x.shape)).mean(1)"),
    ("x = jnp.concatenate([x, x])\ny = (x + self.rngs.normal(x.shape))[:x.shape[0] // 2]"),
    ("x = x.sum(-1)\ny = (x + self.rngs.normal(x.shape))[:, None]"),
    ("x = x.sum(-1, keepdims=True)\ny = x + self.rngs.normal(x.shape)"),
    ("n = self.rngs.normal(shape=x.shape, dtype=x.dtype)\ny = x + n"),
    "y = x + self.rngs['noise'].normal(x.shape)",
    ("draw = self.rngs.normal\ny = x + draw(x.shape)"),
    "y = x + np.random.randn()",
    "y = x + np.random.rand(3)",
    "y = x + np.random.normal(*[0.0, 1.0], size=x.shape)",
    "y = x + np.random.normal(0.0, 1.0, x.shape, 4)",
    "y = x + np.random.normal(mu=0.0, size=x.shape)",
    "y = x + np.random.randint(3, size=x.shape)",
    "y = x + np.random.randint(1, 3, size=x.shape)",
    "y = x + np.random.normal(loc=1.0, scale=2.0, size=x.shape)",
    "y = x + np.random.vonmises(0.0, 4.0, size=x.shape)",
    "y = x + (lambda v: sum(self.rngs.normal(v.shape) for _ in range(2)))(x)",
    "y = x\nwhile self.rngs.normal() > 9:\n    y = y + 1",
    (
        "def noise(v):\n    return v + self.rngs.normal(v.shape)\n"
        "y = x\nfor _ in range(2):\n    y = jax.jit(noise)(y)"
    ),
    "y = x + sum(self.rngs.normal(x.shape) for _ in range(2) for _ in range(2))",
    "y = x + sum(1.0 for _ in range(2) if self.rngs.normal() > 0)",
    "y = x + sum(sum(self.rngs.normal(x.shape) for _ in range(2)) for _ in range(2))",
    "y = x\nfor _ in range(2):\n    for _ in range(2):\n        y += self.rngs.normal(x.shape)",
    "y = x + [self.rngs.normal(x.shape), self.rngs.uniform(x.shape)][0]",
    "y = x; y += self.rngs.normal(x.shape)",
    "if self.on: y = x + self.rngs.normal(x.shape)\nelse: y = x",
    "key = self.rngs(); y = x + jax.random.normal(key, x.shape)",
    "(a, b) = jax.random.split(self.rngs())\ny = x + jax.random.normal(a, x.shape)",
    "ks = jax.random.split(self.rngs(), 2)\ny = x + jax.random.normal(ks[1], x.shape)",
    "del rollout_extras\ny = x + self.rngs.normal(x.shape)",
    "y = x + jax.random.normal(self.rngs(), shape=x.shape)",
    "y = x + jax.random.normal(key=self.rngs(), shape=x.shape)",
    "y = x + jax.random.normal(*(self.rngs(), x.shape))",
]
"""What a forward pass leaves in `y`."""


def rewrite(body: str) -> str | None:
    """The module with a body, rewritten; None if it is left alone."""
    source = module(noisy(f"{body}\nreturn StatefulModuleOutput(state, y, 0.0, {{}})", init=INIT))
    (proposal,) = proposals(Document(PATH, source))
    if not proposal.edits:
        assert proposal.reason
        return None
    return rewritten(source, proposal)


@pytest.mark.parametrize("body", BODIES)
def test_a_way_to_draw_is_rewritten_so_that_nothing_is_found_any_more(body: str) -> None:
    after = rewrite(body)
    assert after is None or read(after, path=PATH) == []


@pytest.mark.slow
@pytest.mark.thorough
@pytest.mark.parametrize("body", BODIES)
def test_a_way_to_draw_is_rewritten_soundly_or_not_at_all(body: str, tmp_path: Path) -> None:
    pytest.importorskip("nnx_ppo")
    np = pytest.importorskip("numpy")
    from flax import nnx

    after = rewrite(body)
    if after is not None:
        with imported(after, tmp_path) as file:
            report = run(file.M(nnx.Rngs(0, noise=1)), np.zeros(3, np.float32))
        assert report.failed == ()
