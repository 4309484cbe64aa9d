"""What counts the envs is known of an expression, or it is known that it is not."""

from __future__ import annotations

import libcst as cst
import pytest
from support import module, parse

from flake8_nnx_rng.codemod.envs.kinds import Kind
from flake8_nnx_rng.codemod.envs.references import References
from flake8_nnx_rng.codemod.envs.rows import Rows
from flake8_nnx_rng.codemod.envs.shapes import without_envs
from flake8_nnx_rng.codemod.text.sheet import Sheet
from flake8_nnx_rng.codemod.text.tree import Tree
from flake8_nnx_rng.project import Hierarchy

from ..rewriting import noisy

BEFORE = """
mean, log_std = jnp.split(x, 2, axis=-1)
batch, size = x.shape
h = x
for _ in range(3):
    h = h + 0.5
turned = x
turned = turned.T
total = 0.0
total = total + x
"""
KINDS = {
    Kind.ROWS: """
        x
        mean
        h
        x[:, 0]
        x[..., :2]
        jnp.tanh(x) + self.bias[...]
        x @ self.kernel[...]
        self.linear(x)
        self.layers[0](x)
        self.helper(x)
        jnp.zeros((x.shape[0], 3))
        x.reshape(x.shape[0], -1)
        x.mean(-1)
        jnp.concatenate([x, mean], axis=-1)
        jax.nn.softmax(x)
        jax.vmap(lambda row: row + 1)(x)
        jnp.where(x > 0, x, 0.0)
        total + x
        x if self.on else 2 * x
        jnp.broadcast_to(self.bias[...], x.shape)
        self.rngs.normal((batch, 3))
        state["h"]
        jnp.split(x, 2, axis=-1)[0]
        [x, mean][1]
    """,
    Kind.TREE: """
        state
        jnp.split(x, 2, axis=-1)
        [x, mean]
        {"mean": mean}
    """,
    Kind.SHAPE: """
        x.shape
        x.shape[:-1]
        (x.shape[0], 3)
        (*x.shape[:-1], 3)
        x.shape[:1] + (3,)
        (batch, size)
        (len(x), 1)
        jnp.shape(x)
    """,
    Kind.SIZE: """
        x.shape[0]
        len(x)
        batch
    """,
    Kind.FIXED: """
        3
        size
        x.shape[-1]
        x.shape[1:]
        x.ndim
        self.scale
        self.bias[...]
        jnp.zeros(3)
        (3, 4)
    """,
    Kind.MIXED: "total",
    Kind.UNKNOWN: """
        x.T
        turned
        x[0]
        x[None]
        x.sum()
        jnp.mean(x, axis=0)
        x.reshape(-1)
        jnp.stack([x, mean])
        self.kernel[...] @ x
        x.size
        (3, x.shape[0])
        elsewhere(x)
        state[0]
        mean[0]
    """,
}
SHAPES = {
    "x.shape": "x.shape[1:]",
    "(x.shape[0], 3)": "(3,)",
    "(x.shape[0], 3, 4)": "(3, 4)",
    "(x.shape[0],)": "()",
    "[x.shape[0], 3]": "(3,)",
    "(*x.shape[:-1], 3)": "(*x.shape[1:-1], 3)",
    "x.shape[:1]": "()",
    "x.shape[:-1]": "x.shape[1:-1]",
    "x.shape[:2] + (1,)": "x.shape[1:2] + (1,)",
    "x.shape if self.on else mean.shape": "(x.shape if self.on else mean.shape)[1:]",
}


def asked(expression: str) -> tuple[Rows, cst.BaseExpression]:
    code = noisy(
        f"{BEFORE}\nasked = {expression}\nreturn StatefulModuleOutput(state, x, 0.0, {{}})",
        members="""
        def helper(self, v):
            return jnp.tanh(v)
        """,
        before="from elsewhere import elsewhere",
    )
    tree = Tree((parse(module(code)),))
    values = [
        assign.value
        for assign in tree.every(cst.Assign)
        if tree.code(assign.targets[0].target) == "asked"
    ]
    return Rows(tree, References(tree, Hierarchy())), values[0]


@pytest.mark.parametrize(
    ("expression", "kind"),
    [(line.strip(), kind) for kind, text in KINDS.items() for line in text.strip().splitlines()],
)
def test_the_kind_of_an_expression_is_known(expression: str, kind: Kind) -> None:
    rows, node = asked(expression)
    assert rows.kind(node) is kind


@pytest.mark.parametrize(("shape", "rest"), SHAPES.items())
def test_a_shape_without_the_envs_is_what_one_of_them_draws(shape: str, rest: str) -> None:
    rows, node = asked(shape)
    assert without_envs(node, rows, Sheet(rows.tree.text)) == rest
