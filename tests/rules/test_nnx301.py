"""NNX301: what a sampler draws must be returned in `rollout_extras`."""

from __future__ import annotations

import pytest
from support import marked, reported

from .samplers import sampler

DRAW = "raw = mean + self.noise(mean)\n"
OUT = "{'action': raw, 'log_likelihood': self.score(raw, mean)}"

FORGETFUL = {
    "no argument": DRAW + f"return Out(state, {OUT}, 0.0, {{}})  # NNX301",
    "a literal None": DRAW + f"return Out(state, {OUT}, 0.0, {{}}, None)  # NNX301",
    "an empty tuple": DRAW + f"return Out(state, {OUT}, 0.0, {{}}, ())  # NNX301",
    "an empty dict": DRAW + f"return Out(state, {OUT}, 0.0, {{}}, {{}})  # NNX301",
    "an empty list by keyword": DRAW
    + f"return Out(state, {OUT}, 0.0, {{}}, rollout_extras=[])  # NNX301",
    "a dict of None": DRAW + f"return Out(state, {OUT}, 0.0, {{}}, {{'raw': None}})  # NNX301",
    "the mean": DRAW + f"return Out(state, {OUT}, 0.0, {{}}, mean)  # NNX301",
    "the input": DRAW + f"return Out(state, {OUT}, 0.0, {{}}, x)  # NNX301",
    "zeros of its shape": DRAW
    + f"return Out(state, {OUT}, 0.0, {{}}, jnp.zeros_like(raw))  # NNX301",
    "its shape": DRAW + f"return Out(state, {OUT}, 0.0, {{}}, raw.shape)  # NNX301",
    "the extras that it was given": DRAW
    + f"return Out(state, {OUT}, 0.0, {{}}, rollout_extras)  # NNX301",
    "extras that are used but not emitted": """
        raw = mean + self.noise(mean) if rollout_extras is None else rollout_extras
        return Out(state, {'action': raw, 'log_likelihood': raw}, 0.0, {})  # NNX301
    """,
    "a raw action from a helper": """
        raw = self.sample(mean)
        return Out(state, {'action': raw, 'log_likelihood': raw}, 0.0, {})  # NNX301
    """,
    "a draw from a key of its own": """
        raw = mean + jax.random.normal(self.key[...], mean.shape)  # NNX102
        return Out(state, {'action': raw, 'log_likelihood': raw}, 0.0, {})  # NNX301
    """,
    "a draw from a fork": """
        raw = mean + self.rngs.fork().normal(mean.shape)
        return Out(state, {'action': raw, 'log_likelihood': raw}, 0.0, {})  # NNX301
    """,
    "one of two returns": """
        raw = mean + self.noise(mean) if rollout_extras is None else rollout_extras
        if self.training:
            return Out(state, {'action': raw, 'log_likelihood': raw}, 0.0, {}, raw)
        return Out(state, {'action': raw, 'log_likelihood': raw}, 0.0, {})  # NNX301
    """,
    "an early return": """
        if rollout_extras is None:
            raw = mean + self.noise(mean)
            return Out(state, {'action': raw, 'log_likelihood': raw}, 0.0, {})  # NNX301
        raw = rollout_extras
        return Out(state, {'action': raw, 'log_likelihood': raw}, 0.0, {}, raw)
    """,
    "emitted in the replay alone": """
        raw = mean + self.noise(mean) if rollout_extras is None else rollout_extras
        kept = None if rollout_extras is None else raw
        return Out(state, {'action': raw, 'log_likelihood': raw}, 0.0, {}, kept)  # NNX301
    """,
    "a squashed action without its raw one": """
        raw = jnp.tanh(mean + self.noise(mean))
        return Out(state, dict(action=raw, log_likelihood=raw), 0.0, {})  # NNX301
    """,
    "an output that is built before": """
        raw = mean + self.noise(mean)
        out = Out(state, {'action': raw, 'log_likelihood': raw}, 0.0, {})
        return out  # NNX301
    """,
    "an output that is replaced": """
        raw = mean + self.noise(mean)
        out = Out(state, {'action': raw, 'log_likelihood': raw}, 0.0, {}, raw)
        return dataclasses.replace(out, rollout_extras=None)  # NNX301
    """,
    "a match on the extras": """
        match rollout_extras:
            case None:
                raw = mean + self.noise(mean)
            case kept:
                raw = kept
        return Out(state, {'action': raw, 'log_likelihood': raw}, 0.0, {})  # NNX301
    """,
    "a loop that adds up noise": """
        raw = mean
        for _ in range(3):
            raw = raw + self.noise(mean)
        return Out(state, {'action': raw, 'log_likelihood': raw}, 0.0, {})  # NNX301
    """,
    "an output that is no dict": """
        raw = mean + self.noise(mean)
        return Out(state, (raw, self.score(raw, mean)), 0.0, {})  # NNX301
    """,
    "a bare action": """
        raw = mean + self.noise(mean)
        return Out(state, raw, 0.0, {})  # NNX301
    """,
    "a distribution that samples": """
        raw = self.head.distribution(mean).sample(seed=self.rngs.action())
        return Out(state, {'action': raw, 'log_likelihood': raw}, 0.0, {})  # NNX301
    """,
    "one of two draws": """
        a, b = self.noise(mean), self.rngs.second.normal(mean.shape)
        if rollout_extras is not None:
            a, b = rollout_extras, 0.0
        raw = mean + a + b
        return Out(state, {'action': raw, 'log_likelihood': raw}, 0.0, {}, mean + a)  # NNX301
    """,
}

CARRIED = {
    "a carried key": """
        raw = mean + jax.vmap(lambda k, row: jax.random.normal(k, row.shape))(use, mean)
        return Out(state, {'action': raw, 'log_likelihood': raw}, 0.0, {})  # NNX301
    """,
    "a carried key and an empty dict": """
        raw = mean + jax.vmap(lambda k, row: jax.random.normal(k, row.shape))(use, mean)
        return Out(state, {'action': raw, 'log_likelihood': raw}, 0.0, {}, {})  # NNX301
    """,
    "a local stream of a carried key": """
        raw = mean + jax.vmap(lambda k, row: nnx.Rngs(k).normal(row.shape))(use, mean)
        return Out(state, {'action': raw, 'log_likelihood': raw}, 0.0, {}, None)  # NNX301
    """,
    "categorical actions": """
        raw = jax.vmap(jax.random.categorical)(use, mean)
        return Out(state, {'action': raw, 'log_likelihood': raw}, 0.0, {})  # NNX301
    """,
}

KEPT = """
noise = self.noise(mean)
raw = mean + std * noise
"""
FAITHFUL = {
    "the raw action": KEPT + "raw = raw if rollout_extras is None else rollout_extras\nkept = raw",
    "the raw action in a dict": KEPT
    + "if rollout_extras is not None: raw = rollout_extras['raw']\nkept = {'raw': raw}",
    "the raw action in a tuple": KEPT
    + "if rollout_extras is not None: raw, = rollout_extras\nkept = (raw,)",
    "beside its noise": KEPT
    + "if rollout_extras is not None: noise, raw = rollout_extras\nkept = (noise, raw)",
    "a draw only in the rollout": """
        raw = rollout_extras
        if raw is None:
            raw = mean + self.noise(mean)
        kept = raw
    """,
    "an early return": """
        if rollout_extras is not None:
            raw = rollout_extras
            return Out(state, {'action': raw, 'log_likelihood': raw}, 0.0, {}, raw)
        raw = mean + self.noise(mean)
        kept = raw
    """,
    "a match": """
        match rollout_extras:
            case None:
                raw = mean + self.noise(mean)
            case given:
                raw = given
        kept = raw
    """,
    "stopped gradients": """
        raw = jax.lax.stop_gradient(mean + self.noise(mean))
        raw = raw if rollout_extras is None else rollout_extras
        kept = raw
    """,
    "a walrus": """
        raw = given if (given := rollout_extras) is not None else mean + self.noise(mean)
        kept = raw
    """,
    "no draw at all": "raw, kept = jnp.tanh(mean), None",
    "no draw and no extras": """
        return Out(state, {'action': mean, 'log_likelihood': jnp.zeros(3)}, 0.0, {})
    """,
    "a draw for the entropy alone": """
        entropy = jnp.mean(self.noise(mean))
        return Out(state, {'action': mean, 'log_likelihood': mean}, entropy, {})
    """,
    "a draw for the entropy beside": """
        raw = mean + self.noise(mean) if rollout_extras is None else rollout_extras
        entropy = jnp.mean(self.noise(mean))
        return Out(state, {'action': raw, 'log_likelihood': mean}, entropy, {}, raw)
    """,
    "a deterministic mode that returns early": """
        if not self.training:
            return Out(state, {'action': mean, 'log_likelihood': mean}, 0.0, {}, mean)
        raw = mean + self.noise(mean) if rollout_extras is None else rollout_extras
        kept = raw
    """,
    "a deterministic mode that emits nothing": """
        if not self.training:
            return Out(state, {'action': mean, 'log_likelihood': mean}, 0.0, {})
        raw = mean + self.noise(mean) if rollout_extras is None else rollout_extras
        kept = raw
    """,
    "an output of a helper": """
        raw = mean + self.noise(mean) if rollout_extras is None else rollout_extras
        return self.output(state, raw, mean)
    """,
    "extras that are set later": """
        raw = mean + self.noise(mean) if rollout_extras is None else rollout_extras
        out = Out(state, {'action': raw, 'log_likelihood': raw}, 0.0, {})
        return dataclasses.replace(out, rollout_extras=raw)
    """,
}

MEMBERS = """
def sample(self, mean):
    return mean + self.noise(mean)

def output(self, state, raw, mean):
    return Out(state, {'action': raw, 'log_likelihood': self.score(raw, mean)}, 0.0, {}, raw)
"""


@pytest.mark.parametrize(
    ("body", "carried"),
    [*((body, False) for body in FORGETFUL.values()), *((body, True) for body in CARRIED.values())],
    ids=[*FORGETFUL, *CARRIED],
)
def test_a_drawn_action_that_is_not_returned_is_reported_at_the_return(
    body: str, carried: bool
) -> None:
    code = sampler(body, MEMBERS, carried=carried)
    assert marked(code)
    assert reported(code) == marked(code)


@pytest.mark.parametrize("body", FAITHFUL.values(), ids=FAITHFUL)
def test_an_action_that_is_returned_or_not_drawn_is_silent(body: str) -> None:
    assert reported(sampler(body, MEMBERS)) == []
