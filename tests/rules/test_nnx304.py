"""NNX304: a sample is drawn for each env."""

from __future__ import annotations

import pytest
from support import marked, reported

from .samplers import sampler

ONE_FOR_ALL = {
    "a number": "drawn = mean + self.rngs.normal()",
    "a number from a key": "drawn = mean + jax.random.normal(self.rngs())",
    "a literal shape": "drawn = mean + self.rngs.normal((2,))",
    "a literal shape by name": "drawn = mean + jax.random.uniform(self.rngs(), shape=(1, 2))",
    "the shape of a row": "drawn = mean + self.rngs.normal(mean.shape[1:])",
    "no shape, but literal parameters": "drawn = mean + self.rngs.bernoulli(0.5)",
    "one permutation": "drawn = jax.random.permutation(self.rngs(), mean, axis=1)",
    "a key made of the first env's": (
        "drawn = mean + jax.random.normal(jax.random.split(use[0], 3)[1], (2,))"
    ),
}
_TURNED = "use = jnp.roll(use, 1, axis=0)\n"
_HALVES = "halves = jax.vmap(lambda k: jax.random.split(k)[1])(use)\n"
ONE_FOR_ALL |= {
    f"a half of the first env's key{where}": (
        f"{turn}{_HALVES}drawn = mean + jax.random.normal(halves[0], (2,))"
    )
    for where, turn in {"": "", " in another order": _TURNED}.items()
}
_FROM_STREAMS = {
    "the first env's key": "jax.random.permutation(nnx.Rngs(use[0])(), mean, axis=1)",
    "a key made of it": "nnx.Rngs(jax.random.fold_in(use[0], 5)).normal((2,))",
    "streams that its streams were forked into": "nnx.Rngs(use[0]).fork().normal((2,))",
}
ONE_FOR_ALL |= {
    f"streams of the pass from {name}": f"drawn = mean + {draw}"
    for name, draw in _FROM_STREAMS.items()
}
ONE_FOR_EACH = {
    "the shape of the batch": "drawn = mean + self.rngs.normal(mean.shape)",
    "the shape of the batch by parts": "drawn = mean + self.rngs.normal((mean.shape[0], 2))",
    "an unknown shape": "drawn = mean + self.rngs.normal(self.shape)",
    "the shape of the parameters": "drawn = jax.random.bernoulli(self.rngs(), mean)",
    "the shape of the logits": "drawn = jax.random.categorical(self.rngs(), mean)",
    "permutations apart": (
        "drawn = jax.random.permutation(self.rngs(), mean, axis=1, independent=True)"
    ),
    "a map over keys": (
        "keys = jax.random.split(self.rngs(), mean.shape[0])\n"
        "drawn = mean + jax.vmap(lambda k: jax.random.normal(k, (2,)))(keys)"
    ),
    "a loop over keys": (
        "keys = jax.random.split(self.rngs(), mean.shape[0])\n"
        "drawn = mean + jnp.stack([jax.random.normal(k, (2,)) for k in keys])"
    ),
    "a map over keys that streams were split into": (
        "keys = self.rngs.split(mean.shape[0]).default.key[...]\n"
        "drawn = mean + jax.lax.map(lambda k: jax.random.normal(k, (2,)), keys)"
    ),
    "a loop over carried keys": (
        "drawn = mean + jnp.stack([jax.random.normal(k, (2,)) for k in use])"
    ),
}
KEYS_OF_THE_INPUT = """
keys = jax.vmap(lambda row: jax.random.key(jnp.sum(row).astype(int)))(x)
drawn = jax.vmap(lambda k: jax.random.normal(k, (2,)))(keys)
"""
_KEPT = "\nraw = drawn if rollout_extras is None else rollout_extras\nkept = raw"


@pytest.mark.parametrize("name", ONE_FOR_ALL)
def test_one_sample_for_all_envs_is_reported_where_it_is_drawn(name: str) -> None:
    code = sampler(ONE_FOR_ALL[name] + "  # NNX304" + _KEPT, carried="use" in ONE_FOR_ALL[name])
    assert reported(code) == marked(code)


@pytest.mark.parametrize("name", ONE_FOR_EACH)
def test_a_sample_for_each_env_is_not_reported(name: str) -> None:
    code = sampler(ONE_FOR_EACH[name] + _KEPT, carried="use" in ONE_FOR_EACH[name])
    assert reported(code) == []


def test_a_sample_from_keys_that_each_env_s_input_makes_is_not_reported() -> None:
    assert reported(sampler(KEYS_OF_THE_INPUT + _KEPT)) == []


def test_attention_that_drops_the_same_of_every_row_is_reported_in_a_sampler() -> None:
    layer = "self.attend = nnx.MultiHeadAttention(1, 2, dropout_rate=0.5{}, rngs=rngs)\n"
    body = "drawn = self.attend(mean[:, None])[:, 0]{}" + _KEPT
    one = sampler(body.format("  # NNX304"), init=layer.format(""))
    apart = sampler(body.format(""), init=layer.format(", broadcast_dropout=False"))
    assert reported(one) == marked(one)
    assert reported(apart) == []
