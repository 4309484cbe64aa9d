"""Keys: constant, stored, advanced in place, counted, or carried."""

IDIOMS = {
    "28 streams made of a constant": """
        self.drop = nnx.Dropout(0.5)
        ---
        y = self.drop(x, rngs=nnx.Rngs(dropout=0))  # NNX106
    """,
    "29 streams made of a constant for a random carry": """
        self.rnn = nnx.RNN(nnx.GRUCell(3, 3, carry_init=nnx.initializers.normal(), rngs=rngs))
        ---
        y = self.rnn(x[:, None], rngs=nnx.Rngs(0))[:, 0]  # NNX106
    """,
    "29 streams made of a constant for a carry of zeros": """
        self.rnn = nnx.RNN(nnx.GRUCell(3, 3, rngs=rngs))
        ---
        y = self.rnn(x[:, None], rngs=nnx.Rngs(0))[:, 0]
    """,
    "30 a literal key": """
        pass
        ---
        y = x + jax.random.normal(jax.random.key(0), x.shape)  # NNX106
    """,
    "31 NumPy's global generator": """
        pass
        ---
        y = x + np.random.normal(size=x.shape)  # NNX107
    """,
    "32 a key in an attribute, advanced": """
        self.key = rngs()
        ---
        self.key, use = jax.random.split(self.key)  # NNX103
        y = x + jax.random.normal(use, x.shape)  # NNX102
    """,
    "33 a key in a Variable, advanced": """
        self.key = nnx.Variable(rngs())
        ---
        following, use = jax.random.split(self.key.get_value())
        self.key.set_value(following)  # NNX103
        y = x + jax.random.normal(use, x.shape)  # NNX102
    """,
    "34 a raw key in a Variable, advanced": """
        self.key = nnx.Variable(jax.random.PRNGKey(0))
        ---
        self.key.value, use = jax.random.split(self.key.value)  # NNX103
        y = x + jax.random.normal(use, x.shape)  # NNX102
    """,
    "35 a stored key with a carried counter folded in": """
        self.key = nnx.RngKey(rngs(), tag="noise")
        ---
        def initialize_state(self, batch_size):
            return {"env": jnp.arange(batch_size), "step": jnp.zeros(batch_size, jnp.int32)}
        ---
        base = self.key[...]

        def noise(env, step):
            key = jax.random.fold_in(jax.random.fold_in(base, env), step)
            return jax.random.normal(key, (3,))

        y = x + jax.vmap(noise)(state["env"], state["step"])
        state = {"env": state["env"], "step": state["step"] + 1}
    """,
    "35 a stored key with the row's number folded in": """
        self.key = nnx.RngKey(rngs(), tag="noise")
        ---
        base = self.key[...]
        keys = jax.vmap(lambda i: jax.random.fold_in(base, i))(jnp.arange(x.shape[0]))
        y = x + jax.vmap(lambda k: jax.random.normal(k, (3,)))(keys)  # NNX102
    """,
    "36 a stored key and a stored counter": """
        self.key = nnx.Variable(rngs())
        self.step = nnx.Variable(jnp.array(0))
        ---
        use = jax.random.fold_in(self.key[...], self.step[...])
        self.step[...] += 1  # NNX108
        y = x + jax.random.normal(use, x.shape)  # NNX102
    """,
    "37 a stored constant key": """
        self.rng_key = jax.random.key(0)
        ---
        one, other = jax.random.split(self.rng_key)
        y = x + jax.random.normal(one, x.shape)  # NNX102
    """,
    "49 a default stream in the constructor's parameters": """
        class Layer(StatefulModule):
            def __init__(self, rngs=nnx.Rngs(0)):  # NNX404
                self.linear = nnx.Linear(3, 3, rngs=rngs)

            def __call__(self, state, x, rollout_extras=None):
                return Out(state, self.linear(x), 0.0, {})
        ---
        self.layer = Layer()
        ---

        ---
        return self.layer(state, x)
    """,
    "53 sampling outside of the module with a key that is passed": """
        def act(module, state, x, key):
            output = module(state, x)
            return output.output + jax.random.normal(key, x.shape)
        ---
        self.linear = nnx.Linear(dim, dim, rngs=rngs)
        ---

        ---
        y = self.linear(x)
    """,
    "54 a key for each environment in the carry": """
        self.rngs = rngs
        ---
        def initialize_state(self, batch_size):
            return jax.random.split(self.rngs(), batch_size)

        def reset_state(self, prev_state):
            return prev_state
        ---
        state, use = jax.vmap(lambda k: tuple(jax.random.split(k)))(state)
        y = x + jax.vmap(lambda k, row: jax.random.normal(k, row.shape))(use, x)
    """,
    "54 the same, which draws from a key and then splits it": """
        self.rngs = rngs
        ---
        def initialize_state(self, batch_size):
            return jax.random.split(self.rngs(), batch_size)
        ---
        y = x + jax.vmap(lambda k: jax.random.normal(k, (3,)))(state)
        state, _ = jax.vmap(jax.random.split, out_axes=1)(state)  # NNX401
    """,
    "58 NumPy's generator and environment keys outside of modules": """
        GENERATOR = np.random.default_rng(0)

        class Environment:
            def __init__(self, key):
                self.key = key

            def step(self):
                self.key, use = jax.random.split(self.key)
                return jax.random.normal(use, (3,)) + GENERATOR.normal(size=3)
        ---
        self.linear = nnx.Linear(dim, dim, rngs=rngs)
        ---

        ---
        y = self.linear(x)
    """,
}
