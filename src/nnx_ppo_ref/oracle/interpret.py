"""Evaluates a trace one equation at a time, so that every draw in it is seen.

Each value travels with what it depends on. A draw's result depends on that draw alone, not on
what its key came from: noise is judged by its bits, so whether two draws of the same bits had
keys of different history does not matter.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from nnx_ppo_ref.keys import is_key_type
from nnx_ppo_ref.oracle import arithmetic, jaxprs, threefry
from nnx_ppo_ref.oracle.draws import Dependencies, Draw, Recorder, union


class Value(NamedTuple):
    """An array and what it depends on."""

    array: Any
    depends: Dependencies = 0


def is_value(leaf: Any) -> bool:
    """Whether a node of a PyTree is a leaf of it."""
    return isinstance(leaf, Value)


def dependencies(values: Iterable[Value]) -> Dependencies:
    """What any of the values depends on."""
    return union(value.depends for value in values)


@dataclasses.dataclass(frozen=True)
class Frame:
    """Where the evaluation stands.

    Attributes:
        recorder: Takes the draws.
        host: Paths of constants that the host drew while tracing.
        path: The path of the jaxpr being evaluated.
        outer: The equations around it, outermost first.
        looped: Whether one of them is a `while`.
    """

    recorder: Recorder
    host: frozenset[tuple[Any, ...]] = frozenset()
    path: tuple[Any, ...] = ()
    outer: tuple[Any, ...] = ()
    looped: bool = False

    def inside(self, index: int, equation: Any, name: str, looped: bool = False) -> Frame:
        """The frame of a jaxpr in an equation's parameters."""
        return dataclasses.replace(
            self,
            path=(*self.path, index, name),
            outer=(*self.outer, equation),
            looped=self.looped or looped,
        )


def evaluate(jaxpr: Any, arguments: Sequence[Value], frame: Frame) -> list[Value]:
    """The results of a jaxpr, closed or open, for concrete arguments."""
    inner, constants = jaxprs.open_jaxpr(jaxpr)
    known: dict[Any, Value] = dict(zip(inner.invars, arguments, strict=True))
    for number, (variable, constant) in enumerate(zip(inner.constvars, constants, strict=True)):
        value = Value(jaxprs.to_numpy(constant))
        known[variable] = _drawn_by_host(value, frame, ("constant", number))

    def read(atom: Any, *place: Any) -> Value:
        if jaxprs.is_literal(atom):
            return _drawn_by_host(Value(np.asarray(atom.val)), frame, place)
        return known[atom]

    for index, equation in enumerate(inner.eqns):
        operands = [
            read(atom, index, "literal", operand) for operand, atom in enumerate(equation.invars)
        ]
        results = _step(index, equation, operands, frame)
        known.update(zip(equation.outvars, results, strict=True))
    return [read(atom, "result", "literal", operand) for operand, atom in enumerate(inner.outvars)]


def _step(index: int, equation: Any, operands: list[Value], frame: Frame) -> list[Value]:
    name = equation.primitive.name
    if name in _CONTROL:
        return _CONTROL[name](index, equation, operands, frame)
    sub = jaxprs.inlined(equation)
    if sub is not None:
        return evaluate(sub, operands, frame.inside(index, equation, _first_name(equation)))
    arrays = _compute(equation, [operand.array for operand in operands])
    if name in jaxprs.CONSUMERS and frame.recorder.consumed is not None:
        keys = threefry.as_words(operands[0].array)
        frame.recorder.consumed.update(row.tobytes() for row in keys.reshape(-1, keys.shape[-1]))
    if name in ("random_split", "random_fold_in", "random_seed"):
        frame.recorder.derive(name, operands[0].array, arrays[0])
    if name in jaxprs.CALLBACKS and not _repeats(equation, operands, arrays):
        return _draw(index, equation, operands, arrays, frame)
    if name in jaxprs.DRAWS or name == "random_unwrap":
        return _draw(index, equation, operands, arrays, frame)
    if name in arithmetic.ROUNDING and not _is_exact(name, arrays):
        frame.recorder.roundings += 1
    depends = _SELECTIVE.get(name, dependencies)(operands)
    if name == "select_n":
        return [_chosen(Value(arrays[0], depends), operands[0].depends)]
    return [Value(array, depends) for array in arrays]


def _chosen(value: Value, choice: Dependencies) -> Value:
    """A value that a condition chose depends on the condition; a key only on what it came from."""
    if threefry.holds_keys(value.array):
        return value
    return Value(value.array, value.depends | choice)


def _repeats(equation: Any, operands: list[Value], arrays: list[np.ndarray]) -> bool:
    """Whether the host answers the same again: if not, the answer is noise."""
    again = _compute(equation, [operand.array for operand in operands])
    return all(x.tobytes() == y.tobytes() for x, y in zip(arrays, again, strict=True))


def _first_name(equation: Any) -> str:
    return next(name for name, _ in jaxprs.inner_jaxprs(equation))


def _compute(equation: Any, arrays: list[np.ndarray]) -> list[np.ndarray]:
    """The equation's results in NumPy where there is a rule, else by JAX."""
    name = equation.primitive.name
    rule = _KEY_RULES.get(name)
    if rule is not None and jaxprs.is_threefry(_key_aval(equation).dtype):
        return [np.asarray(rule(equation, *arrays))]
    plain = arithmetic.RULES.get(name)
    if plain is not None:
        try:
            results = arithmetic.apply(plain, arrays, equation.params)
        except NotImplementedError:
            return jaxprs.bind(equation, arrays)
        return [_typed(r, v.aval) for r, v in zip(results, equation.outvars, strict=True)]
    return jaxprs.bind(equation, arrays)


def _is_exact(name: str, results: list[np.ndarray]) -> bool:
    """Whether sums were taken in more digits than the result has."""
    return name in arithmetic.RULES and all(array.dtype.itemsize < 8 for array in results)


def _typed(array: np.ndarray, aval: Any) -> np.ndarray:
    if is_key_type(aval.dtype) or array.dtype == aval.dtype:
        return array
    return array.astype(aval.dtype)


def _key_aval(equation: Any) -> Any:
    """The key among operands and results: a result only where keys are made from raw words."""
    candidates = (*equation.invars[:1], *equation.outvars)
    return next((v.aval for v in candidates if is_key_type(v.aval.dtype)), candidates[0].aval)


_KEY_RULES: Mapping[str, Callable[..., np.ndarray]] = {
    "random_bits": lambda eqn, keys: threefry.bits(
        keys, tuple(eqn.params["shape"]), eqn.params["bit_width"]
    ),
    "random_split": lambda eqn, keys: threefry.split(keys, tuple(eqn.params["shape"])),
    "random_fold_in": lambda eqn, keys, data: threefry.fold_in(keys, data),
    "random_gamma": lambda eqn, keys, shape: threefry.gamma(keys, shape, eqn.params["log_space"]),
    "random_wrap": lambda eqn, words: threefry.as_keys(words),
    "random_unwrap": lambda eqn, keys: threefry.as_words(keys),
}
"""Primitives on typed keys of the default implementation."""


def _selected(operands: Sequence[Value]) -> Dependencies:
    """A selection by constants depends on what they choose."""
    which, *cases = operands
    if which.depends == 0 and which.array.size:
        numbers = np.unique(which.array.astype(int))
        cases = [cases[number] for number in numbers]
    return dependencies(cases)


def _multiplied(operands: Sequence[Value]) -> Dependencies:
    """A product with a constant zero depends on nothing: such as noise that is switched off."""
    if any(o.depends == 0 and not np.any(o.array) for o in operands):
        return 0
    return dependencies(operands)


_SELECTIVE: Mapping[str, Callable[[Sequence[Value]], Dependencies]] = {
    "select_n": _selected,
    "mul": _multiplied,
}


def _draw(
    index: int,
    equation: Any,
    operands: Sequence[Value],
    arrays: Sequence[np.ndarray],
    frame: Frame,
) -> list[Value]:
    recorder = frame.recorder
    site = (*frame.path, index)
    env = recorder.owner(operands[0].array) if operands and not operands[0].array.ndim else None
    if recorder.alter is not None:
        arrays = [recorder.alter(recorder, site, array, env) for array in arrays]
    name = equation.primitive.name
    words = arrays[-1]
    if name == "random_gamma":
        # Gamma variates depend on the shape parameter too, which is arithmetic: what is compared is
        # which number of which key they are.
        words = threefry.numbered(operands[0].array, words.shape)
    equations = (*frame.outer, equation)
    draw = Draw(
        step=recorder.step,
        phase=recorder.phase,
        site=site,
        primitive=name,
        words=words,
        scopes=jaxprs.scopes(equations),
        origin=equations[0],
        bit=recorder.ledger.bit(),
        key=operands[0].depends if operands else 0,
        looped=frame.looped,
        generator=str(getattr(_key_aval(equation), "dtype", "")),
        env=env,
    )
    recorder.draws.append(draw)
    kept = operands[1].depends if name == "random_gamma" and len(operands) > 1 else 0
    if name == "random_unwrap":  # raw keys stand for the key that they are the words of
        kept = operands[0].depends
    return [Value(array, draw.bit | kept) for array in arrays]


def _drawn_by_host(value: Value, frame: Frame, place: tuple[Any, ...]) -> Value:
    """The value itself, or a draw if the host made it up while tracing."""
    site = (*frame.path, *place)
    if site not in frame.host:
        return value
    recorder = frame.recorder
    draw = Draw(
        step=recorder.step,
        phase=recorder.phase,
        site=site,
        primitive="host",
        words=value.array,
        scopes=jaxprs.scopes(frame.outer),
        origin=None,
        bit=recorder.ledger.bit(),
        key=0,
        looped=frame.looped,
    )
    recorder.draws.append(draw)
    return Value(value.array, draw.bit)


def _scan(index: int, equation: Any, operands: list[Value], frame: Frame) -> list[Value]:
    params = equation.params
    first, carried = jaxprs.scan_layout(equation)
    constants, inputs = operands[:first], operands[first + carried :]
    carry = operands[first : first + carried]
    inside = frame.inside(index, equation, "jaxpr0")
    length = params["length"]
    turns = range(length)[::-1] if params["reverse"] else range(length)
    stacked: list[tuple[int, list[Value]]] = []
    for turn in turns:
        slices = [Value(x.array[turn], x.depends) for x in inputs]
        results = evaluate(params["jaxpr"], [*constants, *carry, *slices], inside)
        carry = results[:carried]
        stacked.append((turn, results[carried:]))
    stacked.sort(key=lambda item: item[0])
    outputs = []
    for number, variable in enumerate(equation.outvars[carried:]):
        column = [results[number] for _, results in stacked]
        array = (
            np.stack([value.array for value in column])
            if column
            else np.zeros(variable.aval.shape, variable.aval.dtype)
        )
        outputs.append(Value(array, dependencies(column)))
    return [*carry, *outputs]


def _while(index: int, equation: Any, operands: list[Value], frame: Frame) -> list[Value]:
    params = equation.params
    first = params["cond_nconsts"]
    second = first + params["body_nconsts"]
    tested, used, carry = operands[:first], operands[first:second], operands[second:]
    test = frame.inside(index, equation, "cond_jaxpr0", looped=True)
    body = frame.inside(index, equation, "body_jaxpr0", looped=True)
    depends = 0
    while True:
        (goes_on,) = evaluate(params["cond_jaxpr"], [*tested, *carry], test)
        depends |= goes_on.depends
        if not np.any(goes_on.array):
            return [_chosen(value, depends) for value in carry]
        # What has ended goes on for nothing, and consumes the same keys again.
        counted, recorder = frame.recorder.consumed, frame.recorder
        recorder.consumed = counted if np.all(goes_on.array) else None
        following = evaluate(params["body_jaxpr"], [*used, *carry], body)
        recorder.consumed = counted
        carry = [_going(goes_on.array, *pair) for pair in zip(following, carry, strict=True)]


def _going(goes_on: np.ndarray, following: Value, value: Value) -> Value:
    """The next value where the loop goes on: under `vmap` a loop may end for each row by itself."""
    if not goes_on.ndim:
        return following
    flags = goes_on.reshape(goes_on.shape + (1,) * (following.array.ndim - goes_on.ndim))
    array = np.where(flags, following.array, value.array)
    return Value(array, following.depends | value.depends)


def _cond(index: int, equation: Any, operands: list[Value], frame: Frame) -> list[Value]:
    which, *rest = operands
    branches = equation.params["branches"]
    number = min(max(int(which.array), 0), len(branches) - 1)
    inside = frame.inside(index, equation, f"branches{number}")
    results = evaluate(branches[number], rest, inside)
    return [_chosen(value, which.depends) for value in results]


_CONTROL: Mapping[str, Callable[[int, Any, list[Value], Frame], list[Value]]] = {
    "scan": _scan,
    "while": _while,
    "cond": _cond,
}
