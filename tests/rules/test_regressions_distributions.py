"""Draws by methods of distributions, which take a key."""

from __future__ import annotations

import pytest
from support import marked, reported

from .regressions import written_out

CASES = {
    "from a class-level key": """
        import distrax
        ---
        self.key = rngs()
        ---

        ---
        y = distrax.Normal(x, 1.0).sample(seed=self.key)  # NNX102
    """,
    "from a key that a class-level stream gives out": """
        import distrax
        ---
        self.rngs = rngs
        ---

        ---
        y, log_prob = distrax.Normal(x, 1.0).sample_and_log_prob(seed=self.rngs())  # NNX101
    """,
    "from a split of a class-level key": """
        from tensorflow_probability.substrates import jax as tfp
        ---
        self.key = rngs()
        ---

        ---
        key, use = jax.random.split(self.key)
        policy = tfp.distributions.Normal(x, 1.0)
        y = policy.sample(seed=use)  # NNX102
    """,
    "from a key by position": """
        import numpyro.distributions as dist
        ---
        self.key = rngs()
        ---

        ---
        y = dist.Normal(x, 1.0).rsample(self.key, (1,))  # NNX102
    """,
    "from a number": """
        import distrax
        ---
        self.rngs = rngs
        ---

        ---
        y = distrax.Normal(x, 1.0).sample(seed=0)  # NNX106
    """,
    "from a key of a constant": """
        import distrax
        ---
        self.rngs = rngs
        ---

        ---
        y = distrax.Normal(x, 1.0).sample_n(jax.random.key(0), 1)  # NNX106
    """,
    "by something of unknown type": """
        self.key, self.head = rngs(), dim
        ---
        y = self.head(x).sample(seed=self.key)  # NNX102
        y = y + self.head.sample(rng=self.key)  # NNX102
    """,
    "by a function of that name, which is not followed": """
        import numpyro
        ---
        self.key, self.prior = rngs(), dim
        ---

        ---
        y = x + numpyro.sample("z", self.prior, rng_key=self.key)  # NNX105
    """,
    "from either key or none": """
        self.key, self.head, self.greedy = rngs(), dim, False
        ---
        y = self.head(x).sample(seed=None if self.greedy else self.key)  # NNX102
    """,
    "from no key": """
        self.head = dim
        ---
        y = self.head(x).sample(seed=None) + self.head.sample(key="observations")
    """,
    "from a carried key by position that comes back unchanged": """
        import numpyro.distributions as dist
        ---
        self.rngs = rngs
        ---
        def initialize_state(self, batch_size):
            return jax.random.split(self.rngs(), batch_size)
        ---
        y = jax.vmap(lambda k, row: dist.Normal(row, 1.0).sample(k))(state, x)
        return Out(state, y, 0.0, {})  # NNX201
    """,
    "by a distribution of the project's own": """
        import distrax
        class Squashed(distrax.Transformed):
            def __init__(self, mean):
                self.mean = mean
        ---
        self.key = rngs()
        ---

        ---
        y = Squashed(x).sample(seed=self.key)  # NNX102
    """,
    "env by env from carried keys": """
        import distrax
        ---
        self.rngs = rngs
        ---

        ---
        following, use = jax.vmap(lambda k: tuple(jax.random.split(k)))(state)
        y = jax.vmap(lambda k, row: distrax.Normal(row, 1.0).sample(seed=k))(use, x)
        return Out(following, y, 0.0, {})
    """,
    "by a sampler that emits it": """
        # ActionSampler
        import distrax
        ---
        self.rngs, self.key = rngs, rngs()
        ---

        ---
        policy = distrax.Normal(x, 1.0)
        noise = policy.sample(seed=self.key)  # NNX102
        raw = noise if rollout_extras is None else rollout_extras
        return Out(state, (raw, policy.log_prob(raw)), 0.0, {}, raw)
    """,
    "not at all, by a method that takes no key": """
        self.key, self.replay = rngs(), dim
        ---
        y = x + self.replay.sample(batch_size=3)
    """,
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_a_distribution_draws_from_its_key(case: str) -> None:
    code = written_out(case)
    assert reported(code) == marked(code)


def test_a_distribution_that_is_not_mapped_draws_for_the_whole_batch() -> None:
    code = written_out("""
        import distrax
        ---
        self.rngs = rngs
        ---
        def initialize_state(self, batch_size):
            return jax.random.split(jax.random.key(0), batch_size)
        ---
        y = distrax.Normal(x, 1.0).sample(seed=state)  # NNX203
    """)
    assert reported(code, "NNX203") == marked(code)
