"""What the carry holds: how its keys start, move on and are reset, and what it is built of.

`$k` stands for a slot of the carry, `$u` for what is drawn from, `$n` for the number of the noise.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from .dimensions_keys import Kind


@dataclass(frozen=True)
class Advance:
    """How a pass gets a key for use out of what is carried.

    Attributes:
        before: Statements before the draw.
        after: Statements after it.
        gives: What `$u` is then.
        slots: The carried parts besides the key `$k`, by name with their start.
        init: Statements of the constructor.
        key: Whether there is a key among them.
    """

    before: str
    after: str = ""
    gives: Kind = Kind.KEYS
    slots: Mapping[str, str] = field(default_factory=dict)
    init: str = ""
    key: bool = True


_SPLIT = "$k, $u = jax.vmap(lambda k: tuple(jax.random.split(k)))($k)"
_STEPS = {"step$n": "jnp.zeros(batch_size, jnp.int32)"}

ADVANCES: Mapping[str, Advance] = {
    "split": Advance(_SPLIT),
    "split as an array": Advance(
        "pair$n = jax.vmap(jax.random.split)($k)\n$k, $u = pair$n[:, 0], pair$n[:, 1]"
    ),
    "split in three": Advance("$k, $u, _ = jax.vmap(lambda k: tuple(jax.random.split(k, 3)))($k)"),
    "split by a function": Advance(
        "def halves$n(k):\n    a, b = jax.random.split(k)\n    return a, b\n\n"
        "$k, $u = jax.vmap(halves$n)($k)"
    ),
    "split by nnx.vmap": Advance("$k, $u = nnx.vmap(lambda k: tuple(jax.random.split(k)))($k)"),
    "split late": Advance(
        "$u = jax.vmap(lambda k: jax.random.split(k)[1])($k)",
        "$k = jax.vmap(lambda k: jax.random.split(k)[0])($k)",
    ),
    "drawn, then split": Advance("$u = $k", "$k = jax.vmap(lambda k: jax.random.split(k)[0])($k)"),
    "unchanged": Advance("$u = $k"),
    "split, old one back": Advance("_, $u = jax.vmap(lambda k: tuple(jax.random.split(k)))($k)"),
    "used one back": Advance(f"{_SPLIT}\n$k = $u"),
    "folded twice": Advance(
        "$u = jax.vmap(lambda k: jax.random.fold_in(k, 1))($k)",
        "$k = jax.vmap(lambda k: jax.random.fold_in(k, 2))($k)",
    ),
    "folded and split": Advance(
        "$u = jax.vmap(lambda k: jax.random.fold_in(k, 0))($k)",
        "$k = jax.vmap(lambda k: jax.random.split(k)[0])($k)",
    ),
    "first env's": Advance(f"{_SPLIT}\n$u = $u[0]", gives=Kind.KEY),
    "split of the first env's": Advance(f"{_SPLIT}\n$u = jax.random.split($u[0], x.shape[0])"),
    "neighbour's": Advance(f"{_SPLIT}\n$u = jnp.roll($u, 1, axis=0)"),
    "under a flag": Advance(
        f"if self.training$n:\n    {_SPLIT}\nelse:\n    $u = $k", init="self.training$n = True"
    ),
    "key and counter": Advance(
        "$u = jax.vmap(jax.random.fold_in)($k, step$n)", "step$n = step$n + 1", slots=_STEPS
    ),
    "key and stuck counter": Advance("$u = jax.vmap(jax.random.fold_in)($k, step$n)", slots=_STEPS),
    "stored key, env and counter": Advance(
        "$u = jax.vmap(lambda e, s: jax.random.fold_in("
        "jax.random.fold_in(self.base$n[...], e), s))(env$n, step$n)",
        "step$n = step$n + 1",
        slots={"env$n": "jnp.arange(batch_size)", **_STEPS},
        init="self.base$n = nnx.Variable(rngs())",
        key=False,
    ),
    "stored key and counter": Advance(
        "$u = jax.vmap(lambda s: jax.random.fold_in(self.base$n[...], s))(step$n)",
        "step$n = step$n + 1",
        slots=_STEPS,
        init="self.base$n = nnx.Variable(rngs())",
        key=False,
    ),
}
"""By name."""

SEEDS: Mapping[str, str] = {
    "split": "jax.random.split(self.rngs(), batch_size)",
    "split of a named stream": "jax.random.split(self.rngs.noise(), batch_size)",
    "split of a constant": "jax.random.split(jax.random.key(3), batch_size)",
    "folded": (
        "jax.vmap(lambda i: jax.random.fold_in(jax.random.key(5), i))(jnp.arange(batch_size))"
    ),
    "drawn in a loop": "jnp.stack([self.rngs() for _ in range(batch_size)])",
    "raw": "jax.random.key_data(jax.random.split(self.rngs(), batch_size))",
    "one for all": "jnp.broadcast_to(self.rngs(), (batch_size,))",
    "one in a list": "jnp.stack([self.rngs()] * batch_size)",
    "a scalar": "self.rngs()",
    "of zeros": "jax.vmap(jax.random.key)(jnp.zeros(batch_size, jnp.int32))",
    "of rbg": "jax.random.split(jax.random.key(0, impl='rbg'), batch_size)",
}
"""What `initialize_state` puts in the place of a key."""


@dataclass(frozen=True)
class Reset:
    """What `reset_state` does with the parts of the carry.

    Attributes:
        key: A key of it, `$k`; nothing if it passes.
        memory: Another part of it, `$k`; nothing if it passes.
        whole: What it returns, if it does not look at the parts.
    """

    key: str = ""
    memory: str = ""
    whole: str = ""


RESETS: Mapping[str, Reset | None] = {
    "missing": None,
    "passed": Reset(whole="prev_state"),
    "rebuilt": Reset(memory="jnp.zeros_like($k)"),
    "part by part": Reset(),
    "zeros": Reset(whole="jax.tree.map(jnp.zeros_like, prev_state)"),
    "folded": Reset(key="jnp.vectorize(lambda k: jax.random.fold_in(k, 0))($k)"),
    "folded, flat": Reset(key="jax.random.fold_in($k, 0)"),
    "folded, mapped": Reset(key="jax.vmap(lambda k: jax.random.fold_in(k, 0))($k)"),
    "a constant": Reset(key="jnp.broadcast_to(jax.random.key(0), $k.shape)"),
    "memory drawn": Reset(memory="jax.random.normal(self.rngs(), $k.shape)"),
    "split from the streams": Reset(key="jax.random.split(self.rngs(), $k.shape)"),
}
"""By name; no such method for None."""


@dataclass(frozen=True)
class Structure:
    """What a carry is built of.

    Attributes:
        pack: The expression, with `$each` for its parts.
        each: One part in it: `$k` is its name, `$v` its value.
        unpack: Statements that name the parts of `$whole`: one for all of them, as `$names`, or
            one for each.
        top: What stands in the file for it, with `$fields`.
        single: Whether it is for one part alone.
    """

    pack: str
    each: str
    unpack: str
    top: str = ""
    single: bool = False


STRUCTURES: Mapping[str, Structure] = {
    "bare": Structure("$each", "$v", "$k = $whole", single=True),
    "tuple": Structure("($each,)", "$v", "($names,) = $whole"),
    "dict": Structure("{$each}", "'$k': $v", "$k = $whole['$k']"),
    "named tuple": Structure(
        "Carry($each)", "$k=$v", "$k = $whole.$k", "class Carry(NamedTuple):\n    $fields"
    ),
    "dataclass": Structure(
        "Carry($each)",
        "$k=$v",
        "$k = $whole.$k",
        "@jax.tree_util.register_dataclass\n@dataclass(frozen=True)\nclass Carry:\n    $fields",
    ),
    "nested": Structure("{'inner': ($each,)}", "$v", "($names,) = $whole['inner']"),
}
"""By name."""


def packed(structure: Structure, parts: Mapping[str, str]) -> str:
    """The carry of some parts by name."""
    each = ", ".join(
        structure.each.replace("$k", name).replace("$v", value) for name, value in parts.items()
    )
    return structure.pack.replace("$each", each)


def unpacked(structure: Structure, names: Sequence[str], whole: str) -> str:
    """Statements that name the parts of a carry."""
    text = structure.unpack.replace("$whole", whole)
    if "$names" in text:
        return text.replace("$names", ", ".join(names))
    return "\n".join(text.replace("$k", name) for name in names)
