"""Which control flow a draw stands in, where it is reached, and what the sample reaches."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Control:
    """Control flow around a draw.

    Attributes:
        text: Statements that leave the sample in `noise$n`, from statements `$before` and an
            expression `$noise`.
        init: Statements of the constructor.
    """

    text: str
    init: str = ""


_TRAINING = "self.training = True"

CONTROLS: Mapping[str, Control] = {
    "straight": Control("$before\nnoise$n = $noise"),
    "flag": Control(
        "noise$n = jnp.zeros_like(x)\nif self.training:\n    $before\n    noise$n = $noise",
        _TRAINING,
    ),
    "else": Control(
        "if not self.training:\n    noise$n = jnp.zeros_like(x)\n"
        "else:\n    $before\n    noise$n = $noise",
        _TRAINING,
    ),
    "static shape": Control(
        "if x.ndim == 2:\n    $before\n    noise$n = $noise\nelse:\n    noise$n = jnp.zeros_like(x)"
    ),
    "for": Control(
        "noise$n = jnp.zeros_like(x)\nfor _ in range(2):\n    $before\n"
        "    noise$n = noise$n + $noise"
    ),
    "for, once": Control("for _ in range(1):\n    $before\n    noise$n = $noise"),
    "while": Control(
        "turn$n, noise$n = 0, jnp.zeros_like(x)\nwhile turn$n < 2:\n    $before\n"
        "    noise$n = noise$n + $noise\n    turn$n += 1"
    ),
    "comprehension": Control("$before\nnoise$n = sum([$noise for _ in range(2)])"),
    "ternary": Control("$before\nnoise$n = $noise if self.training else 0.0 * x", _TRAINING),
    "walrus": Control("$before\nif (noise$n := $noise) is None:\n    noise$n = x"),
    "try": Control(
        "try:\n    $before\n    noise$n = $noise\nexcept ZeroDivisionError:\n    noise$n = x"
    ),
    "finally": Control("noise$n = x\ntry:\n    pass\nfinally:\n    $before\n    noise$n = $noise"),
    "with": Control("with jax.named_scope('noise'):\n    $before\n    noise$n = $noise"),
    "match": Control(
        "match x.ndim:\n    case 2:\n        $before\n        noise$n = $noise\n"
        "    case _:\n        noise$n = x"
    ),
    "inner function": Control(
        "def drawn$n():\n    $before\n    return $noise\n\nnoise$n = drawn$n()"
    ),
    "early return": Control(
        "def drawn$n(x):\n    if x.ndim == 1:\n        return x\n    $before\n    return $noise\n\n"
        "noise$n = drawn$n(x)"
    ),
    "guarded": Control(
        "noise$n = None\nif self.training and self.rate > 0:\n    $before\n    noise$n = $noise\n"
        "if noise$n is None:\n    noise$n = jnp.zeros_like(x)",
        f"{_TRAINING}\nself.rate = 0.5",
    ),
    "lambda": Control("$before\ndrawn$n = lambda: $noise\nnoise$n = drawn$n()"),
    "jit": Control(
        "@jax.jit\ndef drawn$n(x):\n    $before\n    return $noise\n\nnoise$n = drawn$n(x)"
    ),
    "checkpoint": Control(
        "def drawn$n(x):\n    $before\n    return $noise\n\nnoise$n = jax.checkpoint(drawn$n)(x)"
    ),
    "cond": Control(
        "def drawn$n(x):\n    $before\n    return $noise\n\n"
        "noise$n = jax.lax.cond(jnp.all(x < 1e9), drawn$n, jnp.zeros_like, x)"
    ),
    "scan": Control(
        "def drawn$n(total, _):\n    $before\n    return total + $noise, None\n\n"
        "noise$n, _ = jax.lax.scan(drawn$n, jnp.zeros_like(x), None, length=2)"
    ),
    "fori_loop": Control(
        "def drawn$n(_, total):\n    $before\n    return total + $noise\n\n"
        "noise$n = jax.lax.fori_loop(0, 2, drawn$n, jnp.zeros_like(x))"
    ),
    "where": Control("$before\nnoise$n = jnp.where(x < 1e9, $noise, 0.0)"),
    "tuple": Control("$before\nnoise$n, _ = ($noise, x)"),
    "dict": Control("$before\nfound$n = {'noise': $noise, 'x': x}\nnoise$n = found$n['noise']"),
    "list": Control("found$n = []\n$before\nfound$n.append($noise)\nnoise$n = found$n[0]"),
}
"""By name."""


@dataclass(frozen=True)
class Reach:
    """Where a draw is reached.

    Attributes:
        call: Statements of the forward pass that leave the sample in `noise$n`; `$block` are the
            statements of the draw, `$args` what it is called with: the input and, if what is drawn
            from is carried, that too.
        members: Members of the class.
        init: Statements of its constructor.
        top: What stands in the file before it; `$init` the constructor's statements of the draw.
        other: What stands in another file.
        base: The class that the module derives from, `$base` being its own base.
        owner: What the draw's `self` is called.
        moved: Whether the constructor's statements of the draw stand in `top` or `other`.
        handle: What the source is called where it is handed on, as `$h`; nothing if it is not.
    """

    call: str
    members: str = ""
    init: str = ""
    top: str = ""
    other: str = ""
    base: str = ""
    owner: str = "self"
    moved: bool = False
    handle: str = ""


_METHOD = "def draw$n(self, $args):\n    $block\n    return noise$n"
_FUNCTION = "def draw$n($args):\n    $block\n    return noise$n"
_BASE = (
    "class Base$n($base):\n    def __init__(self, $parameter):\n        self.made$n = True\n"
    "        $init\n\n    def draw$n(self, $args):\n        $block\n        return noise$n"
)
_CHILD = (
    "class Child$n(nnx.Module):\n    def __init__(self, $parameter):\n        self.made = True\n"
    "        $init\n\n    def __call__(self, $args):\n        $block\n        return noise$n"
)
_BY_METHOD = "noise$n = self.draw$n($args)"

REACHES: Mapping[str, Reach] = {
    "directly": Reach("$block"),
    "a helper": Reach(_BY_METHOD, _METHOD),
    "two helpers": Reach(
        "noise$n = self.outer$n($args)",
        f"def outer$n(self, $args):\n    return self.draw$n($args)\n\n{_METHOD}",
    ),
    "a helper by keyword": Reach("noise$n = self.draw$n($keywords)", _METHOD),
    "a bound helper": Reach("draw$n = self.draw$n\nnoise$n = draw$n($args)", _METHOD),
    "a property": Reach(
        "noise$n = self.drawing$n($args)",
        "@property\ndef drawing$n(self):\n    def draw$n($args):\n        $block\n"
        "        return noise$n\n\n    return draw$n",
    ),
    "a base class": Reach(
        _BY_METHOD, init="super().__init__(rngs)", top=_BASE, base="Base$n", moved=True
    ),
    "a base class of another file": Reach(
        _BY_METHOD, init="super().__init__(rngs)", other=_BASE, base="Base$n", moved=True
    ),
    "a mixin": Reach(
        _BY_METHOD,
        top="class Mixin$n:\n    def draw$n(self, $args):\n        $block\n        return noise$n",
        base="Mixin$n, $base",
    ),
    "a child": Reach(
        "noise$n = self.child$n($args)",
        init="self.child$n = Child$n(rngs)",
        top=_CHILD,
        moved=True,
    ),
    "a child of another file": Reach(
        "noise$n = self.child$n($args)",
        init="self.child$n = Child$n(rngs)",
        other=_CHILD,
        moved=True,
    ),
    "a nested function": Reach(
        "def draw$n($args):\n    $block\n    return noise$n\n\nnoise$n = draw$n($args)"
    ),
    "a function given the module": Reach(
        "noise$n = draw$n(self, $args)",
        top="def draw$n(module, $args):\n    $block\n    return noise$n",
        owner="module",
    ),
    "a function of another file given the module": Reach(
        "noise$n = draw$n(self, $args)",
        other="def draw$n(module, $args):\n    $block\n    return noise$n",
        owner="module",
    ),
    "a function given the source": Reach(
        "noise$n = draw$n(x, $h)",
        top="def draw$n(x, source):\n    $block\n    return noise$n",
        handle="source",
    ),
    "a function of another file given the source": Reach(
        "noise$n = draw$n(x, source=$h)",
        other="def draw$n(x, source):\n    $block\n    return noise$n",
        handle="source",
    ),
    "a helper given the source": Reach(
        "noise$n = self.draw$n(x, $h)",
        "def draw$n(self, x, source):\n    $block\n    return noise$n",
        handle="source",
    ),
    "a static method given the source": Reach(
        "noise$n = self.draw$n(x, $h)",
        "@staticmethod\ndef draw$n(x, source):\n    $block\n    return noise$n",
        handle="source",
    ),
    "a partial of a helper": Reach("noise$n = functools.partial(self.draw$n, $args)()", _METHOD),
    "nothing": Reach("noise$n = jnp.tanh(x)", _METHOD),
}
"""By name."""


@dataclass(frozen=True)
class Sink:
    """What a sample reaches.

    Attributes:
        text: Statements on the output `y`, the loss, the metrics or the memory.
        memory: Whether it keeps something in a part `memory` of the carry.
        init: Statements of the constructor.
    """

    text: str
    memory: bool = False
    init: str = ""


SINKS: Mapping[str, Sink] = {
    "output": Sink("y = y + noise$n"),
    "output, no gradient": Sink("y = y + jax.lax.stop_gradient(noise$n)"),
    "output, scaled": Sink(
        "y = y + self.scale[...] * noise$n", init="self.scale = nnx.Param(jnp.ones(2))"
    ),
    "output, chosen": Sink("y = jnp.where(noise$n > 0.1, y, 0.5 * y)"),
    "output, by a layer": Sink(
        "y = self.dense(y + noise$n)", init="self.dense = nnx.Linear(2, 2, rngs=rngs)"
    ),
    "loss": Sink("loss = loss + jnp.mean(noise$n ** 2, axis=-1)"),
    "loss of the batch": Sink("loss = loss + jnp.mean(noise$n ** 2)"),
    "metrics": Sink("metrics = {**metrics, 'noise$n': noise$n}"),
    "memory, read later": Sink("y = y + memory\nmemory = 0.5 * memory + noise$n", memory=True),
    "memory, never read": Sink("memory = 0.5 * memory + noise$n", memory=True),
    "nothing": Sink("del noise$n"),
    "its shape": Sink("y = y + noise$n.shape[-1]"),
}
"""By name."""
