"""NNX302: the action of the replay is the stored one."""

from __future__ import annotations

import pytest
from support import marked, module, reported

from .samplers import sampler

NOISE = "jax.vmap(lambda k, row: jax.random.normal(k, row.shape))(use, mean)"

STUBBORN = {
    "extras that are ignored": """
        raw = mean + self.rngs.normal(mean.shape)  # NNX302
        kept = raw
    """,
    "extras in a dict that are ignored": """
        raw = mean + self.rngs.normal(mean.shape)  # NNX302
        kept = {'raw': raw}
    """,
    "a draw from a key of its own": """
        raw = mean + jax.random.normal(self.key[...], mean.shape)  # NNX102 NNX302
        kept = raw
    """,
    "extras under a flag": """
        raw = mean + self.rngs.normal(mean.shape)  # NNX302
        if self.training and rollout_extras is not None:
            raw = rollout_extras
        kept = raw
    """,
    "extras under a test of their content": """
        raw = mean + self.rngs.normal(mean.shape)  # NNX302
        if rollout_extras is not None and rollout_extras.sum() > 0:
            raw = rollout_extras
        kept = raw
    """,
    "extras that are mixed with a new draw": """
        raw = mean + self.rngs.normal(mean.shape)  # NNX302
        if rollout_extras is not None:
            raw = 0.5 * raw + 0.5 * rollout_extras
        kept = raw
    """,
    "extras that come too early": """
        raw = mean if rollout_extras is None else rollout_extras
        raw = raw + self.rngs.normal(mean.shape)  # NNX302
        kept = raw
    """,
    "the wrong arm": """
        raw = rollout_extras
        if rollout_extras is not None:
            raw = mean + self.rngs.normal(mean.shape)  # NNX302
        else:
            raw = mean + self.rngs.normal(mean.shape)
        kept = raw
    """,
    "half of the noise": """
        first, second = self.rngs.normal(mean.shape), self.rngs.normal(mean.shape)  # NNX302
        if rollout_extras is not None:
            first = rollout_extras
        raw = mean + first + second
        kept = first
    """,
    "a helper that draws": """
        raw = self.sample(mean)
        kept = raw
    """,
    "noise after the stored action": """
        raw = mean + self.rngs.normal(mean.shape)
        raw = raw if rollout_extras is None else rollout_extras
        kept = raw
        raw = raw + 0.1 * self.rngs.jitter.normal(mean.shape)  # NNX302
    """,
    "another return": """
        if rollout_extras is None:
            raw = mean + self.rngs.normal(mean.shape)
            return Out(state, {'action': raw, 'log_likelihood': raw}, 0.0, {}, raw)
        raw = mean + self.rngs.normal(mean.shape)  # NNX302
        return Out(state, {'action': raw, 'log_likelihood': raw}, 0.0, {}, raw)
    """,
    "a conversion that does not decide": """
        raw = mean + self.rngs.normal(mean.shape)  # NNX302
        raw = jnp.where(self.training, raw, raw if rollout_extras is None else rollout_extras)
        kept = raw
    """,
    "noise that is put on the mean again": """
        noise = self.rngs.normal(mean.shape) if rollout_extras is None else rollout_extras
        raw = mean + std * noise
        kept = noise
        return Out((), {'action': raw, 'log_likelihood': raw}, 0.0, {}, kept)  # NNX302
    """,
    "noise in a dict that is put on the mean again": """
        noise = self.rngs.normal(mean.shape)
        if rollout_extras is not None:
            noise = rollout_extras['noise']
        raw = mean + std * noise
        return Out((), {'action': raw, 'log_likelihood': raw}, 0.0, {}, {'noise': noise})  # NNX302
    """,
    "noise beside the raw action": """
        noise = self.rngs.normal(mean.shape)
        if rollout_extras is not None:
            noise = rollout_extras['noise']
        raw = mean + std * noise
        kept = {'noise': noise, 'raw': raw}
        return Out((), {'action': raw, 'log_likelihood': raw}, 0.0, {}, kept)  # NNX302
    """,
    "noise out of a tuple": """
        noise = self.rngs.normal(mean.shape)
        if rollout_extras is not None:
            noise, _ = rollout_extras
        raw = mean + std * noise
        return Out((), {'action': raw, 'log_likelihood': raw}, 0.0, {}, (noise, raw))  # NNX302
    """,
    "noise and mean, with a new deviation": """
        noise, stored = self.rngs.normal(mean.shape), mean
        if rollout_extras is not None:
            noise, stored = rollout_extras['noise'], rollout_extras['mean']
        raw = stored + nnx.softplus(x) * noise
        kept = {'noise': noise, 'mean': stored}
        return Out((), {'action': raw, 'log_likelihood': raw}, 0.0, {}, kept)  # NNX302
    """,
    "Gumbel noise": """
        noise = self.rngs.gumbel(mean.shape) if rollout_extras is None else rollout_extras
        raw = jnp.argmax(mean + noise, axis=-1)
        return Out((), {'action': raw, 'log_likelihood': raw}, 0.0, {}, noise)  # NNX302
    """,
    "the mean in the replay": """
        raw = mean + self.rngs.normal(mean.shape) if rollout_extras is None else mean
        return Out((), {'action': raw, 'log_likelihood': raw}, 0.0, {}, raw)  # NNX302
    """,
    "the mean under an early return": """
        if rollout_extras is not None:
            return Out((), {'action': mean, 'log_likelihood': mean}, 0.0, {}, mean)  # NNX302
        raw = mean + self.rngs.normal(mean.shape)
        return Out((), {'action': raw, 'log_likelihood': raw}, 0.0, {}, raw)
    """,
}
MEMBERS = """
def sample(self, mean):
    return mean + self.rngs.normal(mean.shape)  # NNX302
"""

CARRIED = {
    "ignored": f"raw = mean + {NOISE}  # NNX302\nkept = raw",
    "ignored, in a dict": f"raw = mean + {NOISE}  # NNX302\nkept = dict(raw=raw)",
    "ignored, in a tuple": f"raw = mean + {NOISE}  # NNX302\nkept = (raw,)",
    "under a flag": f"""
        raw = mean + {NOISE}  # NNX302
        if not self.training and rollout_extras is not None:
            raw = rollout_extras
        kept = raw
    """,
    "a categorical draw": """
        raw = jax.vmap(jax.random.categorical)(use, mean)  # NNX302
        kept = raw
    """,
    "a local stream": """
        raw = mean + jax.vmap(lambda k, row: nnx.Rngs(k).normal(row.shape))(use, mean)  # NNX302
        kept = raw
    """,
    "noise that is put on the mean again": f"""
        noise = {NOISE} if rollout_extras is None else rollout_extras
        raw = mean + noise
        return Out(state, {{'action': raw, 'log_likelihood': raw}}, 0.0, {{}}, noise)  # NNX302
    """,
}

FAITHFUL = {
    "the stored action": f"""
        raw = mean + {NOISE} if rollout_extras is None else rollout_extras
        kept = raw
    """,
    "the stored action after a draw": f"""
        raw = mean + {NOISE}
        if rollout_extras is not None:
            raw = rollout_extras
        kept = raw
    """,
    "noise from a carried key in the likelihood": f"""
        mean = mean + {NOISE}
        raw = mean + self.rngs.normal(mean.shape) if rollout_extras is None else rollout_extras
        kept = raw
    """,
    "a scaled action": """
        raw = mean + self.rngs.normal(mean.shape) if rollout_extras is None else rollout_extras
        output = {'action': 2.0 * jnp.tanh(raw), 'log_likelihood': self.score(raw, mean)}
        return Out(state, output, 0.0, {}, raw)
    """,
    "an action in the shape of the mean": """
        raw = mean + self.rngs.normal(mean.shape) if rollout_extras is None else rollout_extras
        raw = jnp.reshape(raw, mean.shape).astype(mean.dtype)
        kept = raw
    """,
    "a deterministic mode": """
        if not self.training:
            raw = mean
        elif rollout_extras is None:
            raw = mean + self.rngs.normal(mean.shape)
        else:
            raw = rollout_extras
        kept = raw
    """,
    "a deterministic mode that is chosen first": """
        drawn = mean + self.rngs.normal(mean.shape) if self.training else mean
        raw = drawn if rollout_extras is None else rollout_extras
        kept = raw
    """,
    "the raw action beside its noise": """
        noise = self.rngs.normal(mean.shape)
        raw = mean + noise
        if rollout_extras is not None:
            noise, raw = rollout_extras['noise'], rollout_extras['raw']
        kept = {'noise': noise, 'raw': raw}
    """,
    "a tuple that is taken apart": """
        noise = self.rngs.normal(mean.shape)
        raw = mean + noise
        if rollout_extras is not None:
            noise, raw = rollout_extras
        kept = (noise, raw)
    """,
    "an action on top of a base that is observed": """
        raw = mean + self.rngs.normal(mean.shape) if rollout_extras is None else rollout_extras
        output = {'action': x + raw, 'log_likelihood': self.score(raw, mean)}
        return Out(state, output, 0.0, {}, raw)
    """,
    "an action under a mask that is observed": """
        raw = mean + self.rngs.normal(mean.shape) if rollout_extras is None else rollout_extras
        output = {'action': jnp.where(x > 0, raw, 0.0), 'log_likelihood': self.score(raw, mean)}
        return Out(state, output, 0.0, {}, raw)
    """,
    "a mean that does not depend on the input": """
        raw = self.rngs.normal(mean.shape) if rollout_extras is None else rollout_extras
        kept = raw
    """,
    "a conditional in JAX": """
        drawn = mean + self.rngs.normal(mean.shape)
        raw = jax.lax.stop_gradient(drawn) if rollout_extras is None else rollout_extras
        kept = raw
    """,
    "a helper that chooses": """
        raw = self.choose(mean, rollout_extras)
        kept = raw
    """,
}
CHOICE = """
def choose(self, mean, given):
    if given is not None:
        return given
    return mean + self.rngs.normal(mean.shape)
"""


@pytest.mark.parametrize("body", STUBBORN.values(), ids=STUBBORN)
def test_an_action_that_is_not_the_stored_one_is_reported(body: str) -> None:
    members = MEMBERS if "self.sample" in body else ""
    code = sampler(body, members)
    assert marked(code)
    assert reported(code) == marked(code)


@pytest.mark.parametrize("body", CARRIED.values(), ids=CARRIED)
def test_a_carried_key_does_not_lock_the_action(body: str) -> None:
    code = sampler(body, carried=True)
    assert marked(code)
    assert reported(code) == marked(code)


@pytest.mark.parametrize("body", FAITHFUL.values(), ids=FAITHFUL)
def test_the_stored_action_may_be_used_in_any_way(body: str) -> None:
    assert reported(sampler(body, CHOICE, carried=True)) == []


@pytest.mark.parametrize(
    ("output", "is_scored"),
    [
        ("{'action': x, 'log_likelihood': x.sum(-1)}", True),
        ("PPONetworkOutput(actions=x, loglikelihoods=x.sum(-1), value_estimates=0.0)", True),
        ("{'action': x}", False),
        ("x", False),
    ],
)
def test_whatever_scores_its_action_counts_as_a_sampler(output: str, is_scored: bool) -> None:
    code = module(f"""
        from nnx_ppo.networks.types import PPONetworkOutput


        class Root(StatefulModule):
            def initialize_state(self, batch_size):
                return jax.random.split(jax.random.key(3), batch_size)

            def __call__(self, key, x, rollout_extras=None):
                key, use = jax.vmap(lambda k: tuple(jax.random.split(k)))(key)
                x = x + jax.vmap(lambda k, row: jax.random.normal(k, row.shape))(use, x)
                return StatefulModuleOutput(key, {output}, 0.0, {{}})
    """)
    assert [code for code, _ in reported(code)] == ["NNX301"] * is_scored


def test_noise_on_what_a_child_of_unknown_class_scores_is_that_child_s_business() -> None:
    code = """
    from nnx_ppo.networks.types import PPONetworkOutput

    class M(StatefulModule):
        def __init__(self, actor: StatefulModule, rngs: nnx.Rngs):
            self.actor, self.rngs = actor, rngs

        def initialize_state(self, batch_size):
            key = jax.random.split(self.rngs(), batch_size)
            return self.actor.initialize_state(batch_size), key

        def reset_state(self, prev_state):
            return self.actor.reset_state(prev_state[0]), prev_state[1]

        def __call__(self, state, x, rollout_extras=None):
            state, key = state
            key, use = jax.vmap(lambda k: tuple(jax.random.split(k)))(key)
            x += jax.vmap(lambda k, row: jax.random.normal(k, row.shape))(use, x)
            out = self.actor(state, x, rollout_extras)
            scored = PPONetworkOutput(out.output["action"], out.output["score"], 0.0)
            return StatefulModuleOutput(
                (out.next_state, key), scored, 0.0, out.metrics, out.rollout_extras
            )
    """
    assert reported(code) == []


@pytest.mark.parametrize(
    "output",
    [
        "PPONetworkOutput(raw, raw.sum(-1), noise.sum(-1))",
        "PPONetworkOutput(actions=raw, loglikelihoods=raw.sum(-1), value_estimates=noise.sum(-1))",
        "{'action': raw, 'log_likelihood': raw.sum(-1), 'entropy': noise.sum(-1)}",
    ],
)
def test_only_the_action_must_be_the_stored_one(output: str) -> None:
    code = f"""
        from nnx_ppo.networks.types import PPONetworkOutput


        class Root(StatefulModule):
            def initialize_state(self, batch_size):
                return jax.random.split(jax.random.key(3), batch_size)

            def __call__(self, key, x, rollout_extras=None):
                key, use = jax.vmap(lambda k: tuple(jax.random.split(k)))(key)
                noise = jax.vmap(lambda k, row: jax.random.normal(k, row.shape))(use, x)
                raw = x + noise if rollout_extras is None else rollout_extras
                return StatefulModuleOutput(key, {output}, 0.0, {{}}, raw)
    """
    assert reported(code) == []
