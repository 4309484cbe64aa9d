"""A stream that the module holds is drawn from, in the words of its users."""

IDIOMS = {
    "01 an inline draw": """
        self.rng = rngs
        ---
        y = x + jax.random.normal(self.rng(), x.shape)  # NNX101
    """,
    "01 an inline draw in a sampler that keeps its contract": """
        # ActionSampler
        self.rng = rngs
        ---
        fresh = x + jax.random.normal(self.rng(), x.shape)
        action = fresh if rollout_extras is None else rollout_extras
        action = jax.lax.stop_gradient(action)
        likelihood = -jnp.sum((action - x) ** 2, axis=-1)
        return Out((), {"action": action, "log_likelihood": likelihood}, 0.0, {}, action)
    """,
    "02 a named stream": """
        self.rngs = rngs
        ---
        y = x + jax.random.normal(self.rngs.noise(), x.shape)  # NNX101
    """,
    "03 a helper that draws, reached": """
        self.rngs = rngs
        ---
        def reparametrise(self, mean):
            noise = jax.random.normal(self.rngs.noise(), mean.shape)  # NNX101
            return mean + noise
        ---
        y = self.reparametrise(x)
    """,
    "03 a helper that draws, not reached": """
        self.rngs = rngs
        ---
        def generate(self, batch):
            return jax.random.normal(self.rngs.noise(), (batch, 3))
        ---
        y = 2 * x
    """,
    "04 another name for the streams": """
        self.rngs = rngs
        ---
        source = self.rngs
        y = x + jax.random.normal(source.noise(), x.shape)  # NNX101
    """,
    "05 another name for one stream": """
        self.rngs = rngs
        ---
        draw = self.rngs.noise
        y = x + jax.random.normal(draw(), x.shape)  # NNX101
    """,
    "06 a stream by a computed name": """
        self.rngs = rngs
        self.collection = "noise"
        ---
        y = x + jax.random.normal(self.rngs[self.collection](), x.shape)  # NNX101
    """,
    "07 a stream by getattr with another one as default": """
        self.rngs = rngs
        self.stream = "noise"
        ---
        stream = getattr(self.rngs, self.stream, self.rngs.default)
        y = x + jax.random.normal(stream(), x.shape)  # NNX101
    """,
    "08 a draw method": """
        self.rngs = rngs
        ---
        y = x + self.rngs.normal(x.shape)  # NNX101
    """,
    "09 a draw method that takes parameters": """
        self.rngs = rngs
        ---
        y = jax.nn.one_hot(self.rngs.categorical(x), 3)  # NNX101
    """,
    "10 noise on the weights": """
        self.rngs = rngs
        self.mean = nnx.Param(jnp.zeros((dim, dim)))
        self.scale = nnx.Param(jnp.ones((dim, dim)))
        ---
        rows = jax.random.normal(self.rngs.noise(), (3, 1))  # NNX101
        columns = jax.random.normal(self.rngs.noise(), (1, 3))  # NNX101
        y = x @ (self.mean[...] + self.scale[...] * rows * columns)
    """,
    "11 a draw of one number": """
        self.rngs = rngs
        ---
        y = x + jax.random.normal(self.rngs.noise())  # NNX101
    """,
    "12 draws in a loop": """
        self.rngs = rngs
        ---
        y = x
        for _ in range(3):
            y = y + jax.random.normal(self.rngs.default(), x.shape)  # NNX101
    """,
    "13 a split for the batch at every step": """
        self.rngs = rngs
        ---
        keys = jax.random.split(self.rngs(), x.shape[0])  # NNX101
        y = x + jax.vmap(lambda k, row: jax.random.normal(k, row.shape))(keys, x)
    """,
    "14 a key drawn in an argument": """
        def perturbed(x, key):
            return x + jax.random.normal(key, x.shape)
        ---
        self.rngs = rngs
        ---

        ---
        y = perturbed(x, key=self.rngs.default())  # NNX101
    """,
    "15 the streams as an argument of a function of the file": """
        def perturbed(x, rngs):
            return x + jax.random.normal(rngs.noise(), x.shape)  # NNX101
        ---
        self.rngs = rngs
        ---

        ---
        y = perturbed(x, rngs=self.rngs)
    """,
    "15 the streams as an argument of a function from elsewhere": """
        from augmentations import perturbed
        ---
        self.rngs = rngs
        ---

        ---
        y = perturbed(x, rngs=self.rngs)  # NNX105
    """,
    "42 streams split for nnx.vmap in the call": """
        class Noise(nnx.Module):
            def __call__(self, row, rngs):
                return row + rngs.normal(row.shape)  # NNX101
        ---
        self.rngs = rngs
        self.noise = Noise()
        ---

        ---
        with nnx.split_rngs(self.rngs, splits=x.shape[0]):  # NNX101
            y = nnx.vmap(lambda row, rngs: self.noise(row, rngs))(x, self.rngs)
    """,
    "43 streams split by a decorator of what the call maps": """
        self.rngs = rngs
        ---
        @nnx.split_rngs(splits=x.shape[0])  # NNX101
        @nnx.vmap
        def perturbed(row, rngs):
            return row + jax.random.normal(rngs.noise(), row.shape)  # NNX101

        y = perturbed(x, self.rngs)
    """,
    "44 a fork": """
        self.rngs = rngs
        ---
        child = self.rngs.fork()  # NNX101
        y = x + child.normal(x.shape)
    """,
    "44 a split": """
        self.rngs = rngs
        ---
        children = self.rngs.split(x.shape[0])  # NNX101
        keys = children.default.key[...]
        y = x + jax.vmap(lambda k, row: jax.random.normal(k, row.shape))(keys, x)
    """,
    "44 a broadcast": """
        self.rngs = rngs
        ---
        children = self.rngs.broadcast(2)  # NNX101
        y = x + jax.random.normal(children.default.key[0], x.shape)
    """,
    "45 seeded again in the call": """
        self.rngs = rngs
        ---
        nnx.reseed(self, default=0)  # NNX101
        y = x + self.rngs.normal(x.shape)  # NNX101
    """,
    "46 a clone": """
        self.rngs = rngs
        ---
        y = x + nnx.clone(self.rngs).normal(x.shape)  # NNX101
    """,
    "47 an attempt that depends on tracing": """
        import flax.errors
        ---
        self.rngs = rngs
        self.fallback = jnp.zeros(3)
        ---

        ---
        try:
            noise = jax.random.normal(self.rngs.noise(), x.shape)  # NNX101
        except flax.errors.TraceContextError:
            noise = self.fallback
        y = x + noise
    """,
    "48 a closure that holds the streams": """
        self.noise = lambda x: jax.random.normal(rngs.noise(), x.shape)  # NNX101
        ---
        y = x + self.noise(x)
    """,
}
