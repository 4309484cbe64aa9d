"""What cannot be rewritten for certain is left alone, and the reason is said in one line."""

from __future__ import annotations

import pytest

from flake8_nnx_rng.codemod.proposal import Safety

from ..rewriting import noisy, proposed

END = "\nreturn StatefulModuleOutput(state, y, 0.0, {})"

REFUSED = {
    "the first axis is another one": (
        "y = (x.T + self.rngs.normal(x.T.shape)).T",
        "which axis of `x.T.shape` counts the envs",
    ),
    "the shape is made of both": (
        "y = x.reshape(-1) + self.rngs.normal(x.reshape(-1).shape)",
        "which axis of `x.reshape(-1).shape` counts the envs",
    ),
    "a name has rows at one place only": (
        "h = x\nh = h[0]\ny = x + self.rngs.normal(h.shape)",
        "which axis of `h.shape` counts the envs",
    ),
    "noise that only the rollout has": (
        "y = x + (self.rngs.normal(x.shape) if rollout_extras is None else 0.0)",
        "it draws in the rollout alone",
    ),
    "noise on the weights": (
        "y = x @ self.rngs.normal((3, 3))",
        "shared by the whole batch",
    ),
    "a permutation of the envs": (
        "y = self.rngs.permutation(x)",
        "draws for the batch as a whole",
    ),
    "a layer without a key of its call": (
        "y = self.attention(x[:, None])[:, 0]",
        "nnx.MultiHeadAttention takes no key when it is called",
    ),
    "a layer that is built in the pass": (
        "y = nnx.Linear(x.shape[-1], 3, rngs=self.rngs)(x)",
        "is built in the forward pass; build it once",
    ),
    "a stream for code that is not seen": (
        "from augment import perturbed\ny = perturbed(x, self.rngs)",
        "it hands a stream to code that is not seen",
    ),
    "statistics that the output depends on": (
        "y = self.norm(x)",
        "`self.norm(x)` keeps statistics; use a Normalizer",
    ),
    "a count that the output depends on": (
        "self.count[...] += 1\ny = x / self.count[...]",
        "`self.count[...]` is state that the output depends on",
    ),
    "a function that is handed on": (
        "y = jax.jvp(lambda v: v + self.rngs.normal(v.shape), (x,), (x,))[0]",
        "a lambda draws, and is handed on as a function",
    ),
    "a helper that something else calls": (
        "y = x + self.noise(x)",
        "`generate` draws, and who calls it is not seen",
    ),
    "layers of which it is not known which one draws": (
        "y = x\nfor layer in self.layers:\n    y = layer(y)",
        "`layer` may be another layer than the one that draws",
    ),
}


@pytest.mark.parametrize(("body", "reason"), REFUSED.values(), ids=REFUSED)
def test_a_class_is_left_alone_for_a_reason(body: str, reason: str) -> None:
    code = noisy(
        body + END,
        init="""
        self.attention = nnx.MultiHeadAttention(1, 3, dropout_rate=0.5, rngs=rngs)
        self.norm = nnx.BatchNorm(3, rngs=rngs)
        self.count = nnx.Variable(jnp.array(0.0))
        self.layers = [nnx.Linear(3, 3, rngs=rngs), nnx.Dropout(0.5, rngs=rngs)]
        """,
        members="""
        def noise(self, x):
            return self.rngs.normal(x.shape)

        def generate(self, x):
            return self.noise(x)
        """,
    )
    (proposal,) = proposed(code)
    assert proposal.safety is Safety.NONE
    assert not proposal.edits
    assert reason in proposal.reason
    assert "\n" not in proposal.reason


def test_a_sound_class_gets_no_proposal() -> None:
    assert proposed(noisy("return StatefulModuleOutput(state, 2 * x, 0.0, {})")) == []


@pytest.mark.parametrize(
    "folding",
    [
        "jax.vmap(lambda i: jax.random.split(jax.random.fold_in(base, i))[0])(rows)",
        "jax.lax.map(lambda i: jax.random.fold_in(base, i), rows)",
    ],
)
def test_a_mapped_function_that_reads_a_key_from_outside_is_left_alone(folding: str) -> None:
    code = noisy(
        "base = jax.random.split(self.rngs(), 3)[0]\n"
        "rows = jnp.arange(x.shape[0])\n"
        f"keys = {folding}\n"
        "y = jax.vmap(lambda k, row: row + jax.random.normal(k, row.shape))(keys, x)" + END
    )
    assert not any(proposal.edits for proposal in proposed(code))


def test_keys_of_streams_that_constant_streams_give_out_are_left_alone() -> None:
    code = noisy(
        "many = nnx.Rngs(0).split(x.shape[0])\n"
        "y = jax.vmap(lambda k, row: row + jax.random.normal(k, row.shape))"
        "(many.default.key[...], x)\n" + END
    )
    (proposal,) = proposed(code)
    assert "gives out streams" in proposal.reason


def test_a_row_s_number_is_not_folded_into_its_key() -> None:
    code = noisy(
        "keys = jax.vmap(jax.random.fold_in)(self.rngs.noise.key[...], jnp.arange(x.shape[0]))\n"
        "y = jax.vmap(lambda k, row: row + jax.random.normal(k, row.shape))(keys, x)" + END
    )
    assert not any(proposal.edits for proposal in proposed(code))
