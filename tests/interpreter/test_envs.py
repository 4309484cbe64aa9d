"""Maps over the envs: whose rows of the carry a draw sees."""

from __future__ import annotations

import pytest
from interpreting import run, value_of

from flake8_nnx_rng.interpreter import Drew
from flake8_nnx_rng.interpreter.taint import carried_in

MEMBERS = """
def initialize_state(self, batch_size):
    return {'key': jax.random.split(self.rngs(), batch_size), 'n': jnp.zeros(batch_size)}

def draw(self, k, row=None): return jax.random.normal(k)

@functools.partial(jax.vmap, in_axes=(None, 0))
def mapped(self, k): return jax.random.normal(k)
"""
SPREADS = {
    "nothing maps": ("self.draw(state['key'])", "ALL"),
    "vmap": ("jax.vmap(self.draw)(state['key'], x)", "OWN"),
    "vmap by name": ("jax.vmap(self.draw)(k=state['key'], row=x)", "OWN"),
    "vmap of a tree": ("jax.vmap(lambda s: self.draw(s['key']))(state)", "OWN"),
    "vmap over another argument": (
        "jax.vmap(self.draw, in_axes=(None, 0))(state['key'], x)",
        "ALL",
    ),
    "vmap over none": ("jax.vmap(lambda r: self.draw(state['key'], r))(x)", "ALL"),
    "vmap of a part": ("jax.vmap(functools.partial(self.draw, row=x))(state['key'])", "OWN"),
    "a decorator": ("self.mapped(state['key'])", "OWN"),
    "vmap within vmap": (
        "jax.vmap(lambda k: jax.vmap(self.draw)(jax.random.split(k, 3)))(state['key'])",
        "OWN",
    ),
    "what vmap returned": ("self.draw(jax.vmap(jax.random.clone)(state['key']))", "ALL"),
    "one env's key": ("self.draw(state['key'][0])", "OTHER"),
    "one env's key in a map": ("jax.vmap(lambda r: self.draw(state['key'][0]))(x)", "OTHER"),
    "keys in another order": ("jax.vmap(self.draw)(state['key'][::-1])", "OTHER"),
    "keys of other envs": ("jax.vmap(self.draw)(jnp.roll(state['key'], 1))", "OTHER"),
    "all of a slice": ("jax.vmap(self.draw)(state['key'][:])", "OWN"),
    "the place in the batch": (
        "jax.vmap(lambda i: self.draw(state['key'][i]))(jnp.arange(x.shape[0]))",
        "OWN",
    ),
    "an index that is data": ("jax.vmap(lambda i: self.draw(state['key'][i]))(x)", "OTHER"),
    "an index that is held": ("self.draw(state['key'][self.which])", "OTHER"),
    "an index in a tuple": ("self.draw(state['key'][(0,)])", "OTHER"),
    "two indices": ("self.draw(jax.vmap(jax.random.split)(state['key'])[0, 1])", "OTHER"),
    "all rows up to how many there are": ("self.draw(state['key'][: x.shape[0]])", "ALL"),
    "a new axis": ("self.draw(state['key'][:, None])", "ALL"),
    "a row of split keys": (
        "jax.vmap(lambda k: self.draw(jax.random.split(k)[0]))(state['key'])",
        "OWN",
    ),
    "a column of split keys": (
        "jax.vmap(self.draw)(jax.vmap(jax.random.split)(state['key'])[:, 0])",
        "OWN",
    ),
    "halves by out_axes": (
        "jax.vmap(self.draw)(jax.vmap(jax.random.split, out_axes=1)(state['key'])[0])",
        "OWN",
    ),
    "the first row of split keys": (
        "self.draw(jax.vmap(jax.random.split)(state['key'])[0])",
        "OTHER",
    ),
    "a map of lax": ("jax.lax.map(self.draw, state['key'])", "OWN"),
    "a loop over keys": ("[self.draw(k) for k in state['key']]", "OWN"),
    "a scan over keys": ("jax.lax.scan(lambda c, k: (c, self.draw(k)), x, state['key'])", "OWN"),
    "code that cannot be seen": ("library.for_each_env(self.draw, state['key'])", "OWN"),
}


@pytest.mark.parametrize(("code", "spread"), SPREADS.values(), ids=SPREADS.keys())
def test_a_draw_sees(code: str, spread: str) -> None:
    events = run(f"return {code}", members=MEMBERS).rollout
    sources = [carried_in(event.source.taint) for event in events if isinstance(event, Drew)]
    assert [[source.spread.name for source in carried] for carried in sources] == [[spread]]


def test_keys_that_a_map_puts_first_are_counted_if_their_number_is_known() -> None:
    code = "jax.vmap(lambda k: jax.random.split(k, {}), out_axes=1)(state)"
    assert value_of(code.format(2)) == "(key{carry}, key{carry})"
    assert value_of(code.format("x")) == "[key{carry, env, input}...]"
