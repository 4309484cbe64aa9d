"""State that the forward pass writes, and that its result depends on or not."""

from __future__ import annotations

import pytest
from support import marked, reported

from .regressions import written_out

WRITES = {
    "a log in a function that JAX traces": """
        self.count = nnx.Variable(jnp.array(0))
        ---
        def counted(v):
            self.count[...] += 1  # NNX108
            return jnp.tanh(v)
        y = jax.checkpoint(counted)(x)
    """,
    "BatchNorm": """
        self.norm = nnx.BatchNorm(dim, rngs=rngs)
        ---
        y = self.norm(x)  # NNX108
    """,
    "BatchNorm whose constructor says that it keeps its statistics": """
        self.norm = nnx.BatchNorm(dim, use_running_average=True, rngs=rngs)
        ---
        y = jax.nn.relu(self.norm(x))  # NNX108
    """,
    "BatchNorm that is told by a flag of the module": """
        self.norm, self.frozen = nnx.BatchNorm(dim, rngs=rngs), True
        ---
        y = self.norm(x, use_running_average=self.frozen)  # NNX108
    """,
    "BatchNorm in train mode": """
        self.norm = nnx.BatchNorm(dim, rngs=rngs)
        ---
        y = self.norm(x, use_running_average=False)  # NNX108
    """,
    "BatchNorm in a Sequential": """
        self.net = nnx.Sequential(nnx.Linear(dim, dim, rngs=rngs), nnx.BatchNorm(dim, rngs=rngs))
        ---
        y = self.net(x)  # NNX108
    """,
    "BatchNorm in a list": """
        self.norms = nnx.List([nnx.BatchNorm(dim, rngs=rngs) for _ in range(2)])
        ---
        y = x
        for norm in self.norms:
            y = norm(y)  # NNX108
    """,
    "BatchNorm in a block": """
        class Block(nnx.Module):
            def __init__(self, dim, rngs):
                self.norm = nnx.BatchNorm(dim, rngs=rngs)

            def __call__(self, x):
                return self.norm(x)  # NNX108
        ---
        self.block = Block(dim, rngs)
        ---

        ---
        y = self.block(x)
    """,
    "BatchNorm of the project's own": """
        class Norm(nnx.BatchNorm):
            pass
        ---
        self.norm = Norm(dim, rngs=rngs)
        ---

        ---
        y = self.norm(x)  # NNX108
    """,
    "SpectralNorm": """
        self.norm = nnx.SpectralNorm(nnx.Linear(dim, dim, rngs=rngs), rngs=rngs)
        ---
        y = self.norm(x)  # NNX108
    """,
    "WeightNorm": """
        self.norm = nnx.WeightNorm(nnx.Linear(dim, dim, rngs=rngs), rngs=rngs)
        ---
        y = self.norm(x)  # NNX108
    """,
    "attention that decodes": """
        self.attend = nnx.MultiHeadAttention(1, dim, decode=True, rngs=rngs)
        ---
        y = self.attend(x)  # NNX108
    """,
    "a bridged layer that is told to be mutable": """
        self.net = nnx.bridge.ToNNX(dim)
        ---
        following, use = jax.vmap(lambda k: tuple(jax.random.split(k)))(state)
        step = lambda k, row: self.net(row, mutable=["batch_stats"], rngs=k)  # NNX108
        return Out(following, jax.vmap(step)(use, x), 0.0, {})
    """,
    "a count by value": """
        self.count = nnx.Variable(0)
        ---
        self.count.value += 1  # NNX108
        y = x * self.count.value
    """,
    "a count by item": """
        self.count = nnx.Variable(jnp.zeros(()))
        ---
        y = x / (1 + self.count[...])
        self.count[...] = self.count[...] + 1  # NNX108
    """,
    "a count by set_value": """
        self.count = nnx.Variable(0)
        ---
        count = self.count.get_value()
        self.count.set_value(count + 1)  # NNX108
        y = jnp.where(count > 10, x, 2 * x)
    """,
    "an attribute": """
        self.n = 0
        ---
        self.n += 1  # NNX108
        y = x * self.n
    """,
    "an attribute that the next step reads": """
        self.last = jnp.zeros(dim)
        ---
        y = x - self.last
        self.last = x  # NNX108
    """,
    "an attribute by setattr": """
        self.n = 0
        ---
        y = x * self.n
        setattr(self, "n", self.n + 1)  # NNX108
    """,
    "a count in a helper": """
        self.count = nnx.Variable(0)
        ---
        def _tick(self):
            self.count[...] += 1  # NNX108
            return self.count[...]
        ---
        y = x * self._tick()
    """,
    "a count in the carry": """
        self.count = nnx.Variable(0)
        ---
        self.count[...] += 1  # NNX108
        return Out(state + self.count[...], x, 0.0, {})
    """,
    "a count in the loss": """
        self.count = nnx.Variable(0)
        ---
        self.count[...] += 1  # NNX108
        return Out(state, x, 0.1 * self.count[...], {})
    """,
    "a count that tells keys apart": """
        self.key, self.step = nnx.RngKey(rngs()), nnx.Variable(0)
        ---
        key = jax.random.fold_in(self.key[...], self.step[...])
        self.step[...] += 1  # NNX108
        y = x + jax.random.normal(key, x.shape)  # NNX102
    """,
    "one part of several": """
        self.stats = {"n": nnx.Variable(0), "mean": nnx.Variable(0.0)}
        ---
        self.stats["mean"][...] = jnp.mean(x)  # NNX108
        y = x - self.stats["mean"][...]
    """,
    "a part of an object": """
        class Stats(nnx.Module):
            def __init__(self):
                self.mean = nnx.Variable(0.0)

            def observe(self, x):
                self.mean[...] = 0.9 * self.mean[...] + 0.1 * x.mean()  # NNX108
        ---
        self.stats = Stats()
        ---

        ---
        self.stats.observe(x)
        y = x - self.stats.mean[...]
    """,
    "the weights of a layer": """
        self.linear = nnx.Linear(dim, dim, rngs=rngs)
        ---
        self.linear.kernel[...] = jnp.clip(self.linear.kernel[...], -1, 1)  # NNX108
        y = self.linear(x)
    """,
    "a Variable by nnx.update": """
        self.trace = nnx.Variable(0.0)
        ---
        y = x + self.trace[...]
        nnx.update(self.trace, y)  # NNX108
    """,
    "what is cached": """
        self.table = None
        ---
        if self.table is None:
            self.table = jnp.arange(10)  # NNX108
        y = x + self.table
    """,
    "what a list keeps": """
        self.seen = []
        ---
        y = x - sum(self.seen)
        self.seen.append(x)  # NNX108
    """,
    "what a sampler scores with": """
        # ActionSampler
        self.rngs, self.count = rngs, nnx.Variable(0)
        ---
        self.count[...] += 1  # NNX108
        raw = x + self.rngs.normal(x.shape) if rollout_extras is None else rollout_extras
        return Out(state, (raw, jnp.sum(raw - x) / self.count[...]), 0.0, {}, raw)
    """,
    "a count that chooses what a sampler emits": """
        # ActionSampler
        self.rngs, self.count = rngs, nnx.Variable(0)
        ---
        if rollout_extras is None:
            self.count[...] += 1  # NNX108
            raw = x + self.rngs.normal(x.shape) / self.count[...]
        else:
            raw = rollout_extras
        return Out(state, (raw, jnp.sum(raw - x)), 0.0, {}, raw)
    """,
}

CLEAN = {
    "BatchNorm that the call tells to keep its statistics": """
        self.norm = nnx.BatchNorm(dim, rngs=rngs)
        ---
        y = self.norm(x, use_running_average=True)
    """,
    "the same by position": """
        self.norm = nnx.BatchNorm(dim, rngs=rngs)
        ---
        y = self.norm(x, True)
    """,
    "BatchNorm that only the constructor calls": """
        self.norm = nnx.BatchNorm(dim, rngs=rngs)
        self.norm(jnp.zeros((1, dim)))
        ---
        y = x
    """,
    "BatchNorm that only an update outside of the pass calls": """
        self.norm = nnx.BatchNorm(dim, rngs=rngs)
        ---
        def update_statistics(self, x):
            self.norm(x, use_running_average=False)
        ---
        y = self.norm(x, use_running_average=True)
    """,
    "other norms": """
        self.layer, self.group = nnx.LayerNorm(dim, rngs=rngs), nnx.GroupNorm(dim, 1, rngs=rngs)
        self.rms, self.inst = nnx.RMSNorm(dim, rngs=rngs), nnx.InstanceNorm(dim, rngs=rngs)
        ---
        y = self.inst(self.rms(self.group(self.layer(x))))
    """,
    "attention that does not decode": """
        self.attend = nnx.MultiHeadAttention(1, dim, decode=False, rngs=rngs)
        ---
        y = self.attend(x) + self.attend(x, decode=False)
    """,
    "a count that is only logged": """
        self.count = nnx.Variable(0)
        ---
        self.count[...] += 1
        return Out(state, x, 0.0, {"count": self.count[...]})
    """,
    "a count that nothing reads": """
        self.count = nnx.Variable(0)
        ---
        self.count.value += 1
        y = x
    """,
    "a count beside what the output depends on": """
        self.count, self.counts = nnx.Variable(0), nnx.Variable(jnp.ones(3))
        ---
        self.count[...] += 1
        y = x * self.counts[...]
    """,
    "one part beside another": """
        self.stats = {"n": nnx.Variable(0), "mean": nnx.Variable(0.0)}
        ---
        self.stats["n"][...] += 1
        y = x - self.stats["mean"][...]
    """,
    "activations that are sown": """
        self.linear = nnx.Linear(dim, dim, rngs=rngs)
        ---
        y = self.linear(x)
        self.sow(nnx.Intermediate, "hidden", y)
    """,
    "an attribute that is only kept for later": """
        self.last = None
        ---
        y = 2 * x
        self.last = y
    """,
    "an attribute that is written before it is read": """
        self.hidden = None
        ---
        self.hidden = jax.nn.relu(x)
        y = self.hidden + 1
    """,
    "a count in the carry": """
        self.scale = nnx.Param(jnp.ones(()))
        ---
        scale = jnp.minimum(state["n"] / 1000, 1.0) * self.scale[...]
        return Out({**state, "n": state["n"] + 1}, scale * x, 0.0, {})
    """,
    "a part of the carry that is written": """
        self.scale = nnx.Param(jnp.ones(()))
        ---
        state["n"] = state["n"] + 1
        state["trace"] = state["trace"].at[0].set(x)
        y = x * state["n"] * self.scale[...]
    """,
    "a local object": """
        class Counter:
            def __init__(self):
                self.n = 0

            def tick(self):
                self.n += 1
                return self.n
        ---
        self.dim = dim
        ---

        ---
        counter = Counter()
        y = x * counter.tick() * self.dim
    """,
    "a local Variable": """
        self.dim = dim
        ---
        total = nnx.Variable(jnp.zeros(()))
        total[...] += jnp.sum(x)
        y = x * total[...] * self.dim
    """,
    "a layer that is built in the pass": """
        self.dim = dim
        ---
        y = nnx.BatchNorm(self.dim, rngs=nnx.Rngs(state))(x)
    """,
    "statistics that are updated outside of the pass": """
        self.mean, self.count = nnx.Variable(0.0), nnx.Variable(0)
        ---
        def update_statistics(self, x):
            self.count[...] += 1
            self.mean[...] += (x.mean() - self.mean[...]) / self.count[...]
        ---
        y = x - self.mean[...]
    """,
    "a child that is checked by itself": """
        class Child(StatefulModule):
            def __call__(self, state, x, rollout_extras=None):
                return Out(state, x, 0.0, {})
        ---
        self.child = Child()
        ---

        ---
        y = self.child(state, x).output
    """,
    "parameters that are only read": """
        self.w = nnx.Param(jnp.ones(3))
        ---
        w = self.w[...]
        w = w / jnp.linalg.norm(w)
        y = x * w
    """,
}

KEYS = {
    "a key": """
        self.key = nnx.RngKey(rngs())
        ---
        following, use = jax.random.split(self.key[...])
        self.key[...] = following  # NNX103
        y = x + jax.random.normal(use, x.shape)  # NNX102
    """,
    "a key that the output is made of": """
        self.key = nnx.Variable(rngs())
        ---
        y = x + jnp.sum(jax.random.key_data(self.key[...]))
        self.key[...] = jax.random.fold_in(self.key[...], 1)  # NNX103
    """,
}


@pytest.mark.parametrize("case", WRITES.values(), ids=WRITES)
def test_a_write_that_the_result_depends_on_is_reported_where_it_stands(case: str) -> None:
    code = written_out(case)
    assert marked(code)
    assert reported(code) == marked(code)


@pytest.mark.parametrize("case", CLEAN.values(), ids=CLEAN)
def test_a_write_that_it_does_not_depend_on_is_silent(case: str) -> None:
    assert reported(written_out(case)) == []


@pytest.mark.parametrize("case", KEYS.values(), ids=KEYS)
def test_a_written_key_is_reported_as_such_alone(case: str) -> None:
    code = written_out(case)
    assert marked(code)
    assert reported(code) == marked(code)
