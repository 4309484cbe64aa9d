"""The rollout and its replay, step by step, with everything that the observables look at."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import jax
import numpy as np

from nnx_ppo_ref.keys import is_key_type
from nnx_ppo_ref.oracle import jaxprs, scored
from nnx_ppo_ref.oracle.draws import CARRIED, INPUT, Dependencies, Draw, Recorder, union
from nnx_ppo_ref.oracle.interpret import Value, dependencies, is_value
from nnx_ppo_ref.oracle.phases import Phases
from nnx_ppo_ref.oracle.threefry import as_keys, holds_keys

Tree = Any
"""A PyTree of values."""


@dataclasses.dataclass(frozen=True)
class Step:
    """One step.

    Attributes:
        before: The module's state before the call.
        after: The module's state after the call and before the reset.
        output: The output, `[B, ...]`.
        regularization: The regularization loss.
        extras: The rollout extras that came back.
        reset: The carry that `reset_state` returned.
        carry: The carry for the next step.
    """

    before: list[Value]
    after: list[Value]
    output: Tree
    regularization: Tree
    extras: Tree
    reset: Tree
    carry: Tree

    @property
    def leaves(self) -> list[tuple[str, Value]]:
        """The output's leaves with their paths."""
        flat = jax.tree_util.tree_flatten_with_path(self.output, is_leaf=is_value)[0]
        return [(f"output{jax.tree_util.keystr(path)}", value) for path, value in flat]

    @property
    def losses(self) -> list[tuple[str, Value]]:
        """The regularization loss's leaves with their paths."""
        flat = jax.tree_util.tree_flatten_with_path(self.regularization, is_leaf=is_value)[0]
        return [(f"regularization_loss{jax.tree_util.keystr(path)}", value) for path, value in flat]

    @property
    def actions(self) -> list[tuple[str, Value]]:
        """The sampled actions in the output, with their paths."""
        return scored.actions(self.output)

    @property
    def scored(self) -> list[Value]:
        """The sampled actions and their log-likelihoods."""
        return [value for _, value in (*self.actions, *scored.scores(self.output))]


@dataclasses.dataclass(frozen=True)
class Pass:
    """All steps of a pass.

    Attributes:
        envs: The size of the batch.
        steps: The steps.
        draws: The draws in the order in which they happened.
        roundings: How many sums JAX took, whose last bits may depend on the batch.
        collisions: How many keys were both folded into and split.
        state: The module's state after the pass.
    """

    envs: int
    steps: tuple[Step, ...]
    draws: tuple[Draw, ...]
    roundings: int
    collisions: int
    state: list[Value]

    def reaching(self, *, losses: bool) -> Dependencies:
        """What the outputs of all steps depend on, with the regularization losses or without."""
        return dependencies(
            value
            for step in self.steps
            for _, value in (*step.leaves, *(step.losses if losses else ()))
        )


@dataclasses.dataclass(frozen=True)
class Stage:
    """What both passes need.

    Attributes:
        phases: The pieces.
        marks: For each array of the module's state, the bit that stands for it.
        eager: Whether to call the module instead of evaluating traces.
    """

    phases: Phases
    marks: tuple[Dependencies, ...]
    eager: bool

    def values(self, tree: Any, depends: Dependencies) -> Tree:
        """Arrays as values that depend on something."""
        hold = jax.numpy.asarray if self.eager else jaxprs.to_numpy
        return jax.tree.map(lambda leaf: Value(hold(leaf), depends), tree)

    def state(self, leaves: Sequence[Any]) -> list[Value]:
        """The module's arrays as values, each with its mark."""
        hold = jax.numpy.asarray if self.eager else jaxprs.to_numpy
        return [Value(hold(leaf), mark) for leaf, mark in zip(leaves, self.marks, strict=True)]

    def marked(self, state: Sequence[Value]) -> list[Value]:
        """The state that came out of a phase, marked again."""
        return [
            Value(value.array, value.depends | mark)
            for value, mark in zip(state, self.marks, strict=True)
        ]


def rollout(
    stage: Stage, state: list[Value], carry: Tree, obs: Any, done: np.ndarray, recorder: Recorder
) -> Pass:
    """The rollout on the full batch.

    Args:
        stage: The pieces.
        state: The module's state at its start.
        carry: The carry at its start, `[B, ...]`.
        obs: Observations, `[T, B, ...]`.
        done: Which episodes end, bool `[T, B]`.
        recorder: Takes the draws.
    """
    steps, recorder.envs = [], done.shape[1]
    for number, ended in enumerate(done):
        recorder.begin(number)
        _claim(recorder, carry)
        arguments = (state, carry, _at(stage, obs, number))
        out = stage.phases.call.run(recorder, *arguments, eager=stage.eager)
        after = stage.marked(out["state"])
        recorder.phase = "reset"
        again = stage.phases.reset.run(recorder, after, out["carry"], eager=stage.eager)
        carry = where(ended, again["carry"], out["carry"])
        steps.append(_step(state, after, out, again["carry"], carry))
        state = stage.marked(again["state"])
    draws = tuple(recorder.draws)
    counts = recorder.roundings, recorder.collisions
    return Pass(done.shape[1], tuple(steps), draws, *counts, state)


def replay(
    stage: Stage,
    state: list[Value],
    carry: Tree,
    obs: Any,
    done: np.ndarray,
    recorder: Recorder,
    before: Pass,
    minibatch: np.ndarray,
) -> Pass:
    """The loss's pass over a minibatch of a rollout.

    Where `reset_state` cannot run under `vmap(cond)`, it is run on the minibatch as a whole, and
    the keys that it made in the rollout are put back, as the reference's own loss does.

    Args:
        stage: The pieces.
        state: The module's state at its start.
        carry: The rollout's initial carry, `[B, ...]`.
        obs: The rollout's observations, `[T, B, ...]`.
        done: The rollout's episode ends, bool `[T, B]`.
        recorder: Takes the draws.
        before: The rollout.
        minibatch: The environments, int `[b]`.
    """
    phases = stage.phases
    carry = take(carry, minibatch)
    steps, recorder.envs = [], len(minibatch)
    for number, ended in enumerate(done[:, minibatch]):
        recorder.begin(number)
        _claim(recorder, carry)
        extras = before.steps[number].extras
        given = () if extras is None else (_stored(stage, take(extras, minibatch)),)
        arguments = (state, carry, take(_at(stage, obs, number), minibatch), *given)
        out = phases.replay.run(recorder, *arguments, eager=stage.eager)
        after = stage.marked(out["state"])
        recorder.phase = "reset"
        if phases.replay_reset.error is None:
            flags = stage.values(ended, CARRIED)
            again = phases.replay_reset.run(recorder, after, out["carry"], flags, eager=stage.eager)
            carry = again["carry"]
        else:
            again = phases.batched_reset.run(recorder, after, out["carry"], eager=stage.eager)
            recorded = take(before.steps[number].reset, minibatch)
            put_back = jax.tree.map(_recorded_key, again["carry"], recorded, is_leaf=is_value)
            carry = where(ended, put_back, out["carry"])
        steps.append(_step(state, after, out, again["carry"], carry))
        state = stage.marked(again["state"])
    draws = tuple(recorder.draws)
    counts = recorder.roundings, recorder.collisions
    return Pass(len(minibatch), tuple(steps), draws, *counts, state)


def _claim(recorder: Recorder, carry: Tree) -> None:
    """Notes whose the keys in a carry are, typed or raw."""
    for value in jax.tree.leaves(carry, is_leaf=is_value):
        array = value.array
        if array.ndim > 1 and array.dtype == np.uint32 and isinstance(array, np.ndarray):
            recorder.claim(as_keys(array))
        elif array.ndim and isinstance(array, np.ndarray) and is_key(value):
            recorder.claim(array)


def is_key(value: Value) -> bool:
    """Whether a value holds typed keys."""
    return is_key_type(value.array.dtype) or holds_keys(value.array)


def where(done: np.ndarray, chosen: Tree, other: Tree) -> Tree:
    """Per environment one carry or the other, as `tree_where` of nnx-ppo's rollout.

    A leaf that does not begin with the batch is always taken from the first.
    """

    def one(x: Value, y: Value) -> Value:
        if not x.array.ndim or x.array.shape[0] != len(done):
            return x
        flags = done.reshape(-1, *(1,) * (x.array.ndim - 1))
        pick = np.where if isinstance(x.array, np.ndarray) else jax.numpy.where
        return Value(pick(flags, x.array, y.array), x.depends | y.depends | CARRIED)

    if not done.any():
        return other
    return jax.tree.map(one, chosen, other, is_leaf=is_value)


def take(tree: Tree, minibatch: np.ndarray) -> Tree:
    """A minibatch of every leaf; a leaf without a batch stays as it is."""

    def one(value: Value) -> Value:
        if not value.array.ndim or value.array.shape[0] <= minibatch.max():
            return value
        return Value(value.array[minibatch], value.depends)

    return jax.tree.map(one, tree, is_leaf=is_value)


def _stored(stage: Stage, extras: Tree) -> Tree:
    """Extras as the replay sees them: carried numbers, whatever the module's state is by now."""
    marks = union(stage.marks)
    return jax.tree.map(
        lambda value: Value(value.array, value.depends & ~marks | CARRIED), extras, is_leaf=is_value
    )


def _at(stage: Stage, obs: Any, number: int) -> Tree:
    return stage.values(jax.tree.map(lambda leaf: leaf[number], obs), INPUT)


def _recorded_key(now: Value, recorded: Value) -> Value:
    return recorded if is_key(now) else now


def _step(before: Any, after: Any, out: Any, reset: Tree, carry: Tree) -> Step:
    return Step(before, after, out["output"], out["regularization"], out["extras"], reset, carry)
