"""Which key an index, a slice or a column takes from an array of keys."""

from __future__ import annotations

import pytest
from interpreting import uses_in, value_of

VALUES: dict[str, tuple[str, str]] = {
    "a column of keys split env by env": ("[:, 0]", "key{carry}"),
    "a row of another env": ("[0]", "key{another env's carry}"),
    "a column in another order": ("[::-1, 0]", "key{another env's carry}"),
    "a column of some envs": ("[1:, 0]", "key{another env's carry}"),
    "a column after a new axis": ("[None, :, 0]", "key{carry}"),
    "a column after an ellipsis": ("[..., 0]", "key{carry}"),
    "all of it": ("[:]", "key{carry}"),
}


@pytest.mark.parametrize("name", VALUES)
def test_an_index_takes(name: str) -> None:
    index, value = VALUES[name]
    assert value_of(f"jax.vmap(jax.random.split)(state){index}") == value


def drawn_twice(keys: str, first: str, second: str) -> list[str]:
    draw = "jax.vmap(jax.random.normal)" if ":" in first else "jax.random.normal"
    return uses_in(f"ks = {keys}\n{draw}(ks[{first}])\n{draw}(ks[{second}])")


@pytest.mark.parametrize(
    ("keys", "first", "second", "is_same"),
    [
        ("jax.vmap(jax.random.split)(state)", ":, 0", ":, 0", True),
        ("jax.vmap(jax.random.split)(state)", ":, 0", ":, 1", False),
        ("jax.vmap(jax.random.split)(state)", ":, 1", ":, -1", True),
        ("jax.vmap(jax.random.split)(state)", ":, 0", ":, -1", False),
        ("jax.random.split(self.key, x)", "0", "0", True),
        ("jax.random.split(self.key, x)", "0", "1", False),
        ("jax.random.split(self.key, 3)", "2", "-1", True),
        ("jax.random.split(self.key, 3)", "1", "-1", False),
    ],
)
def test_a_key_is_known_by_its_index(keys: str, first: str, second: str, is_same: bool) -> None:
    assert bool(drawn_twice(keys, first, second)) is is_same


def test_an_array_of_keys_stays_one_in_another_shape() -> None:
    assert value_of("self.key.reshape(-1)") == "key@self.key"
    assert value_of("self.key.sum()") == "data{self.key}"
