"""Every rule's message, word for word, on the rule's own examples."""

from __future__ import annotations

import pytest
from support import findings_of

from flake8_nnx_rng.lint import lint
from flake8_nnx_rng.rules import CATALOGUE
from flake8_nnx_rng.source import Document

from .samplers import sampler

TEXTS: dict[str, tuple[str, ...]] = {
    "NNX101": (
        "NoisyDense.__call__ → _perturb draws from class-level self.rngs.noise: rollout and "
        "loss replay will see different noise; carry one key per env in the state",
    ),
    "NNX102": (
        "FixedNoise.__call__ draws with class-level key self.key: rollout and loss replay "
        "will see different noise, or every step the same; carry one key per env in the state",
    ),
    "NNX103": (
        "Advancing.__call__ writes RNG state self.key: the loss replay starts where the "
        "rollout left it; return the next key in the state instead",
    ),
    "NNX104": (
        "Regularised.__call__ calls self.dropout (nnx.Dropout), which draws from "
        "self.dropout.rngs: rollout and loss replay will see different masks; pass a carried "
        "key per env as rngs=, or deterministic=True",
    ),
    "NNX105": (
        "Perturbed.__call__ hands class-level self.rngs to elsewhere.perturbed, whose draws "
        "are not followed: rollout and loss replay will see different noise; hand it a key "
        "carried per env",
    ),
    "NNX106": (
        "Frozen.__call__ draws with jax.random.key(0), a constant: every step sees the same "
        "noise, and a minibatch other rows of it; carry one key per env in the state",
    ),
    "NNX107": (
        "HostNoise.__call__ calls numpy.random.normal on the host: jit freezes its noise when"
        " it traces, and rollout and loss replay are traced apart; draw with jax.random from "
        "a key carried per env",
    ),
    "NNX108": (
        "Normed.__call__ calls self.norm (nnx.BatchNorm), which updates its own state, and "
        "its output depends on that: the loss replay starts from what the rollout left there;"
        " keep it in the state, or update it outside the pass",
        "Warmup.__call__ updates self.steps, and its output depends on that: the loss replay "
        "starts from what the rollout left there; keep it in the state, or update it outside "
        "the pass",
    ),
    "NNX201": (
        "Stuck.__call__ draws from state and returns it unchanged: every step sees the same "
        "noise; split it per env and return the other half",
    ),
    "NNX202": (
        "Shared.initialize_state returns one key for all envs: they draw the same noise, or "
        "the replay cannot index it; return jax.random.split(key, batch_size)",
    ),
    "NNX203": (
        "FirstDecides.__call__ uses another env's state than the one it draws for: a "
        "minibatch of the loss replay will see different noise; map it over the envs: "
        "jax.vmap(lambda k, row: ...)(key, x)",
    ),
    "NNX204": (
        "Zeroed.reset_state replaces the key in state['key'] by a constant: every env draws "
        "the same noise after its reset; pass the key through",
    ),
    "NNX205": (
        "Residual.__call__ does not return the next_state of self.inner: its noise repeats "
        "and its memory is lost; hand its own state in and return its next_state",
    ),
    "NNX206": (
        "keys of implementation rbg draw by batch position under vmap, and Noisy carries "
        "keys: the loss replay of a minibatch will see different noise; use threefry2x32",
    ),
    "NNX207": (
        "FreshOnReset.reset_state uses state in one call, which fails in nnx-ppo's rollout: "
        "it resets the keys of all envs, the loss that of one; jnp.vectorize(lambda k: "
        "...)(key) takes both",
    ),
    "NNX301": (
        "GaussianSampler.__call__ draws an action and does not return it in rollout_extras: "
        "the loss replay scores another action than was taken; return the raw action there",
    ),
    "NNX302": (
        "GaussianSampler.__call__ draws the action anew though rollout_extras are given: PPO "
        "scores an action that was not taken; use the stored raw action instead",
    ),
    "NNX303": (
        "Residual.__call__ calls self.inner without its rollout_extras: the loss replay draws"
        " again what the rollout drew; pass the child's part of rollout_extras",
    ),
    "NNX304": (
        "GaussianSampler.__call__ draws one sample for all envs: they explore the same way in "
        "every step; draw in the shape of the batch",
    ),
    "NNX401": (
        "DrawThenSplit.__call__: key state is split and was drawn from before: the two "
        "results are correlated; split it once and use each half once",
    ),
    "NNX402": (
        "Reseeding.reset_state draws from class-level self.rngs: nnx-ppo's loss calls it "
        "under vmap and cond and raises TraceContextError; derive the key from the carried "
        "one: jnp.vectorize(lambda k: jax.random.fold_in(k, 0))(key)",
    ),
    "NNX403": (
        "GaussianSampler.__call__ draws from self.rngs.action only if rollout_extras is None:"
        " its stream is not where the rollout's was after the replay; draw in both cases",
    ),
    "NNX404": (
        "Torso.__init__ has one RNG object as the default of rngs: it is made once and shared"
        " by every instance, so layers are initialised alike; require the argument",
    ),
    "NNX405": (
        "Colliding.__call__ → draw: key state is both split and folded into: fold_in(k, i) is"
        " split(k, n)[i], so the two families share keys; fold into one of the halves instead",
    ),
}


@pytest.mark.parametrize("code", TEXTS)
def test_the_message_is(code: str) -> None:
    findings = [
        finding
        for example in CATALOGUE[code].invalid
        for finding in lint(Document("example.py", example))
    ]
    texts = tuple(f.text for f in findings if f.code == code)
    assert texts == tuple(f"{code} {text}" for text in TEXTS[code])


def test_every_rule_that_has_an_example_has_its_message_here() -> None:
    assert set(TEXTS) == {code for code, rule in CATALOGUE.items() if rule.invalid}


@pytest.mark.parametrize(
    ("key", "place"), [("keys['b']", "keys['b']"), ("keys.b", "keys['b']"), ("pair[1]", "pair[1]")]
)
def test_a_key_in_a_collection_is_named_with_its_place_there(key: str, place: str) -> None:
    (finding,) = findings_of(f"""
        class M(StatefulModule):
            def __init__(self, rngs):
                self.keys = {{'a': nnx.RngKey(rngs()), 'b': nnx.RngKey(rngs())}}
                self.pair = (1, nnx.RngKey(rngs()))

            def __call__(self, state, x, rollout_extras=None):
                noise = jax.random.normal(self.{key}[...], x.shape)
                return StatefulModuleOutput(state, x + noise, 0.0, {{}})
    """)
    assert f" draws with class-level key self.{place}: " in finding.text


def test_an_action_that_is_made_of_stored_noise_is_said_to_move() -> None:
    body = """
        noise = self.rngs.normal(mean.shape) if rollout_extras is None else rollout_extras
        raw = mean + std * noise
        kept = noise
    """
    (finding,) = findings_of(sampler(body))
    assert finding.text == (
        "NNX302 M.__call__ returns an action that is not the stored one: it moves with the "
        "parameters; store the raw action in rollout_extras and use it as it is"
    )
