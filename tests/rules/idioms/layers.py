"""Layers that draw by themselves, and layers that are built where they should not be."""

IDIOMS = {
    "25 a dropout child": """
        self.drop = nnx.Dropout(0.5, rngs=rngs)
        ---
        y = self.drop(x)  # NNX104
    """,
    "25 a dropout child of rate zero": """
        self.drop = nnx.Dropout(0.0, rngs=rngs)
        ---
        y = self.drop(x)
    """,
    "25 a dropout child whose call is deterministic": """
        self.drop = nnx.Dropout(0.5, rngs=rngs)
        ---
        y = self.drop(x, deterministic=True)
    """,
    "26 attention with dropout": """
        self.attention = nnx.MultiHeadAttention(
            num_heads=1, in_features=dim, dropout_rate=0.5, decode=False, rngs=rngs
        )
        ---
        y = self.attention(x[:, None])[:, 0]  # NNX104
    """,
    "26 attention without dropout": """
        self.attention = nnx.MultiHeadAttention(
            num_heads=1, in_features=dim, dropout_rate=0.0, decode=False, rngs=rngs
        )
        ---
        y = self.attention(x[:, None])[:, 0]
    """,
    "27 dropout whose constructor says deterministic": """
        self.drop = nnx.Dropout(0.5, deterministic=True, rngs=rngs)
        ---
        y = self.drop(x)  # NNX104
    """,
    "38 a key by name from the bridge": """
        class Noise(nnx.bridge.Module):
            def __call__(self, x):
                return x + jax.random.normal(self.make_rng("noise"), x.shape)  # NNX101
        ---
        self.noise = Noise()
        ---

        ---
        y = self.noise(x)
    """,
    "39 a bridged layer with streams of its own": """
        from flax import linen

        class Noise(linen.Module):
            @linen.compact
            def __call__(self, x):
                return x + jax.random.normal(self.make_rng("noise"), x.shape)
        ---
        self.noise = nnx.bridge.ToNNX(Noise(), rngs=rngs)
        ---

        ---
        y = self.noise(x)  # NNX104
    """,
    "39 a key of every stream": """
        self.rngs = nnx.Rngs(noise=rngs())
        ---
        keys = {name: stream() for name, stream in self.rngs.items()}  # NNX101
        y = x + jax.random.normal(keys["noise"], x.shape)
    """,
    "40 a layer built in a method, reached": """
        self.rngs = rngs
        ---
        def layer(self):
            return nnx.Linear(3, 3, rngs=self.rngs)  # NNX101
        ---
        y = self.layer()(x)
    """,
    "40 a layer built in a method, not reached": """
        self.rngs = rngs
        self.layer = self.build()
        ---
        def build(self):
            return nnx.Linear(3, 3, rngs=self.rngs)
        ---
        y = self.layer(x)
    """,
    "41 a stack of layers built by split streams": """
        @nnx.split_rngs(splits=2)
        @nnx.vmap
        def build(rngs):
            return nnx.Linear(3, 3, rngs=rngs)

        self.layers = build(rngs)
        ---
        y = x
        for kernel in self.layers.kernel[...]:
            y = y @ kernel
    """,
    "51 a random carry at the start": """
        self.rngs = rngs
        self.cell = nnx.GRUCell(dim, dim, carry_init=nnx.initializers.normal(), rngs=rngs)
        ---
        def initialize_state(self, batch_size):
            return self.cell.initialize_carry((batch_size, 3), rngs=self.rngs)
        ---
        state, y = self.cell(state, x)
    """,
    "51 a random carry in the call": """
        self.rngs = rngs
        self.cell = nnx.GRUCell(dim, dim, carry_init=nnx.initializers.normal(), rngs=rngs)
        ---
        carry = self.cell.initialize_carry(x.shape, rngs=self.rngs)  # NNX101
        _, y = self.cell(carry, x)
    """,
    "51 a random carry at a reset": """
        self.rngs = rngs
        self.cell = nnx.GRUCell(dim, dim, carry_init=nnx.initializers.normal(), rngs=rngs)
        ---
        def initialize_state(self, batch_size):
            return jnp.zeros((batch_size, 3))

        def reset_state(self, prev_state):
            return self.cell.initialize_carry(prev_state.shape, rngs=self.rngs)  # NNX402
        ---
        state, y = self.cell(state, x)
    """,
    "52 a recurrent layer without an initial carry": """
        self.rnn = nnx.RNN(nnx.GRUCell(dim, dim, rngs=rngs), rngs=rngs)
        ---
        y = self.rnn(x[:, None])[:, 0]
    """,
    "57 an attention layer called key": """
        self.query = nnx.Linear(dim, dim, rngs=rngs)
        self.key = nnx.Linear(dim, dim, rngs=rngs)
        self.value = nnx.Linear(dim, dim, rngs=rngs)
        ---
        weights = nnx.softmax(self.query(x)[:, :, None] * self.key(x)[:, None, :])
        y = jnp.einsum("bij,bj->bi", weights, self.value(x))
    """,
    "60 batch normalisation that trains": """
        self.norm = nnx.BatchNorm(dim, rngs=rngs)
        ---
        y = self.norm(x)  # NNX108
    """,
    "60 batch normalisation that uses what it has": """
        self.norm = nnx.BatchNorm(dim, rngs=rngs)
        ---
        y = self.norm(x, use_running_average=True)
    """,
}
