"""Keys and streams that are handed to code that is not followed."""

from __future__ import annotations

import pytest
from interpreting import events_in, value_of

ESCAPES = {
    "a key": ("self.thing(self.key)", ["self.key"]),
    "a stream by keyword": ("self.thing(x, rngs=self.rngs)", ["self.rngs"]),
    "keys in collections": (
        "self.thing([{'a': self.key}, (x, self.rngs)])",
        ["self.key", "self.rngs"],
    ),
    "either of two": ("self.thing(self.key if x else self.rngs)", ["self.key", "self.rngs"]),
    "a stream by its name alone": ("self.thing(self.thing.rngs)", ["self.thing.rngs"]),
    "all that the module holds": (
        "helpers.f(self)",
        ["self.rngs", "self.stream", "self.key"],
    ),
    "the module once": ("helpers.f(self, [self])", ["self.rngs", "self.stream", "self.key"]),
    "nothing": ("self.thing(x, state)", []),
    "nothing that only looks like a key": ("self.thing(self.thing.key)", []),
    "nothing to a logger": ("self.thing.debug(self.key)", []),
    "nothing to a collection": ("self.thing.append(self.key)", []),
    "nothing to an array": ("x.at[0].set(self.key)", []),
    "something to what is set by a method alone": ("self.thing.set(self.key)", ["self.key"]),
}


@pytest.mark.parametrize(("code", "handed"), ESCAPES.values(), ids=ESCAPES)
def test_a_call_hands_over(code: str, handed: list[str]) -> None:
    told = events_in(f"y = {code}", before="import helpers")
    assert [
        sentence.split(" hands ")[1].split(" to ")[0] for sentence in told if " hands " in sentence
    ] == handed


def test_what_comes_of_a_key_that_was_handed_over_is_marked_as_given_out() -> None:
    found = value_of("self.thing(self.key)")
    assert "drawn self.thing(self.key)" in found
    assert "sample self.thing(self.key)" in found
    assert "asked" not in found
    assert "drawn" not in value_of("self.thing(state)")


def test_what_the_constructor_hands_over_is_not_marked() -> None:
    init = "self.made = thing(rngs)"
    assert value_of("self.made", init=init) == "data@self.made"
