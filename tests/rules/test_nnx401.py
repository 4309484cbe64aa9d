"""NNX401: keys that are taken out of arrays, turned, or stored, in loops and out of them."""

from __future__ import annotations

import textwrap

import pytest
from support import findings_of, marked, reported

MODULE = """
    class M({base}):
        code = 'NNX401'

        def __init__(self, rngs: nnx.Rngs):
            self.rngs, self.key, self.plain = rngs, nnx.Variable(rngs()), rngs()
            self.training = True

        def initialize_state(self, batch_size):
            return jax.random.split(self.rngs(), batch_size)

        def __call__(self, state, x, rollout_extras=None):
            def normal(k):
                return jax.random.normal(k, (2,))

            def halves(k):
                return tuple(jax.random.split(k))

            def moved():
                following, use = jax.random.split(self.key[...])
                self.key[...] = following
                return use

{body}
            return StatefulModuleOutput(state, x + noise, 0.0, {{}})
"""
SPLIT = "state, use = jax.vmap(halves)(state)\n"
EITHER = "use, other = jax.vmap(halves)(use)\nuse = use if self.training else other\n"
ROUNDS = "noise = x\nfor _ in range(2):\n    "

ONCE = {
    "in a loop over the keys": "noise = jnp.stack([normal(k) for k in use])",
    "in one over pairs": "noise = jnp.stack([normal(k) + y for k, y in zip(use, x)])",
    "turned keys": "noise = jax.vmap(normal)(jnp.roll(use, 1, axis=0))",
    "halves of turned keys": (
        "one, two = jax.vmap(halves)(jnp.roll(use, 1, axis=0))\n"
        "noise = jax.vmap(normal)(one) + jax.vmap(normal)(two)"
    ),
    "two of the keys": "noise = normal(use[0]) + normal(use[-1])",
    "one of the keys in two orders": "noise = normal(use[0]) + normal(jnp.flip(use)[0])",
    "the same place after an unknown turn": (
        "noise = x\nfor i in range(2):\n    noise = noise + normal(jnp.roll(use, i)[0])"
    ),
    "two sections": "noise = jnp.concatenate([jax.vmap(normal)(k) for k in (use[:3], use[3:])])",
    "both columns": (
        "pairs = jax.vmap(jax.random.split)(use)\n"
        "noise = jax.vmap(normal)(pairs[:, 0]) + jax.vmap(normal)(pairs[:, 1])"
    ),
    "both of each pair, one after the other": (
        "pairs = jax.vmap(jax.random.split)(use)\n"
        "noise = jnp.stack([normal(a) for a, _ in pairs]) + "
        "jnp.stack([normal(b) for _, b in pairs])"
    ),
    "halves in a loop over the keys": (
        "noise = []\nfor k in use:\n    a, b = jax.random.split(k)\n"
        "    noise.append(normal(a) + normal(b))\nnoise = jnp.stack(noise)"
    ),
    "split further in every round": (
        f"{ROUNDS}use, other = jax.vmap(halves)(use)\n    noise = noise + jax.vmap(normal)(other)"
    ),
    "either of two in each arm": f"{EITHER}noise = jax.vmap(normal)(use)",
}
STORED = {
    "in a loop": f"{ROUNDS}noise = noise + normal(moved())",
    "in one of unknown length": "noise = x\nfor _ in x:\n    noise = noise + normal(moved())",
    "in a while loop": (
        "noise, turn = x, 0\nwhile turn < 2:\n    noise = noise + normal(moved())\n    turn += 1"
    ),
    "in a loop of JAX": (
        "noise = jax.lax.fori_loop(0, 2, lambda i, y: y + normal(moved()), jnp.zeros_like(x))"
    ),
    "in a scan": (
        "noise, _ = jax.lax.scan(lambda y, _: (y + normal(moved()), 0), x, None, length=2)"
    ),
    "by its value": (
        f"{ROUNDS}self.key.value, use = jax.random.split(self.key.value)\n"
        "    noise = noise + normal(use)"
    ),
    "by set_value": (
        f"{ROUNDS}following, use = jax.random.split(self.key.get_value())\n"
        "    self.key.set_value(following)\n    noise = noise + normal(use)"
    ),
    "an attribute": (
        f"{ROUNDS}self.plain, use = jax.random.split(self.plain)\n    noise = noise + normal(use)"
    ),
    "by a helper, twice": "noise = normal(moved()) + normal(moved())",
}
AGAIN = {
    "two loops over the keys": (
        "noise = jnp.stack([normal(k) for k in use])\n"
        "noise += jnp.stack([jax.random.normal(k, (2,)) for k in use])  # NNX401"
    ),
    "a loop in a loop": f"{ROUNDS}for k in use:\n        jax.random.normal(k)  # NNX401\n",
    "a loop after a draw for all": (
        "noise = jax.vmap(normal)(use)\n"
        "noise += jnp.stack([jax.random.normal(k, (2,)) for k in use])  # NNX401"
    ),
    "a draw for all after a loop": (
        "noise = jnp.stack([normal(k) for k in use])\n"
        "noise += jax.vmap(lambda k: jax.random.normal(k, (2,)))(use)  # NNX401"
    ),
    "two draws from the key of a round": (
        "noise = jnp.stack([normal(k) + jax.random.normal(k, (2,)) for k in use])  # NNX401"
    ),
    "two loops over pairs": (
        "noise = jnp.stack([normal(k) + y for k, y in zip(use, x)])\n"
        "noise += jnp.stack([jax.random.normal(k) for _, k in enumerate(use)])  # NNX401"
    ),
    "two scans over the keys": (
        "_, noise = jax.lax.scan(lambda c, k: (c, normal(k)), 0, use)\n"
        "jax.lax.scan(lambda c, k: (c, jax.random.normal(k)), 0, use)  # NNX401"
    ),
    "a list of the keys": (
        "noise = jnp.stack([normal(k) for k in list(use)])\n"
        "for k in list(use):\n    jax.random.split(k)  # NNX401"
    ),
    "a helper that goes over the keys, twice": (
        "def each(keys):\n    return jnp.stack([jax.random.normal(k) for k in keys])  # NNX401\n\n"
        "noise = each(use) + each(use)"
    ),
    "turned keys and the keys": (
        "noise = jax.vmap(normal)(use)\n"
        "noise += jax.vmap(lambda k: jax.random.normal(k))(jnp.roll(use, 1))  # NNX401"
    ),
    "turned keys in every round": (
        f"{ROUNDS}noise += jax.vmap(lambda k: jax.random.normal(k))(jnp.flip(use))  # NNX401"
    ),
    "one of the turned keys, twice": (
        "noise = normal(jnp.roll(use, 1)[0])\njax.random.normal(jnp.roll(use, 1)[0])  # NNX401"
    ),
    "the last key, then all": (
        "noise = normal(use[-1])\njax.vmap(lambda k: jax.random.split(k))(use)  # NNX401"
    ),
    "all, then the first key": (
        "noise = jax.vmap(normal)(use)\njax.random.normal(use[0])  # NNX401"
    ),
    "one of two after a branch, in every round": (
        f"{EITHER}{ROUNDS}noise += jax.vmap(lambda k: jax.random.normal(k))(use)  # NNX401"
    ),
    "one of two after a branch, turned, in every round": (
        f"{EITHER}use = jnp.roll(use, 1)\n{ROUNDS}"
        "noise += jax.vmap(lambda k: jax.random.normal(k))(use)  # NNX401"
    ),
    "the keys come back after a loop": (
        "noise = jnp.stack([normal(k) for k in use])\n"
        "return StatefulModuleOutput(use, noise, 0.0, {})  # NNX401"
    ),
    "the keys come back turned": (
        "noise = jax.vmap(normal)(use)\n"
        "return StatefulModuleOutput(jnp.roll(use, 1), noise, 0.0, {})  # NNX401"
    ),
    "a stored key that does not move on": (
        f"{ROUNDS}noise += normal(jax.random.split(self.key[...])[0])  # NNX401"
    ),
    "a stored key that is the used one": (
        f"{ROUNDS}_, use = jax.random.split(self.key[...])  # NNX401\n"
        "    self.key[...] = use\n    noise += normal(use)"
    ),
}


def module(body: str, base: str = "StatefulModule") -> str:
    return MODULE.format(base=base, body=textwrap.indent(SPLIT + body, 12 * " "))


@pytest.mark.parametrize("body", [*ONCE.values(), *STORED.values()], ids=[*ONCE, *STORED])
def test_keys_that_are_used_once_are_not_reported(body: str) -> None:
    assert reported(module(body), "NNX401") == []


@pytest.mark.parametrize("body", AGAIN.values(), ids=AGAIN)
def test_a_key_that_is_used_again_is_reported_there(body: str) -> None:
    code = module(body)
    assert reported(code, "NNX401") == marked(code)


CALLED = {
    "a local name": ("k = jax.vmap(jax.random.split)(state)[:, 0]", "k", "k"),
    "an item": ("k = jax.vmap(jax.random.split)(state)", "k[:, 0]", "k[:, 0]"),
    "another name of the carry": ("k = state", "k", "state"),
}


@pytest.mark.parametrize("name", CALLED)
def test_the_key_goes_by_its_place_or_its_expression(name: str) -> None:
    before, key, called = CALLED[name]
    findings = findings_of(f"""
        class M(StatefulModule):  # NNX401
            def __call__(self, state, x, rollout_extras=None):
                {before}
                a = jax.random.split({key}, 3)
                b = jax.random.split({key}, 4)
                return StatefulModuleOutput(a[:, 0], x, 0.0, {{}})
    """)
    (text,) = [finding.text for finding in findings if finding.code == "NNX401"]
    assert f": key {called} is split and was split before" in text


def test_a_stored_key_that_is_split_for_nothing_is_the_same_in_the_next_step() -> None:
    used = "following, use = jax.random.split(self.key[...])\n"
    noise = "noise = 0.0\n"
    kept = MODULE.format(base="StatefulModule", body=textwrap.indent(used + noise, 12 * " "))
    moved = "self.key[...] = following\n"
    written = MODULE.format(
        base="StatefulModule", body=textwrap.indent(used + moved + noise, 12 * " ")
    )
    assert [code for code, _ in reported(kept)] == ["NNX401"]
    assert "NNX401" not in [code for code, _ in reported(written)]


def test_a_stored_key_may_seed_every_initial_state() -> None:
    code = MODULE.format(
        base="StatefulModule", body=textwrap.indent(SPLIT + "noise = 0.0", 12 * " ")
    )
    seeded = code.replace("split(self.rngs(), batch_size)", "split(self.key[...], batch_size)")
    assert seeded != code
    assert reported(seeded) == []
