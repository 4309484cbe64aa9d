"""Names that a function takes from outside of it are neither read as keys nor bound anew."""

from __future__ import annotations

import pytest

from ..rewriting import changes, noisy

END = "\nreturn StatefulModuleOutput(state, y, 0.0, {})"
KEY = "KEY = jax.random.key(0)\n"
NORMAL = "jax.vmap(lambda k, row: jax.random.normal(k, row.shape))"

GLOBALS = {
    "a key that moves on": (
        "global KEY\nKEY, u = jax.random.split(KEY)\ny = x + jax.random.normal(u, x.shape)",
        "-KEY, u = jax.random.split(KEY)\n"
        "-y = x + jax.random.normal(u, x.shape)\n"
        "+state, u = jax.vmap(lambda k: tuple(jax.random.split(k)))(state)\n"
        f"+y = x + {NORMAL}(u, x)",
    ),
    "a key that is drawn from afterwards": (
        "global KEY\nKEY = jax.random.split(KEY)[0]\ny = x + jax.random.normal(KEY, x.shape)",
        "-KEY = jax.random.split(KEY)[0]\n"
        "-y = x + jax.random.normal(KEY, x.shape)\n"
        f"+y = x + {NORMAL}(use, x)",
    ),
    "a name that would be chosen": (
        "global use\ny = x + self.rngs.normal(x.shape)",
        "+state, use_2 = jax.vmap(lambda k: tuple(jax.random.split(k)))(state)\n"
        "-y = x + self.rngs.normal(x.shape)\n"
        f"+y = x + {NORMAL}(use_2, x)",
    ),
    "a name that a function inside takes": (
        "def count():\n    global use\n    use = 1\ncount()\ny = x + self.rngs.normal(x.shape)",
        "+state, use_2 = jax.vmap(lambda k: tuple(jax.random.split(k)))(state)\n"
        "-y = x + self.rngs.normal(x.shape)\n"
        f"+y = x + {NORMAL}(use_2, x)",
    ),
}


@pytest.mark.parametrize(("before", "after"), GLOBALS.values(), ids=GLOBALS)
def test_a_name_from_outside_stays_there(before: str, after: str) -> None:
    lines = [*after.splitlines()]
    found = changes(noisy(before + END, before=KEY)).splitlines()
    assert sorted(found) == sorted(lines)
