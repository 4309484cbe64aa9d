"""Samples that are stored in `rollout_extras`, and such as should be."""

IDIOMS = {
    "50 a distribution seeded by a stream": """
        import distrax
        ---
        self.rngs = rngs
        ---

        ---
        y = distrax.Normal(x, 1.0).sample(seed=self.rngs())  # NNX101
    """,
    "50 a distribution seeded by a stream in a sampler that keeps its contract": """
        # ActionSampler
        import distrax
        ---
        self.rngs = rngs
        ---

        ---
        law = distrax.MultivariateNormalDiag(x, jnp.ones_like(x))
        fresh = law.sample(seed=self.rngs())
        action = jax.lax.stop_gradient(fresh if rollout_extras is None else rollout_extras)
        output = {"action": action, "log_likelihood": law.log_prob(action)}
        return Out((), output, 0.0, {}, action)
    """,
    "50 a distribution seeded by a stream in a sampler without extras": """
        # ActionSampler
        import distrax
        ---
        self.rngs = rngs
        ---

        ---
        law = distrax.MultivariateNormalDiag(x, jnp.ones_like(x))
        action = jax.lax.stop_gradient(law.sample(seed=self.rngs()))
        output = {"action": action, "log_likelihood": law.log_prob(action)}
        return Out((), output, 0.0, {})  # NNX301
    """,
    "55 the raw action in the extras": """
        # ActionSampler
        self.rngs = rngs
        ---
        fresh = x + jax.random.normal(self.rngs(), x.shape)
        raw = jax.lax.stop_gradient(fresh) if rollout_extras is None else rollout_extras
        likelihood = -jnp.sum((raw - x) ** 2 / 2 + jnp.log1p(-jnp.tanh(raw) ** 2), axis=-1)
        return Out((), {"action": jnp.tanh(raw), "log_likelihood": likelihood}, 0.0, {}, raw)
    """,
    "56 a sampler that draws again from streams that it puts back": """
        # ActionSampler
        self.rngs = rngs
        ---
        if rollout_extras is not None:
            self.rngs.default.count[...] = rollout_extras[0]
        count = jnp.broadcast_to(self.rngs.default.count[...], x.shape[:1])
        action = jax.lax.stop_gradient(x + self.rngs.normal(x.shape))
        likelihood = -jnp.sum((action - x) ** 2, axis=-1)
        output = {"action": action, "log_likelihood": likelihood}
        return Out((), output, 0.0, {}, count)  # NNX301
    """,
    "59 a draw of no sampler that the extras replace and that is emitted": """
        self.rngs = rngs
        ---
        noise = rollout_extras
        if noise is None:
            noise = jax.random.normal(self.rngs.noise(), x.shape)
        return Out(state, x + noise, 0.0, {}, noise)
    """,
}
