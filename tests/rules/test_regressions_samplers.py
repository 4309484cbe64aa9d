"""A sampler may draw from what it holds only as long as the sample is new in every step."""

from __future__ import annotations

import textwrap

import pytest
from support import marked, reported

from .samplers import sampler

_KEPT = "\nraw = drawn if rollout_extras is None else rollout_extras\nkept = raw"

SPOILT = {
    "a clone": "drawn = mean + nnx.clone(self.rngs).normal(mean.shape)  # NNX101",
    "a stream of a clone": (
        "copied = nnx.clone(self.rngs)\n"
        "drawn = mean + jax.random.normal(copied.noise(), mean.shape)  # NNX101"
    ),
    "a copy": "drawn = mean + nnx.Rngs(self.rngs).normal(mean.shape)  # NNX101",
    "after a reseed": (
        "nnx.reseed(self.rngs, default=0)  # NNX101\ndrawn = mean + self.rngs.normal(mean.shape)"
    ),
    "under jit": """
        @jax.jit
        def draw(x):
            return self.rngs.normal(x.shape)  # NNX101

        drawn = mean + draw(mean)
    """,
    "in a checkpoint": """
        def draw(x):
            return self.rngs.normal(x.shape)  # NNX101

        drawn = mean + jax.checkpoint(draw)(mean)
    """,
    "a layer that is given the stream in a checkpoint": """
        def drop(x):
            return self.drop(x, rngs=self.rngs)  # NNX104

        drawn = jax.checkpoint(drop)(mean)
    """,
    "in a branch": """
        def draw(x):
            return x + self.rngs.normal(x.shape)  # NNX101

        drawn = jax.lax.cond(jnp.all(mean < 9), draw, lambda x: x, mean)
    """,
    "in a function by partial": """
        @functools.partial(jax.jit, static_argnums=1)
        def draw(x, n):
            return self.rngs.normal(x.shape)  # NNX101

        drawn = mean + draw(mean, 1)
    """,
    "a key that moves on under jit": """
        def draw(x):
            following, use = jax.random.split(self.key[...])
            self.key[...] = following  # NNX103
            return jax.random.normal(use, x.shape)

        drawn = mean + jax.jit(draw)(mean)
    """,
}


SOUND = {
    "a fork": "drawn = mean + self.rngs.fork().normal(mean.shape)",
    "under nnx.jit": """
        @nnx.jit
        def draw(rngs, x):
            return rngs.normal(x.shape)

        drawn = mean + draw(self.rngs, mean)
    """,
    "a key that is given to what is traced": """
        def draw(key, x):
            return jax.random.normal(key, x.shape)

        drawn = mean + jax.jit(draw)(self.rngs(), mean)
    """,
}


@pytest.mark.parametrize("name", SPOILT)
def test_a_sample_that_comes_again_or_does_not_run_is_reported(name: str) -> None:
    init = "self.drop = nnx.Dropout(0.5)\n"
    code = sampler(textwrap.dedent(SPOILT[name]).strip("\n") + _KEPT, init=init)
    assert marked(code)
    assert reported(code) == marked(code)


@pytest.mark.parametrize("name", SOUND)
def test_a_sample_from_a_stream_that_goes_on_is_not_reported(name: str) -> None:
    assert reported(sampler(textwrap.dedent(SOUND[name]).strip("\n") + _KEPT)) == []


def test_a_stream_of_the_file_is_not_the_sampler_s() -> None:
    code = sampler("drawn = mean + RNGS.normal(mean.shape)  # NNX101" + _KEPT)
    code = code.replace("class M(", "RNGS = nnx.Rngs(0)\n\n\nclass M(")
    assert reported(code) == marked(code)


def test_what_does_as_a_sampler_may_move_its_key_on() -> None:
    moving = """
        following, use = jax.random.split(self.key[...])
        self.key[...] = following
        drawn = mean + jax.random.normal(use, mean.shape)
    """
    code = sampler(textwrap.dedent(moving).strip("\n") + _KEPT)
    plain = code.replace("(ActionSampler)", "(StatefulModule)")
    assert plain != code
    assert reported(plain) == []


def test_keys_of_the_input_and_the_place_may_draw_a_sample_that_comes_back() -> None:
    keys = "keys = jax.vmap(lambda row: jax.random.key(jnp.sum(row).astype(int)))(x)\n"
    places = "keys = jax.vmap(jax.random.fold_in)(keys, jnp.arange(x.shape[0]))\n"
    draw = "drawn = mean + jax.random.normal(keys[-1], mean.shape)"
    assert reported(sampler(keys + places + draw + _KEPT)) == []


@pytest.mark.parametrize("noise", ["jnp.where(x < 9, {}, 0.0)", "{} * jnp.std(x)", "{}"])
def test_noise_that_is_put_on_what_a_layer_learned_is_not_the_action(noise: str) -> None:
    noise = noise.format("self.rngs.normal(x.shape)")
    body = f"""
        kept = {noise} if rollout_extras is None else rollout_extras
        raw = self.head(x)[:, : x.shape[1]] + kept
    """
    assert [code for code, _ in reported(sampler(body))] == ["NNX302"]


def test_noise_that_any_class_puts_on_a_learned_mean_again_is_reported() -> None:
    body = """
        kept = self.rngs.normal(x.shape) if rollout_extras is None else rollout_extras
        raw = self.head(x)[:, : x.shape[1]] + kept
    """
    code = sampler(body).replace("(ActionSampler)", "(StatefulModule)")
    assert [found for found, _ in reported(code)] == ["NNX302"]
