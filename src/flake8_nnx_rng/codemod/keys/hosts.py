"""Draws of the host, as draws from a key."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import libcst as cst

from flake8_nnx_rng.codemod.envs.per_env import Argument, PerEnv
from flake8_nnx_rng.codemod.refusal import RefusedError
from flake8_nnx_rng.knowledge.signatures import SHAPE


@dataclass(frozen=True)
class _Function:
    """A function of the host.

    Attributes:
        name: What it is in `jax.random`.
        parameters: What it takes, in order, by the names of `jax.random`; `size` is the shape.
        affine: How a location and a scale are put on the draw, by their parameters.
    """

    name: str
    parameters: tuple[str, ...]
    affine: tuple[str, str] | None = None


_NORMAL = _Function("normal", ("loc", "scale", "size"), ("loc", "scale"))
_UNIFORM = _Function("uniform", ("minval", "maxval", "size"))
_UNIT = _Function("uniform", ("size",))
_STANDARD = _Function("normal", ("size",))
_INTEGERS = _Function("randint", ("minval", "maxval", "size"))

_OF_SIZES = {"randn": _Function("normal", ()), "rand": _Function("uniform", ())}
"""Functions that take the sizes of a shape as their arguments."""

FUNCTIONS: dict[str, _Function] = {
    "normal": _NORMAL,
    "uniform": _UNIFORM,
    "standard_normal": _STANDARD,
    "random_sample": _UNIT,
    "random": _UNIT,
    "randint": _INTEGERS,
    "integers": _INTEGERS,
    "gauss": _Function("normal", ("loc", "scale"), ("loc", "scale")),
    "normalvariate": _Function("normal", ("loc", "scale"), ("loc", "scale")),
    "randrange": _Function("randint", ("minval", "maxval")),
    "randbelow": _Function("randint", ("maxval",)),
    **_OF_SIZES,
}
"""By last name. `random.randint` counts its upper bound in, and is left alone."""

_NAMES = {"low": "minval", "high": "maxval", "mu": "loc", "sigma": "scale", "a": "minval"}
_INCLUSIVE = "random.randint"


@dataclass(frozen=True)
class HostDraw:
    """A draw of the host in the terms of `jax.random`.

    Attributes:
        name: The function.
        given: Its arguments behind the shape.
        shape: The shape, if there is one.
        around: The location and scale of the draw.
        writer: Writes it per env.
    """

    name: str
    given: tuple[tuple[str, str], ...]
    shape: cst.BaseExpression | None
    around: Callable[[str], str]
    writer: PerEnv

    def row(self, jax: str, key: str) -> str:
        """The draw from one key."""
        shape = [] if self.shape is None else [self.writer.text(self.shape)]
        if self.shape is None and self.given and self.name == "randint":
            shape = ["()"]
        others = [f"{name}={text}" for name, text in self.given]
        return self.around(f"{jax}.random.{self.name}({', '.join([key, *shape, *others])})")

    def batch(self, jax: str, keys: str) -> str:
        """The draw from a key for each env."""
        arguments = [] if self.shape is None else [Argument(SHAPE, self.shape, False)]
        others = [f"{name}={text}" for name, text in self.given]
        return self.around(self.writer.draw(f"{jax}.random.{self.name}", arguments, keys, others))


def host_draw(writer: PerEnv, call: cst.CSTNode) -> HostDraw:
    """A call of the host's randomness.

    Raises:
        RefusedError: There is nothing like it in `jax.random`.
    """
    if not isinstance(call, cst.Call):
        raise RefusedError("the host's randomness is read without a call")
    func = call.func
    last = func.attr.value if isinstance(func, cst.Attribute) else getattr(func, "value", "")
    function = FUNCTIONS.get(str(last))
    if function is None or writer.rows.tree.canonical(func) == _INCLUSIVE:
        raise RefusedError(f"`{writer.short(func)}` is not known in jax.random")
    given: dict[str, cst.BaseExpression] = {}
    if function is _OF_SIZES.get(str(last)):
        return HostDraw(function.name, (), _sizes(call, writer), _itself, writer)
    for index, arg in enumerate(call.args):
        if arg.star or (arg.keyword is None and index >= len(function.parameters)):
            raise RefusedError(f"`{writer.short(func)}` takes its arguments from a list")
        if arg.keyword is None:
            given[function.parameters[index]] = arg.value
        else:
            given[_NAMES.get(arg.keyword.value, arg.keyword.value)] = arg.value
    if not given.keys() <= set(function.parameters):
        raise RefusedError(f"`{writer.short(call)}` is not known in jax.random")
    shape = given.pop("size", None)
    texts = {name: writer.fixed(value) for name, value in given.items()}
    around: Callable[[str], str] = _itself
    if function.affine is not None:
        around = _affine(texts.pop("loc", ""), texts.pop("scale", ""))
    if function.name == "randint":
        if "maxval" not in texts:
            texts = {"minval": "0", "maxval": texts.get("minval", "")}
        texts = {"minval": texts.get("minval", "0"), "maxval": texts["maxval"]}
    return HostDraw(function.name, tuple(texts.items()), shape, around, writer)


def _sizes(call: cst.Call, writer: PerEnv) -> cst.BaseExpression | None:
    """The shape whose sizes are the arguments of `randn(*shape)`."""
    if not call.args:
        return None
    if len(call.args) != 1 or call.args[0].star != "*":
        raise RefusedError(f"`{writer.short(call)}` takes its sizes one by one")
    return call.args[0].value


def _itself(text: str) -> str:
    return text


def _affine(location: str, scale: str) -> Callable[[str], str]:
    """Puts a location and a scale on a draw; neutral ones are left out."""

    def written(text: str) -> str:
        if scale not in ("", "1", "1.0"):
            text = f"{scale} * {text}"
        if location not in ("", "0", "0.0"):
            text = f"{location} + {text}"
        is_sum = text[:1] != "j" and (location or scale) not in ("",)
        return f"({text})" if is_sum else text

    return written
