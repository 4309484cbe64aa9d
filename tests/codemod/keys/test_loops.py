"""In loops of JAX every round draws with keys of its own, one for each env."""

from __future__ import annotations

import pytest

from ..rewriting import changes, noisy, proposed

END = "\nreturn StatefulModuleOutput(state, y, 0.0, {})"
NORMAL = "jax.vmap(lambda k, row: jax.random.normal(k, row.shape))"
SPLIT = "jax.vmap(lambda k: tuple(jax.random.split(k)))"
KEYS = "jax.random.split(self.rngs(), 3)"
MANY = "jax.vmap(lambda k: jax.random.split(k, 3), out_axes=1)(use)"

CARRIED = {
    "a loop of numbers": (
        "def body(i, c):\n    h, key = c\n    key, sub = jax.random.split(key)\n"
        "    return h + jax.random.normal(sub, h.shape), key\n"
        "y, _ = jax.lax.fori_loop(0, 3, body, (x, self.rngs()))",
        "-key, sub = jax.random.split(key)\n"
        "-return h + jax.random.normal(sub, h.shape), key\n"
        "-y, _ = jax.lax.fori_loop(0, 3, body, (x, self.rngs()))\n"
        f"+key, sub = {SPLIT}(key)\n"
        f"+return h + {NORMAL}(sub, h), key\n"
        "+y, _ = jax.lax.fori_loop(0, 3, body, (x, use))",
    ),
    "a scan": (
        "def body(c, _):\n    h, key = c\n    key, sub = jax.random.split(key)\n"
        "    return (h + jax.random.normal(sub, h.shape), key), None\n"
        "(y, _), _ = jax.lax.scan(body, (x, self.rngs()), None, length=3)",
        "-key, sub = jax.random.split(key)\n"
        "-return (h + jax.random.normal(sub, h.shape), key), None\n"
        "-(y, _), _ = jax.lax.scan(body, (x, self.rngs()), None, length=3)\n"
        f"+key, sub = {SPLIT}(key)\n"
        f"+return (h + {NORMAL}(sub, h), key), None\n"
        "+(y, _), _ = jax.lax.scan(body, (x, use), None, length=3)",
    ),
    "a loop with a test": (
        "def body(c):\n    i, h, key = c\n    key, sub = jax.random.split(key)\n"
        "    return i + 1, h + jax.random.normal(sub, h.shape), key\n"
        "_, y, _ = jax.lax.while_loop(lambda c: c[0] < 3, body, (0, x, self.rngs()))",
        "-key, sub = jax.random.split(key)\n"
        "-return i + 1, h + jax.random.normal(sub, h.shape), key\n"
        "-_, y, _ = jax.lax.while_loop(lambda c: c[0] < 3, body, (0, x, self.rngs()))\n"
        f"+key, sub = {SPLIT}(key)\n"
        f"+return i + 1, h + {NORMAL}(sub, h), key\n"
        "+_, y, _ = jax.lax.while_loop(lambda c: c[0] < 3, body, (0, x, use))",
    ),
}

THROUGH = {
    "a scan": (
        f"keys = {KEYS}\ndef body(h, key):\n    return h + jax.random.normal(key, h.shape), None\n"
        "y, _ = jax.lax.scan(body, x, keys)",
        f"-keys = {KEYS}\n"
        f"+keys = {MANY}\n"
        "-return h + jax.random.normal(key, h.shape), None\n"
        f"+return h + {NORMAL}(key, h), None",
    ),
    "a scan over something else too": (
        f"keys = {KEYS}\ndef body(h, inputs):\n    key, t = inputs\n"
        "    return h + t * jax.random.normal(key, h.shape), h\n"
        "y, _ = jax.lax.scan(body, x, (keys, jnp.arange(3.0)))",
        f"-keys = {KEYS}\n"
        f"+keys = {MANY}\n"
        "-return h + t * jax.random.normal(key, h.shape), h\n"
        f"+return h + t * {NORMAL}(key, h), h",
    ),
    "a loop of numbers": (
        f"keys = {KEYS}\n"
        "y = jax.lax.fori_loop(0, 3, lambda i, h: h + jax.random.normal(keys[i], h.shape), x)",
        f"-keys = {KEYS}\n"
        "-y = jax.lax.fori_loop(0, 3, lambda i, h: h + jax.random.normal(keys[i], h.shape), x)\n"
        f"+keys = {MANY}\n"
        f"+y = jax.lax.fori_loop(0, 3, lambda i, h: h + {NORMAL}(keys[i], h), x)",
    ),
}


@pytest.mark.parametrize(("before", "after"), CARRIED.values(), ids=CARRIED)
def test_a_key_that_a_loop_carries_is_one_for_each_env(before: str, after: str) -> None:
    assert changes(noisy(before + END)) == after


@pytest.mark.parametrize(("before", "after"), THROUGH.values(), ids=THROUGH)
def test_keys_that_a_loop_goes_through_are_as_many_for_each_env(before: str, after: str) -> None:
    assert changes(noisy(before + END)) == after


FOLD = "jax.vmap(lambda k: jax.random.fold_in(k, i))"

COUNTED = {
    "a lambda": (
        "y = jax.lax.fori_loop(0, 3, lambda i, h: h + self.rngs.normal(h.shape), x)",
        "-y = jax.lax.fori_loop(0, 3, lambda i, h: h + self.rngs.normal(h.shape), x)\n"
        f"+y = jax.lax.fori_loop(0, 3, lambda i, h: h + {NORMAL}({FOLD}(use), h), x)",
    ),
    "a function": (
        "def body(i, h):\n    return h + jax.random.normal(self.rngs(), h.shape)\n"
        "y = jax.lax.fori_loop(0, 3, body, x)",
        "-return h + jax.random.normal(self.rngs(), h.shape)\n"
        f"+return h + {NORMAL}({FOLD}(use), h)",
    ),
    "a scan through nothing": (
        "y, _ = jax.lax.scan(lambda h, i: (h + self.rngs.normal(h.shape), h), x, None, 3)",
        "-y, _ = jax.lax.scan(lambda h, i: (h + self.rngs.normal(h.shape), h), x, None, 3)\n"
        f"+y, _ = jax.lax.scan(lambda h, i: (h + {NORMAL}({FOLD}(use), h), h), x, "
        "jax.numpy.arange(3), 3)",
    ),
    "a scan through numbers": (
        "def body(h, i):\n    return h + i * self.rngs.normal(h.shape), None\n"
        "y, _ = jax.lax.scan(body, x, jnp.arange(self.steps))",
        "-return h + i * self.rngs.normal(h.shape), None\n"
        f"+return h + i * {NORMAL}({FOLD}(use), h), None",
    ),
    "a number with the name of a key": (
        "y = jax.lax.fori_loop(0, 3, lambda k, h: h + self.rngs.normal(h.shape), x)",
        "-y = jax.lax.fori_loop(0, 3, lambda k, h: h + self.rngs.normal(h.shape), x)\n"
        f"+y = jax.lax.fori_loop(0, 3, lambda k, h: h + {NORMAL}("
        "jax.vmap(lambda k_2: jax.random.fold_in(k_2, k))(use), h), x)",
    ),
}


@pytest.mark.parametrize(("before", "after"), COUNTED.values(), ids=COUNTED)
def test_the_number_of_a_round_is_folded_into_a_key(before: str, after: str) -> None:
    assert changes(noisy(before + END)) == after


GIVEN = {
    "a helper in a loop of JAX": (
        "y = jax.lax.fori_loop(0, 3, lambda i, h: h + self.noise(h), x)",
        f"+y = jax.lax.fori_loop(0, 3, lambda i, h: h + self.noise({FOLD}(use), h), x)",
    ),
    "a helper in a comprehension": (
        "y = x + sum([self.noise(x) for _ in range(3)])",
        f"+y = x + sum([self.noise({FOLD}(use), x) for i, _ in enumerate(range(3))])",
    ),
    "a helper in a comprehension of one env": (
        "y = jax.vmap(lambda r: r + sum([self.noise(r) for _ in range(3)]))(x)",
        "+y = jax.vmap(lambda key, r: r + sum([self.noise(jax.random.fold_in(key, i), r) "
        "for i, _ in enumerate(range(3))]))(use, x)",
    ),
}


@pytest.mark.parametrize(("before", "after"), GIVEN.values(), ids=GIVEN)
def test_a_helper_in_a_loop_is_given_the_key_of_the_round(before: str, after: str) -> None:
    members = "def noise(self, x):\n    return jax.random.normal(self.rngs(), x.shape)"
    assert changes(noisy(before + END, members=members)).splitlines()[-1] == after


NO_NUMBER = "has no number for a round of it; let it carry a key"

REFUSED = {
    "a loop in a loop": (
        "y = jax.lax.fori_loop(0, 3, lambda i, h: jax.lax.fori_loop(0, 2, lambda j, g: "
        "g + self.rngs.normal(g.shape), h), x)",
        "it draws in a loop within a loop",
    ),
    "a comprehension in a loop": (
        "y = jax.lax.fori_loop(0, 3, lambda i, h: "
        "h + sum([self.rngs.normal(h.shape) for _ in range(2)]), x)",
        "it draws in a loop within a loop",
    ),
    "a number that is bound anew": (
        "def body(i, h):\n    i = 0\n    return h + self.rngs.normal(h.shape)\n"
        "y = jax.lax.fori_loop(0, 3, body, x)",
        NO_NUMBER,
    ),
    "a shape that turns": (
        "def body(i, c):\n    h, key = c\n    key, sub = jax.random.split(key)\n"
        "    return h.T + jax.random.normal(sub, h.T.shape), key\n"
        "y, _ = jax.lax.fori_loop(0, 2, body, (x, self.rngs()))",
        "which axis of `h.T.shape` counts the envs",
    ),
    "a loop over the envs": (
        "def body(c, inputs):\n    key, row = inputs\n"
        "    return c, row + jax.random.normal(key, row.shape)\n"
        "_, y = jax.lax.scan(body, 0.0, (jax.random.split(self.rngs(), x.shape[0]), x))",
        "which axis of `row.shape` counts the envs",
    ),
    "a scan that returns the nothing that it goes through": (
        "def body(h, _):\n    return h + self.rngs.normal(h.shape), _\n"
        "y, _ = jax.lax.scan(body, x, None, length=3)",
        NO_NUMBER,
    ),
    "a scan through fractions": (
        "def body(h, t):\n    return h + t * self.rngs.normal(h.shape), None\n"
        "y, _ = jax.lax.scan(body, x, jnp.arange(3.0))",
        NO_NUMBER,
    ),
    "a loop with a test": (
        "def body(c):\n    i, h = c\n    return i + 1, h + self.rngs.normal(h.shape)\n"
        "_, y = jax.lax.while_loop(lambda c: c[0] < 3, body, (0, x))",
        NO_NUMBER,
    ),
}


@pytest.mark.parametrize(("body", "reason"), REFUSED.values(), ids=REFUSED)
def test_a_loop_of_which_the_envs_are_not_seen_is_left_alone(body: str, reason: str) -> None:
    (proposal,) = proposed(noisy(body + END))
    assert not proposal.edits
    assert reason in proposal.reason
