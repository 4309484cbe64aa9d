"""What has become of keys: which uses are second ones, and what a return knows of them."""

from __future__ import annotations

import pytest
from interpreting import run, uses_in

from flake8_nnx_rng.interpreter import Returned, Use
from flake8_nnx_rng.interpreter.regions import Region

MEMBERS = """
def draw(self, k): return jax.random.normal(k)
def both(self, k): return jax.random.normal(k), jax.random.uniform(k)
def halves(self, k): return jax.random.split(k)
def fresh(self): return self.rngs()
"""
FINE = {
    "each half once": "a, b = jax.random.split(state)\nreturn self.draw(a), self.draw(b)",
    "halves by index": "ks = jax.random.split(state)\nreturn self.draw(ks[0]), self.draw(ks[1])",
    "one of three": "a, *b = jax.random.split(state, 3)\nreturn self.draw(a)",
    "in both arms": "if x: y = self.draw(state)\nelse: y = self.draw(state)\nreturn y",
    "in both arms of cond": "return jax.lax.cond(x, self.draw, self.draw, state)",
    "after an early return": "if x: return self.draw(state)\nreturn self.draw(state)",
    "a key split in every round": (
        "k = state\nfor _ in x:\n    k, u = jax.random.split(k)\n    self.draw(u)"
    ),
    "a key split in a scan": "return jax.lax.scan(lambda k, _: jax.random.split(k), state, x)",
    "every key of an array": "for k in jax.random.split(state, 9): self.draw(k)",
    "rows of a scan": "return jax.lax.scan(lambda c, k: (c, self.draw(k)), x, state)",
    "keys of a helper called twice": "return self.draw(self.fresh()), self.draw(self.fresh())",
    "halves made by a helper": "a, b = self.halves(state)\nreturn self.draw(a), self.draw(b)",
    "folded into twice": (
        "f = jax.random.fold_in\nreturn self.draw(f(state, 1)), self.draw(f(state, 2))"
    ),
    "a clone": "return self.draw(state), self.draw(jax.random.clone(state))",
    "either key, then the other": "k = state if x else self.key\nreturn self.draw(k)",
}
AGAIN = {
    "drawn from twice": (
        "return self.draw(state), self.draw(state)",
        "reuses state: drawn from, drawn from",
    ),
    "drawn from and split": (
        "self.draw(state)\nreturn jax.random.split(state)",
        "reuses state: drawn from, split",
    ),
    "twice in a helper": (
        "return self.both(state)",
        "reuses state: drawn from, drawn from",
    ),
    "a half twice": (
        "a, b = jax.random.split(state)\nreturn self.draw(a), self.draw(a)",
        "reuses key{carry}: drawn from, drawn from",
    ),
    "in every round": (
        "for _ in x: self.draw(state)",
        "reuses state: drawn from, drawn from",
    ),
    "in every step of a scan": (
        "return jax.lax.scan(lambda c, r: (c, self.draw(state)), x, x)",
        "reuses state: drawn from, drawn from",
    ),
    "in every item of a comprehension": (
        "return [self.draw(state) for _ in x]",
        "reuses state: drawn from, drawn from",
    ),
    "in one arm and after it": (
        "if x: self.draw(state)\nreturn self.draw(state)",
        "reuses state: drawn from, drawn from",
    ),
    "in two maps": (
        "jax.vmap(self.draw)(state)\nreturn jax.vmap(jax.random.split)(state)",
        "reuses state: drawn from, split",
    ),
    "folded into and split": (
        "self.draw(jax.random.fold_in(state, 1))\nreturn jax.random.split(state)",
        "reuses state: folded into, split",
    ),
    "by a layer and by hand": (
        "nnx.Dropout(0.5)(x, rngs=state)\nreturn self.draw(state)",
        "reuses state: drawn from, drawn from",
    ),
}


@pytest.mark.parametrize("body", FINE.values(), ids=FINE.keys())
def test_a_key_is_used_once(body: str) -> None:
    assert uses_in(body, members=MEMBERS) == []


@pytest.mark.parametrize(("body", "told"), AGAIN.values(), ids=AGAIN.keys())
def test_a_key_is_used_again_if_it_is(body: str, told: str) -> None:
    found = uses_in(body, members=MEMBERS)
    assert len(found) == 1
    assert told in found[0]


def _returns(body: str) -> list[Returned]:
    events = run(body, members=MEMBERS).rollout
    return [event for event in events if isinstance(event, Returned)]


def test_a_return_knows_from_which_parts_of_the_carry_its_path_drew() -> None:
    first, second = _returns(
        "if x: return 1\nself.draw(state['a'])\nself.draw(state['b'])\nreturn 2"
    )
    assert first.drawn_with == frozenset()
    assert second.drawn_with == {("state['a']",), ("state['b']",)}


def test_a_draw_in_a_helper_called_before_counts_on_every_path() -> None:
    first, second = _returns(
        "if x:\n    self.draw(state)\n    return 1\nself.draw(state)\nreturn 2"
    )
    assert first.drawn_with == second.drawn_with == {("state",)}


def test_what_the_input_is_folded_into_varies_by_itself() -> None:
    (event,) = _returns("return self.draw(jax.random.fold_in(state, x))")
    assert event.drawn_with == frozenset()


def test_a_return_knows_which_keys_are_spent() -> None:
    (event,) = _returns("jax.random.fold_in(state['a'], 1)\nself.draw(state['b'])\nreturn 1")
    assert event.keys(Use.DRAWN, Use.SPLIT) == {Region("state['b']")}
    assert event.keys(Use.FOLDED) == {Region("state['a']")}


def test_two_keys_of_one_function_are_told_apart() -> None:
    made = [f"{key} = jax.random.fold_in(self.key, {i})" for i, key in enumerate("ab")]
    draws = {key: f"jax.random.normal({key})" for key in "ab"}
    code = "\n".join([*made, *draws.values()])
    assert uses_in(code) == []
    assert [len(uses_in(f"{code}\n{draws[key]}")) for key in "ab"] == [1, 1]
