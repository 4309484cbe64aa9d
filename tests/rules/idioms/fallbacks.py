"""A stream that the module holds is what is left where the caller gives none, or a flag decides."""

IDIOMS = {
    "16 dropout that is given the streams": """
        self.rngs = rngs
        self.drop = nnx.Dropout(0.5)
        ---
        y = self.drop(x, rngs=self.rngs)  # NNX104
    """,
    "16 dropout that is given a carried key": """
        self.rngs = rngs
        self.drop = nnx.Dropout(0.5)
        ---
        def initialize_state(self, batch_size):
            return jax.random.split(self.rngs(), batch_size)
        ---
        state, use = jax.vmap(lambda k: tuple(jax.random.split(k)))(state)
        y = jax.vmap(lambda k, row: self.drop(row, rngs=k))(use, x)
    """,
    "17 given streams or the module's own": """
        self.rngs = rngs
        self.collection = "noise"
        ---
        def noise(self, x, rngs=None):
            key = rngs[self.collection]() if rngs else self.rngs[self.collection]()  # NNX101
            return jax.random.normal(key, x.shape)
        ---
        y = x + self.noise(x)
    """,
    "18 the module's streams where the caller gives none": """
        self.rngs = rngs
        ---
        def noise(self, x, rngs=None):
            if rngs is None:
                rngs = self.rngs
            return jax.random.normal(rngs.noise(), x.shape)  # NNX101
        ---
        y = x + self.noise(x)
    """,
    "18 the module's streams where the caller gives some": """
        self.rngs = rngs
        ---
        def initialize_state(self, batch_size):
            return jax.random.split(self.rngs(), batch_size)

        def noise(self, x, rngs=None):
            if rngs is None:
                rngs = self.rngs
            return jax.random.normal(rngs.noise(), x.shape)
        ---
        state, use = jax.vmap(lambda k: tuple(jax.random.split(k)))(state)
        y = x + jax.vmap(lambda k, row: self.noise(row, nnx.Rngs(k)))(use, x)
    """,
    "19 the first of several sources, where the caller gives none": """
        def first_from(*sources):
            for source in sources:
                if source is not None:
                    return source
            raise ValueError("no source")
        ---
        self.rngs = rngs
        ---
        def noise(self, x, rngs=None):
            source = first_from(rngs, self.rngs)
            if isinstance(source, nnx.Rngs):
                key = source.noise()  # NNX101
            elif isinstance(source, nnx.RngStream):
                key = source()
            else:
                key = source
            return jax.random.normal(key, x.shape)
        ---
        y = x + self.noise(x)
    """,
    "19 the first of several sources, where the caller gives a key": """
        def first_from(*sources):
            for source in sources:
                if source is not None:
                    return source
            raise ValueError("no source")
        ---
        self.rngs = rngs
        ---
        def initialize_state(self, batch_size):
            return jax.random.split(self.rngs(), batch_size)

        def noise(self, x, rngs=None):
            source = first_from(rngs, self.rngs)
            if isinstance(source, nnx.Rngs):
                key = source.noise()
            elif isinstance(source, nnx.RngStream):
                key = source()
            else:
                key = source
            return jax.random.normal(key, x.shape)
        ---
        state, use = jax.vmap(lambda k: tuple(jax.random.split(k)))(state)
        y = x + jax.vmap(lambda k, row: self.noise(row, k))(use, x)
    """,
    "20 a given key or one drawn": """
        self.rngs = rngs
        ---
        def noise(self, x, given=None):
            key = given if given is not None else self.rngs.params()  # NNX101
            return jax.random.normal(key, x.shape)
        ---
        y = x + self.noise(x)
    """,
    "21 a stream if it is there, or a constant key": """
        self.rngs = rngs
        ---
        if "dropout" in self.rngs:
            key = self.rngs.dropout()  # NNX101
        else:
            key = jax.random.key(0)
        y = x + jax.random.normal(key, x.shape)  # NNX106
    """,
    "22 a stream if hasattr finds it": """
        self.rngs = rngs
        ---
        y = x
        if hasattr(self.rngs, "noise"):
            y = x + jax.random.normal(self.rngs.noise(), x.shape)  # NNX101
    """,
    "23 a draw under a training flag": """
        self.rngs = rngs
        self.training = True
        self.rate = 0.5
        ---
        y = x
        if self.training and self.rate > 0:
            y = x + jax.random.normal(self.rngs.noise(), x.shape)  # NNX101
    """,
    "24 a draw unless deterministic": """
        self.rngs = rngs
        self.deterministic = False
        ---
        if self.deterministic:
            return Out(state, x, 0.0, {})
        kept = jax.random.bernoulli(self.rngs.dropout(), 0.5, (x.shape[0], 1))  # NNX101
        y = jnp.where(kept, x, 0.0)
    """,
}
