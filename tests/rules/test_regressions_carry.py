"""Keys in the carry: how they are seeded, told apart, returned and reset."""

from __future__ import annotations

import textwrap

import pytest
from support import marked, reported

from .regressions import SEPARATOR, written_out

SEED = """
def initialize_state(self, batch_size):
    return jax.random.split(self.rngs(), batch_size)
"""
SEED_TWO = """
def initialize_state(self, batch_size):
    return {name: jax.random.split(self.rngs(), batch_size) for name in ("a", "b")}
"""
SEED_MEMORY = """
def initialize_state(self, batch_size):
    key = jax.random.split(self.rngs(), batch_size)
    return {"key": key, "h": jnp.zeros((batch_size, 3))}
"""
HALVES = "nxt, use = jax.vmap(lambda k: tuple(jax.random.split(k)))(state)"
DRAW = "draw = jax.vmap(lambda k: jax.random.normal(k, (3,)))"
STEP = f"{HALVES}\n{DRAW}\nreturn Out(nxt, x + draw(use), 0.0, {{}})"
STEP_MEMORY = """
nxt, use = jax.vmap(lambda k: tuple(jax.random.split(k)))(state["key"])
noise = jax.vmap(lambda k: jax.random.normal(k, (3,)))(use)
return Out({"key": nxt, "h": noise}, x + noise + state["h"], 0.0, {})
"""

ENVS = {
    "the first that unpacking yields": f"""
{SEED}---
{HALVES}
first, *rest = use
return Out(nxt, x + jax.random.normal(first, x.shape), 0.0, {{}})  # NNX203
""",
    "an index that is held": f"""
{SEED}---
{HALVES}
return Out(nxt, x + jax.random.normal(use[self.which], x.shape), 0.0, {{}})  # NNX203
""",
    "an index that is computed": f"""
{SEED}---
{HALVES}
return Out(nxt, x + jax.random.normal(use[x.shape[0] // 2], x.shape), 0.0, {{}})  # NNX203
""",
    "an order that depends on the input": f"""
{SEED}---
{HALVES}
order = jnp.argsort(x[:, 0])
noise = jax.vmap(lambda k: jax.random.normal(k, (3,)))(use[order])  # NNX203
return Out(nxt, x + noise, 0.0, {{}})
""",
    "two indices": f"""
{SEED}---
pairs = jax.vmap(jax.random.split)(state)
eps = jax.random.normal(pairs[0, 1], x.shape)  # NNX203
return Out(pairs[:, 0], x + eps, 0.0, {{}})
""",
    "the place in the batch, folded in": f"""
{SEED}---
{HALVES}
{DRAW}
ks = jax.vmap(jax.random.fold_in)(use, jnp.arange(x.shape[0]))  # NNX203
return Out(nxt, x + draw(ks), 0.0, {{}})
""",
    "the place in the batch as an index": f"""
{SEED}---
{HALVES}
noise = [jax.random.normal(use[i], (3,)) for i in range(x.shape[0])]
return Out(nxt, x + jnp.stack(noise), 0.0, {{}})
""",
    "a slice of all": f"""
{SEED}---
{HALVES}
{DRAW}
return Out(nxt, x + draw(use[: x.shape[0]]), 0.0, {{}})
""",
    "out_axes of each output": f"""
{SEED}---
{DRAW}
ks, y = jax.vmap(lambda k, row: (jax.random.split(k), row), out_axes=(1, 0))(state, x)
return Out(ks[0], y + draw(ks[1]), 0.0, {{}})
""",
    "out_axes of an unknown number of keys": f"""
{SEED}---
{DRAW}
ks = jax.vmap(lambda k: jax.random.split(k, self.n + 1), out_axes=1)(state)
for i in range(self.n):
    x = x + draw(ks[i + 1])
return Out(ks[0], x, 0.0, {{}})
""",
    "a method of a record": """
class Noise(NamedTuple):
    key: Any

    def draw(self, shape):
        return jax.random.normal(self.key[0], shape)  # NNX203
---
def initialize_state(self, batch_size):
    return Noise(jax.random.split(self.rngs(), batch_size))
---
noise = state.draw(x.shape)
nxt = Noise(jax.vmap(lambda k: jax.random.fold_in(k, 1))(state.key))
return Out(nxt, x + noise, 0.0, {})
""",
}

SEEDS = {
    "keys of zeros": f"""
def initialize_state(self, batch_size):
    return jax.vmap(jax.random.key)(jnp.zeros(batch_size, int))  # NNX202
---
{STEP}
""",
    "a number folded in that is the same for all": f"""
def initialize_state(self, batch_size):
    same = jnp.zeros_like(jnp.arange(batch_size))
    return jax.vmap(jax.random.fold_in, in_axes=(None, 0))(self.rngs(), same)  # NNX202
---
{STEP}
""",
    "an array filled with a key": f"""
def initialize_state(self, batch_size):
    return jnp.full((batch_size,), self.rngs())  # NNX202
---
{STEP}
""",
    "the first of many, repeated": f"""
def initialize_state(self, batch_size):
    keys = jax.random.split(self.rngs(), batch_size)
    return jnp.repeat(keys[:1], batch_size)  # NNX202
---
{STEP}
""",
    "a number folded in that counts the envs": f"""
def initialize_state(self, batch_size):
    fold = jax.vmap(jax.random.fold_in, in_axes=(None, 0))
    return fold(self.rngs(), jnp.arange(batch_size))
---
{STEP}
""",
    "numbers that are drawn": f"""
def initialize_state(self, batch_size):
    return jax.vmap(jax.random.key)(self.rngs.randint((batch_size,), 0, 9))
---
{STEP}
""",
}

NEXT = {
    "keys of a comprehension, returned as they were": f"""
def initialize_state(self, batch_size):
    return tuple(jax.random.split(self.rngs(), batch_size) for _ in range(2))
---
{DRAW}
return Out(state, x + draw(state[0]) * draw(state[1]), 0.0, {{}})  # NNX201
""",
    "keys of a comprehension, each split": f"""
{SEED_TWO}---
{DRAW}
new = {{}}
for name, key in state.items():
    new[name], use = jax.vmap(lambda k: tuple(jax.random.split(k)))(key)
    x = x + draw(use)
return Out(new, x, 0.0, {{}})
""",
    "pairs of a comprehension": f"""
{SEED_TWO}---
{DRAW}
pairs = {{name: jax.vmap(jax.random.split)(key) for name, key in state.items()}}
for pair in pairs.values():
    x = x + draw(pair[:, 1])
return Out({{name: pair[:, 0] for name, pair in pairs.items()}}, x, 0.0, {{}})
""",
    "every leaf of the carry": f"""
{SEED_TWO}---
use = jax.tree.map(jax.vmap(lambda k: jax.random.fold_in(k, 0)), state)
nxt = jax.tree.map(jax.vmap(lambda k: jax.random.fold_in(k, 1)), state)
noise = jax.tree.map(jax.vmap(lambda k: jax.random.normal(k, (3,))), use)
return Out(nxt, x + noise["a"] + noise["b"], 0.0, {{}})
""",
    "one key as two, drawn from twice": f"""
def initialize_state(self, batch_size):
    key = jax.random.split(self.rngs(), batch_size)
    return {{name: key for name in ("a", "b")}}
---
{DRAW}
return Out(state, x + draw(state["a"]) * draw(state["b"]), 0.0, {{}})  # NNX201
""",
    "taken apart by match": f"""
{SEED_MEMORY}---
match state:
    case {{"key": key}}:
        noise = jax.vmap(lambda k: jax.random.normal(k, (3,)))(key)
return Out({{**state, "key": key}}, x + noise, 0.0, {{}})  # NNX201
""",
    "the same key in another form": f"""
{SEED}---
{DRAW}
data = jax.random.key_data(state)
return Out(jax.random.wrap_key_data(data), x + draw(state), 0.0, {{}})  # NNX201
""",
    "one of two keys that stay, the other a constant": f"""
{SEED_TWO}---
{DRAW}
use = jax.vmap(lambda a, b: jax.random.fold_in(a, jax.random.bits(b)))(state["a"], state["b"])
return Out({{"a": state["a"], "b": self.start}}, x + draw(use), 0.0, {{}})  # NNX201
""",
}

RESETS = {
    "a fold of all keys at once": f"""
{SEED}
def reset_state(self, prev_state):
    return jax.random.fold_in(prev_state, 0)  # NNX207
---
{STEP}
""",
    "a map over one key": f"""
{SEED}
def reset_state(self, prev_state):
    return jax.vmap(lambda k: jax.random.fold_in(k, 0))(prev_state)  # NNX207
---
{STEP}
""",
    "a fold that takes one key or many": f"""
{SEED}
def reset_state(self, prev_state):
    return jnp.vectorize(lambda k: jax.random.fold_in(k, 0))(prev_state)
---
{STEP}
""",
    "a fold that asks how many there are": f"""
{SEED}
def reset_state(self, prev_state):
    fold = lambda k: jax.random.fold_in(k, 0)
    return fold(prev_state) if prev_state.ndim == 0 else jax.vmap(fold)(prev_state)
---
{STEP}
""",
    "a draw of all keys at once": f"""
{SEED_MEMORY}
def reset_state(self, prev_state):
    return {{**prev_state, "h": jax.random.normal(prev_state["key"], (3,))}}  # NNX207
---
{STEP_MEMORY}
""",
    "a comprehension of zeros": f"""
{SEED_MEMORY}
def reset_state(self, prev_state):
    return {{name: jnp.zeros_like(leaf) for name, leaf in prev_state.items()}}  # NNX204
---
{STEP_MEMORY}
""",
    "a product with zero": f"""
{SEED_MEMORY}
def reset_state(self, prev_state):
    return jax.tree.map(lambda leaf: 0 * leaf, prev_state)  # NNX204
---
{STEP_MEMORY}
""",
    "zeros for all that is no key": f"""
{SEED_MEMORY}
def reset_state(self, prev_state):
    def fresh(leaf):
        if jnp.issubdtype(leaf.dtype, jax.dtypes.prng_key):
            return leaf
        return jnp.zeros_like(leaf)
    return jax.tree.map(fresh, prev_state)
---
{STEP_MEMORY}
""",
    "a key that no step changes": """
def initialize_state(self, batch_size):
    key = jax.random.split(self.rngs(), batch_size)
    return {"key": key, "start": key}

def reset_state(self, prev_state):
    return {**prev_state, "key": prev_state["start"]}  # NNX204
---
nxt, use = jax.vmap(lambda k: tuple(jax.random.split(k)))(state["key"])
noise = jax.vmap(lambda k: jax.random.normal(k, (3,)))(use)
return Out({**state, "key": nxt}, x + noise, 0.0, {})
""",
    "a class-level key whose numbers an output will show": f"""
{SEED_MEMORY}
def reset_state(self, prev_state):
    return {{**prev_state, "h": jax.random.normal(self.key, (3,))}}  # NNX102
---
{STEP_MEMORY}
""",
}


def _class(case: str) -> str:
    parts = textwrap.dedent(case).strip("\n").split(SEPARATOR)
    before, members, forward = parts if len(parts) == 3 else ("", *parts)
    before = "from typing import NamedTuple\n" + before
    init = (
        "self.rngs = rngs\nself.key = rngs()\nself.which = 0\nself.n = dim\nself.start = rngs()\n"
    )
    return written_out(SEPARATOR.join([before, init, members, forward.lstrip("\n")]))


@pytest.mark.parametrize(
    "case",
    [
        pytest.param(c, id=name)
        for group in (ENVS, SEEDS, NEXT, RESETS)
        for name, c in group.items()
    ],
)
def test_a_carried_key_is_reported_where_it_goes_wrong(case: str) -> None:
    source = _class(case)
    assert reported(source) == marked(source)
