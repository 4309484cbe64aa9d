"""What a module that carries keys can do wrong with them: texts of its class, and their faults."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Carrying:
    """The texts of a class that samples from carried keys.

    Attributes:
        draw: The draw from the keys.
        keys: The keys that it draws from.
        size: The number of a row's values.
        batch: The shape of all rows.
        before: The keys that came in.
        returned: Where the next keys are returned, with `{}` for them, and their name.
        seed: How the first keys are made.
        reset: How a reset passes keys on, with `{}` for them, and the keys; None if inherited.
    """

    draw: str
    keys: str
    size: str
    batch: str
    before: str
    returned: tuple[str, str]
    seed: str
    reset: tuple[str, str] | None


Changes = tuple[tuple[str, str], ...]

_DRAW: Mapping[str, tuple[str, str]] = {
    "one env's key for all": ("jax.random.normal({keys}[0], {batch})", "NNX203"),
    "the last env's key for all": ("jax.random.normal({keys}[-1], {batch})", "NNX203"),
    "one env's noise for all": ("jax.random.normal({keys}[0], ({size},))", "NNX203"),
    "one env's key split for all": (
        "jax.vmap(lambda k: jax.random.normal(k, ({size},)))"
        "(jax.random.split({keys}[0], {batch}[0]))",
        "NNX203",
    ),
    "the neighbour's key": (
        "jax.vmap(lambda k: jax.random.normal(k, ({size},)))(jax.numpy.roll({keys}, 1))",
        "NNX203",
    ),
    "all envs' keys in the reverse order": (
        "jax.vmap(lambda k: jax.random.normal(k, ({size},)))({keys}[::-1])",
        "NNX203",
    ),
    "a key folded from one env's": (
        "jax.vmap(lambda i: jax.random.normal(jax.random.fold_in({keys}[0], i), ({size},)))"
        "(jax.numpy.arange({batch}[0]))",
        "NNX203",
    ),
    "an env's key by an attribute": (
        "jax.random.normal({keys}[int(self.rng is None)], {batch})",
        "NNX203",
    ),
    "the place in the batch folded in": (
        "jax.vmap(lambda k, i: jax.random.normal(jax.random.fold_in(k, i), ({size},)))"
        "({keys}, jax.numpy.arange({batch}[0]))",
        "NNX203",
    ),
}

_SEED: Mapping[str, tuple[str, str]] = {
    "one key repeated": ("jax.numpy.broadcast_to(self.rng(), (batch_size,))", "NNX202"),
    "one key in a list": ("jax.numpy.stack([self.rng()] * batch_size)", "NNX202"),
    "one key tiled": ("jax.numpy.tile(self.rng()[None], (batch_size,))", "NNX202"),
    "one key": ("self.rng()", "NNX202"),
    "one key filled in": ("jax.numpy.full((batch_size,), self.rng())", "NNX202"),
    "keys of zeros": ("jax.vmap(jax.random.key)(jax.numpy.zeros(batch_size, int))", "NNX202"),
    "keys of rbg": (
        "jax.random.split(jax.random.key(0, impl='rbg'), batch_size)",
        "NNX206",
    ),
    "keys of unsafe_rbg": (
        "jax.random.split(jax.random.key(0, impl='unsafe_rbg'), batch_size)",
        "NNX206",
    ),
    "keys of a stream of rbg": (
        "jax.random.split(nnx.Rngs(jax.random.key(0, impl='rbg'))(), batch_size)",
        "NNX206",
    ),
}

_RESET: Mapping[str, tuple[str, str]] = {
    "keys of zeros": (
        "jax.random.wrap_key_data(jax.numpy.zeros_like(jax.random.key_data({keys})))",
        "NNX204",
    ),
    "zeros by tree.map": ("jax.tree.map(jax.numpy.zeros_like, {keys})", "NNX204"),
    "a constant key": ("jax.numpy.broadcast_to(jax.random.key(0), {keys}.shape)", "NNX204"),
    "a key from a stream": ("jax.random.split(self.rng(), {keys}.shape)", "NNX402"),
    "a fold of all keys": ("jax.random.fold_in({keys}, 0)", "NNX207"),
    "a map over one key": ("jax.vmap(lambda k: jax.random.fold_in(k, 0))({keys})", "NNX207"),
    "a product with zero": (
        "jax.random.wrap_key_data(jax.random.key_data({keys}) * 0)",
        "NNX204",
    ),
}


def faults(text: Carrying) -> dict[str, tuple[Changes, str]]:
    """By name the changes of a class's texts, and the rule that should speak."""
    names = {"keys": text.keys, "batch": text.batch, "size": text.size}
    found: dict[str, tuple[Changes, str]] = {}
    for name, (draw, code) in _DRAW.items():
        found[name] = (((text.draw, draw.format(**names)),), code)
    for name, (seed, code) in _SEED.items():
        found[f"started with {name}"] = (((text.seed, seed),), code)
    if text.reset is not None:
        place, keys = text.reset
        for name, (reset, code) in _RESET.items():
            change = (place.format(keys), place.format(reset.format(keys=keys)))
            found[f"reset to {name}"] = ((change,), code)
    place, following = text.returned
    back = (place.format(following), place.format(text.before))
    found["keys returned unchanged"] = ((back,), "NNX201")
    return found
