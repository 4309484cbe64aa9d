"""Class-level streams and keys in the hands of code that is not followed."""

from __future__ import annotations

import pytest
from support import marked, reported

from .regressions import written_out

ESCAPES = {
    "a stream to a function of another package": """
        from helpers import noisy
        ---
        self.rngs = rngs
        ---

        ---
        y = noisy(self.rngs, x)  # NNX105
    """,
    "a stream by keyword": """
        import helpers
        ---
        self.rngs = rngs
        ---

        ---
        y = helpers.noisy(x, rngs=self.rngs)  # NNX105
    """,
    "a stream by double star": """
        import helpers
        ---
        self.rngs = rngs
        ---

        ---
        given = dict(rngs=self.rngs)
        y = helpers.noisy(x, **given)  # NNX105
    """,
    "a named stream to a child of unknown type": """
        self.rngs, self.child = rngs, dim
        ---
        y = self.child(x, rngs=self.rngs.dropout)  # NNX105
    """,
    "a stream of unknown type under its usual name": """
        self.noise_rngs, self.child = dim, dim
        ---
        y = self.child(x, self.noise_rngs)  # NNX105
    """,
    "a key": """
        import helpers
        ---
        self.key = rngs.noise()
        ---

        ---
        y = helpers.noisy(self.key, x)  # NNX105
    """,
    "a key of a Variable": """
        import helpers
        ---
        self.key = nnx.RngKey(rngs.noise())
        ---

        ---
        y = helpers.noisy(self.key[...], x)  # NNX105
        y = y + helpers.noisy(self.key.get_value(), x)  # NNX105
    """,
    "a key that was split from a class-level one": """
        import helpers
        ---
        self.key = rngs()
        ---

        ---
        a, b = jax.random.split(self.key)
        y = helpers.noisy(b, x)  # NNX105
    """,
    "a key in a list": """
        import helpers
        ---
        self.keys = jax.random.split(rngs(), 2)
        ---

        ---
        y = helpers.noisy([self.keys[0], x])  # NNX105
    """,
    "a key in a dict, as a Linen module is given it": """
        import flax.linen as linen
        ---
        self.key, self.params = rngs(), dim
        self.net = linen.Dropout(0.5)
        ---

        ---
        y = self.net.apply(self.params, x, rngs={"dropout": self.key})  # NNX105
    """,
    "a stream in a record": """
        import helpers
        class Context(NamedTuple):
            rngs: Any
            training: bool
        ---
        self.rngs = rngs
        ---

        ---
        y = helpers.noisy(x, Context(self.rngs, True))  # NNX105
    """,
    "the module": """
        import helpers
        ---
        self.rngs = rngs
        ---

        ---
        y = helpers.noisy(self, x)  # NNX105
    """,
    "a block of the module": """
        import helpers
        class Block(nnx.Module):
            def __init__(self, rngs: nnx.Rngs):
                self.stream = rngs.fork()
        ---
        self.block = Block(rngs)
        ---

        ---
        y = helpers.run(self.block, x)  # NNX105
    """,
    "an object of the pass that was given it": """
        import helpers
        class Noise:
            def __init__(self, rngs):
                self.source = rngs
        ---
        self.rngs = rngs
        ---

        ---
        y = helpers.run(Noise(self.rngs), x)  # NNX105
    """,
    "a stream by way of a helper": """
        import helpers
        ---
        self.rngs = rngs
        ---
        def _noisy(self, stream, x):
            return helpers.noisy(stream, x)  # NNX105
        ---
        y = self._noisy(self.rngs, x)
    """,
    "a stream under jit": """
        import helpers
        ---
        self.rngs = rngs
        ---

        ---
        y = nnx.jit(helpers.noisy)(self.rngs, x)  # NNX105
    """,
    "a key under vmap": """
        import helpers
        ---
        self.key = rngs()
        ---

        ---
        y = jax.vmap(helpers.noisy, in_axes=(None, 0))(self.key, x)  # NNX105
    """,
    "a key of a partial": """
        import helpers
        ---
        self.noisy = functools.partial(helpers.noisy, rngs())
        ---

        ---
        y = self.noisy(x)  # NNX105
    """,
    "a stream to a class of another package": """
        import helpers
        ---
        self.rngs = rngs
        ---

        ---
        y = helpers.Noise(self.rngs)(x)  # NNX105
    """,
    "a key of which the callee makes the key of a draw": """
        import helpers
        ---
        self.key = rngs()
        ---

        ---
        key = helpers.derive(self.key)  # NNX105
        y = x + jax.random.normal(key, x.shape)
    """,
    "a key as the state of a child": """
        class Child(StatefulModule):
            def __call__(self, state, x, rollout_extras=None):
                return Out(state, x, 0.0, {})
        ---
        self.child, self.key = Child(), rngs()
        ---

        ---
        y = self.child(self.key, x).output  # NNX105
    """,
    "a key to a further parameter of a child": """
        class Child(StatefulModule):
            def __call__(self, state, x, rollout_extras=None, key=None):
                noise = jax.random.normal(key, x.shape)
                return Out(state, x + noise, 0.0, {})
        ---
        self.child, self.key = Child(), rngs()
        ---

        ---
        y = self.child(state, x, key=self.key).output  # NNX105
    """,
    "a stream that an object below another one holds": """
        import helpers
        class Inner:
            def __init__(self, rngs):
                self.source = rngs
        class Outer:
            def __init__(self, rngs):
                self.inner = Inner(rngs)
        ---
        self.outer = Outer(rngs)
        ---

        ---
        y = helpers.run(self.outer, x)  # NNX105
    """,
    "a block with a chain of such layers": """
        import helpers
        class Block(nnx.Module):
            def __init__(self, rngs):
                self.net = nnx.Sequential(nnx.Linear(3, 3, rngs=rngs), nnx.Dropout(0.5, rngs=rngs))
        ---
        self.block = Block(rngs)
        ---

        ---
        y = helpers.run([self.block], x)  # NNX105
    """,
    "a key with a function that is called on it": """
        import helpers
        ---
        self.key = rngs()
        ---

        ---
        y = jax.lax.associative_scan(helpers.noisy, self.key)  # NNX105
    """,
    "a key to a method of an object of unknown type": """
        self.key, self.model = rngs(), dim
        ---
        y = self.model.decoder.generate(x, self.key)  # NNX105
    """,
    "a stream of the file": """
        import helpers
        RNGS = nnx.Rngs(0)
        ---
        self.dim = dim
        ---

        ---
        y = helpers.noisy(RNGS, x)  # NNX105
    """,
    "a stream in one of two branches": """
        import helpers
        ---
        self.rngs, self.training = rngs, True
        ---

        ---
        y = helpers.noisy(self.rngs, x) if self.training else x  # NNX105
    """,
    "a sampler's, for what it does not emit": """
        # ActionSampler
        import helpers
        ---
        self.rngs = rngs
        ---

        ---
        raw = helpers.draw(self.rngs, x)  # NNX105
        return Out(state, raw, 0.0, {})
    """,
}

CLEAN = {
    "a carried key": """
        import helpers
        ---
        self.rngs = rngs
        ---

        ---
        y = jax.vmap(helpers.noisy)(state["key"], x)
    """,
    "a class-level key that a carried counter is folded into": """
        import helpers
        ---
        self.key = rngs()
        ---

        ---
        y = jax.vmap(lambda n, row: helpers.noisy(jax.random.fold_in(self.key, n), row))(state, x)
    """,
    "functions of JAX": """
        self.key = rngs()
        ---
        leaves = jax.tree.leaves(self.key)
        jax.debug.print("{}", jax.random.key_data(self.key))
        jax.debug.callback(print, self.key)
        y = x + jnp.size(self.key) + 0 * jnp.sum(jax.random.key_data(self.key))
    """,
    "functions of Flax": """
        self.rngs, self.key = rngs, rngs()
        ---
        nnx.display(self)
        graph, params = nnx.split(self)
        y = x + nnx.iter_graph(self.rngs)
    """,
    "functions of Python": """
        self.rngs, self.key = rngs, rngs()
        ---
        print(self.rngs, self.key, id(self), repr(self.key))
        assert isinstance(self.rngs, nnx.Rngs) and type(self.key)
        y = x if callable(self.rngs) else x
    """,
    "functions of NumPy and Optax": """
        import optax
        ---
        self.key = rngs()
        ---

        ---
        shape = np.shape(self.key)
        y = optax.safe_norm(self.key, 1.0) * x
    """,
    "a logger": """
        import logging
        log = logging.getLogger(__name__)
        ---
        self.key = rngs()
        ---

        ---
        log.info("%s", self.key)
        y = x
    """,
    "a distribution that is constructed": """
        import distrax
        ---
        self.key = rngs()
        ---

        ---
        y = distrax.Normal(x, self.key.shape).mean()
    """,
    "something else of the module": """
        import helpers
        ---
        self.rngs, self.scale = rngs, nnx.Param(jnp.ones(3))
        ---

        ---
        y = helpers.scaled(x, self.scale, self.scale[...])
    """,
    "a module without streams": """
        import helpers
        ---
        self.linear = nnx.Linear(dim, dim, rngs=rngs)
        ---

        ---
        y = helpers.run(self, x) + helpers.run(self.linear, x)
    """,
    "a child that is checked by itself": """
        import helpers
        class Child(StatefulModule):
            def __init__(self, rngs: nnx.Rngs):
                self.rngs = rngs

            def __call__(self, state, x, rollout_extras=None):
                return Out(state, x, 0.0, {})
        ---
        self.child = Child(rngs)
        ---

        ---
        y = helpers.run(self.child, state, x) + helpers.run(self, state, x)
    """,
    "a layer that draws only where it is told to": """
        import helpers
        ---
        self.drop, self.linear = nnx.Dropout(0.0, rngs=rngs), nnx.Linear(3, 3, rngs=rngs)
        ---

        ---
        y = helpers.run(self, [self.drop, self.linear], x)
    """,
    "the module, whose layer says by itself where it draws": """
        import helpers
        ---
        self.drop, self.sower = nnx.Dropout(0.5, rngs=rngs), dim
        ---

        ---
        following, use = jax.vmap(lambda k: tuple(jax.random.split(k)))(state)
        y = jax.vmap(lambda k, row: self.drop(row, rngs=k))(use, x)
        self.sower.maybe_sow(y, self)
        return Out(following, y, 0.0, {})
    """,
    "a layer that is merely called key": """
        import helpers
        ---
        self.key, self.query = nnx.Linear(dim, dim, rngs=rngs), dim
        ---

        ---
        y = helpers.attend(self.key, self.query, x)
    """,
    "the constructor": """
        import helpers
        ---
        self.table = helpers.table(rngs, dim)
        self.net = helpers.Net(dim, rngs=rngs)
        ---

        ---
        y = self.net(x) + self.table
    """,
    "the seeding of the carry": """
        import helpers
        ---
        self.rngs = rngs
        ---
        def initialize_state(self, batch_size):
            return helpers.keys(self.rngs, batch_size)
        ---
        y = x
    """,
    "a method that the pass does not reach": """
        import helpers
        ---
        self.rngs = rngs
        ---
        def explore(self, x):
            return helpers.noisy(self.rngs, x)
        ---
        y = x
    """,
    "a sampler that emits what it gets": """
        # ActionSampler
        import helpers
        ---
        self.rngs = rngs
        ---

        ---
        raw = helpers.draw(self.rngs, x) if rollout_extras is None else rollout_extras
        return Out(state, (raw, jnp.sum(raw - x)), 0.0, {}, raw)
    """,
    "a module that does as samplers do": """
        import helpers
        ---
        self.key = rngs()
        ---

        ---
        if rollout_extras is None:
            noise = helpers.draw(self.key, x.shape)
        else:
            noise = rollout_extras["noise"]
        return Out(state, x + noise, 0.0, {}, {"noise": noise})
    """,
    "a sampler whose child draws for it": """
        # ActionSampler
        self.rngs, self.head = rngs, dim
        ---
        policy = self.head(x)
        raw = policy.propose(rngs=self.rngs) if rollout_extras is None else rollout_extras
        return Out(state, (raw, policy.log_prob(raw)), 0.0, {}, raw)
    """,
    "a dropout layer that is called with a carried key": """
        self.dropout = nnx.Dropout(0.5, rngs=rngs)
        ---
        following, use = jax.vmap(lambda k: tuple(jax.random.split(k)))(state)
        y = jax.vmap(lambda k, row: self.dropout(row, rngs=k))(use, x)
        return Out(following, y, 0.0, {})
    """,
    "an array of keys that is updated": """
        self.key = rngs()
        ---
        keys = jnp.zeros(3).at[0].set(self.key)
        keys = keys.at[1].apply(lambda k: k)
        y = x
    """,
}


@pytest.mark.parametrize("case", ESCAPES.values(), ids=ESCAPES)
def test_it_is_reported_where_it_is_handed_over(case: str) -> None:
    code = written_out(case)
    assert marked(code)
    assert reported(code) == marked(code)


@pytest.mark.parametrize("case", CLEAN.values(), ids=CLEAN)
def test_what_cannot_draw_from_it_is_silent(case: str) -> None:
    assert reported(written_out(case)) == []


ELSEWHERE = {
    "a key as the state of a child that has one": """
        from nnx_ppo.networks.variational import VariationalBottleneck
        ---
        self.child, self.key = VariationalBottleneck(3, rngs=rngs), rngs()
        ---

        ---
        y = self.child(self.key, x).output  # NNX205
    """,
    "a layer that draws": """
        import helpers
        ---
        self.drop = nnx.Dropout(0.5, rngs=rngs)
        ---

        ---
        y = helpers.run(self.drop, x)  # NNX104
        y = helpers.run([self.drop], y)  # NNX104
    """,
    "methods that draw, in a dict": """
        import helpers
        ---
        self.rngs = rngs
        ---
        def _noise(self, shape):
            return self.rngs.normal(shape)  # NNX101
        ---
        y = helpers.run({"noise": self._noise}, x)
    """,
    "a key that a class-level stream gives out": """
        import helpers
        ---
        self.rngs = rngs
        ---

        ---
        y = helpers.noisy(self.rngs(), x)  # NNX101
    """,
    "a fork of a class-level stream": """
        import helpers
        ---
        self.rngs = rngs
        ---

        ---
        y = helpers.noisy(self.rngs.fork(), x)  # NNX101
    """,
    "a key of a constant": """
        import helpers
        ---
        self.rngs = rngs
        ---

        ---
        y = helpers.noisy(jax.random.key(0), x)  # NNX106
    """,
    "a key that the host seeded": """
        import helpers
        ---
        self.rngs = rngs
        ---

        ---
        y = helpers.noisy(jax.random.key(random.randint(0, 9)), x)  # NNX107
    """,
    "a method that draws": """
        import helpers
        ---
        self.rngs = rngs
        ---
        def _noise(self, shape):
            return self.rngs.normal(shape)  # NNX101
        ---
        y = helpers.run(self._noise, x)
    """,
}


@pytest.mark.parametrize("case", ELSEWHERE.values(), ids=ELSEWHERE)
def test_what_another_rule_reports_is_reported_once(case: str) -> None:
    code = written_out(case)
    assert reported(code) == marked(code)
