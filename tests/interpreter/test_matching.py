"""`match`: what the patterns bind, and which cases can be reached."""

from __future__ import annotations

import pytest
from interpreting import value_of

PAIR = """
import typing
class P(typing.NamedTuple):
    a: int
    b: int
"""

VALUES: dict[str, tuple[str, str]] = {
    "fields by position and by name": (
        "match P(self.key, x):\n    case P(a, b=c): y = (a, c)\ny",
        "(key@self.key, data{input}@x)",
    ),
    "a field by position": ("match P(self.key, x):\n    case P(a): y = a\ny", "key@self.key"),
    "more fields than there are": (
        "match P(self.key, x):\n    case P(a, b, c): y = a\ny",
        "data{input, self.key}",
    ),
    "an item of a mapping": (
        "match state:\n    case {'a': k}: y = k\n    case _: y = 1\ny",
        "1 | data{carry}@state['a']",
    ),
    "a name after a literal": (
        "match x:\n    case 1: y = 2\n    case z: y = self.key\n    case _: y = 3\ny",
        "2 | key@self.key",
    ),
    "a pattern with a name is not for all": (
        "match x:\n    case [a] as z: y = 2\n    case _: y = 3\ny",
        "2 | 3",
    ),
    "a literal with a name is not for all": (
        "match x:\n    case 1 as z: y = z\n    case _: y = 3\ny",
        "3 | data{input}@x",
    ),
}


@pytest.mark.parametrize("name", VALUES)
def test_a_match_binds(name: str) -> None:
    code, value = VALUES[name]
    assert value_of(code, before=PAIR) == value
