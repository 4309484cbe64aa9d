"""Modules to lint, and where their findings stand."""

from __future__ import annotations

from support import module

DRAW = "self.rngs.normal(x.shape)"
NOISY = module("""
    class Noisy(StatefulModule):
        def __init__(self, rngs: nnx.Rngs):
            self.rngs = rngs

        def __call__(self, state, x, rollout_extras=None):
            return StatefulModuleOutput(state, x + self.rngs.normal(x.shape), 0.0, {})
""")
"""A module with one NNX101 and nothing else."""

SOUND = NOISY.replace(DRAW, "1.0")
UNKNOWN_BASE = "import acme\n" + NOISY.replace("Noisy(StatefulModule)", "Noisy(acme.Layer)")
"""`NOISY` one line further down, in a subclass of something that cannot be found."""

BROKEN = "# nnx_ppo\nx = 1\ndef f(:\n"
"""A file with a syntax error on its third line."""


def place(text: str, part: str = DRAW) -> str:
    """Line and column, both from 1, of the first occurrence of a part of a text."""
    before = text[: text.index(part)]
    return f"{before.count(chr(10)) + 1}:{len(before) - before.rfind(chr(10))}"


AT = place(NOISY)
AT_CLASS = place(UNKNOWN_BASE, "Noisy(")

ENTROPY = UNKNOWN_BASE.replace(f"x + {DRAW}, 0.0", f"x, {DRAW}.mean()")
"""`UNKNOWN_BASE` with the draw in the regularization loss, where a sampler may have it."""
