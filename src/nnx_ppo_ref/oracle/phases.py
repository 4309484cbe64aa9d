"""The five pieces of PPO's two passes, each traced once.

The rollout calls the module on the full batch without extras and resets all of it; the loss calls
it on a minibatch with the stored extras, resets under `vmap(cond)`, and calls it once more without
extras for the value after the last step (`unroll_env` and `ppo_loss` of nnx-ppo 0.3.0).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import jax
import numpy as np

from nnx_ppo_ref.oracle import jaxprs
from nnx_ppo_ref.oracle.draws import Recorder
from nnx_ppo_ref.oracle.interpret import Frame, Value, evaluate, is_value
from nnx_ppo_ref.oracle.subject import Emissions, Subject


@dataclasses.dataclass(frozen=True)
class Phase:
    """A function of PyTrees, and its trace if it can be traced.

    Attributes:
        name: What it is, for messages.
        function: The function.
        jaxpr: Its trace.
        shapes: The shapes of its result.
        host: Where the trace holds constants that the host drew; None if a second trace differs
            in more than constants.
        error: Why there is no trace.
    """

    name: str
    function: Callable[..., Any]
    jaxpr: Any = None
    shapes: Any = None
    host: frozenset[tuple[Any, ...]] | None = frozenset()
    error: Exception | None = None

    @staticmethod
    def traced(
        name: str, function: Callable[..., Any], *arguments: Any, twice: bool = False
    ) -> Phase:
        """Traces a function for arguments of these shapes; twice, to see the host's own noise."""
        try:
            jaxpr, shapes = jaxprs.trace(function, *arguments)
            host: frozenset[tuple[Any, ...]] | None = frozenset()
            if twice:
                with jaxprs.uncached():
                    again, _ = jaxprs.trace(function, *arguments)
                host = jaxprs.differing_constants(jaxpr, again)
        except Exception as error:  # whatever the module raises is a finding about it
            return Phase(name, function, error=error)
        return Phase(name, function, jaxpr, shapes, host)

    def run(self, recorder: Recorder, *arguments: Any, eager: bool = False) -> Any:
        """The result for PyTrees of values, as a PyTree of values.

        Args:
            recorder: Takes the draws.
            *arguments: PyTrees with `Value` leaves.
            eager: Call the function instead of evaluating the trace; draws are not seen.
        """
        if eager:
            plain = jax.tree.map(lambda value: value.array, arguments, is_leaf=is_value)
            return jax.tree.map(lambda leaf: Value(jax.numpy.asarray(leaf)), self.function(*plain))
        flat = jax.tree.leaves(arguments, is_leaf=is_value)
        with np.errstate(all="ignore"):
            results = evaluate(self.jaxpr, flat, Frame(recorder, self.host or frozenset()))
        return jax.tree.unflatten(jax.tree.structure(self.shapes), results)


@dataclasses.dataclass(frozen=True)
class Phases:
    """The pieces of the two passes.

    Attributes:
        call: The rollout's call on the full batch.
        reset: `reset_state` on the full batch.
        replay: The loss's call on a minibatch with extras.
        replay_reset: `reset_state` on a minibatch under `vmap(cond)`.
        batched_reset: `reset_state` on a minibatch as a whole; run where the former fails.
        bootstrap: The call on a minibatch without extras.
        faults: What PPO would stumble over, in words.
        notes: What a call changed besides arrays.
        emitters: Classes of modules that return extras of their own.
    """

    call: Phase
    reset: Phase
    replay: Phase
    replay_reset: Phase
    batched_reset: Phase
    bootstrap: Phase
    faults: tuple[str, ...]
    notes: tuple[str, ...]
    emitters: frozenset[str]

    @property
    def traceable(self) -> bool:
        """Whether both passes can be evaluated from their traces."""
        needed = (self.call, self.reset, self.replay, self.bootstrap)
        return not any(phase.error for phase in needed) and (
            self.replay_reset.error is None or self.batched_reset.error is None
        )

    @property
    def stable(self) -> bool:
        """Whether a second trace has the same equations."""
        return None not in (self.call.host, self.reset.host, self.replay.host)


Functions = Mapping[str, Callable[..., Any]]


def functions(subject: Subject, notes: list[str]) -> Functions:
    """The pieces as functions of arrays.

    Args:
        subject: The module.
        notes: Takes what a call changes besides arrays.
    """

    def call(leaves: Any, carry: Any, obs: Any, *extras: Any) -> Any:
        module = subject.merge(leaves)
        output = module(carry, obs, *extras)
        after, changed = subject.after(module, leaves)
        notes.extend(note for note in changed if note not in notes)
        return {
            "state": after,
            "carry": output.next_state,
            "output": output.output,
            "regularization": output.regularization_loss,
            "extras": output.rollout_extras,
            "metrics": jax.tree.leaves(output.metrics),
        }

    def reset(leaves: Any, carry: Any) -> Any:
        module = subject.merge(leaves)
        carry = module.reset_state(carry)
        return {"state": subject.after(module, leaves)[0], "carry": carry}

    def replay_reset(leaves: Any, carry: Any, done: Any) -> Any:
        module = subject.merge(leaves)

        def one(ended: Any, state: Any) -> Any:
            return jax.lax.cond(ended, module.reset_state, lambda unchanged: unchanged, state)

        carry = jax.vmap(one)(done, carry)
        return {"state": subject.after(module, leaves)[0], "carry": carry}

    return {"call": call, "reset": reset, "replay_reset": replay_reset}


def trace_phases(
    subject: Subject, carry: Any, obs: Any, envs: int, minibatch: int, emissions: Emissions
) -> Phases:
    """Traces every piece.

    Args:
        subject: The module.
        carry: The carry before the first step; arrays `[B, ...]`.
        obs: An observation; arrays `[B, ...]`.
        envs: B.
        minibatch: Size of a minibatch.
        emissions: Watches what the modules emit.
    """
    notes: list[str] = []
    faults: list[str] = []
    if not subject.takes_extras:
        faults.append(
            "__call__ takes no third argument: the loss passes rollout_extras by position"
        )
    pieces = functions(subject, notes)
    leaves, carry, obs = (_shapes(tree) for tree in (list(subject.leaves), carry, obs))
    with emissions.scoped(subject.classes):
        call = Phase.traced("the rollout's call", pieces["call"], leaves, carry, obs, twice=True)
        emitters = emissions.emitters
        reset = Phase.traced("reset_state", pieces["reset"], leaves, carry, twice=True)
        small_carry, small_obs = (_resized(t, envs, minibatch, faults) for t in (carry, obs))
        extras: tuple[Any, ...] = ()
        if call.error is None and call.shapes["extras"] is not None:
            extras = (_resized(call.shapes["extras"], envs, minibatch, faults),)
        arguments = (leaves, small_carry, small_obs, *extras)
        replay = Phase.traced("the replay's call", pieces["call"], *arguments, twice=True)
        done = jax.ShapeDtypeStruct((minibatch,), bool)
        replay_reset = Phase.traced(
            "reset_state under vmap(cond)", pieces["replay_reset"], leaves, small_carry, done
        )
        batched = Phase.traced("reset_state", pieces["reset"], leaves, small_carry)
        bootstrap = replay
        if extras:
            bootstrap = Phase.traced(
                "the call for the value after the last step", pieces["call"], *arguments[:3]
            )
    if call.error is None and any(not leaf.shape for leaf in call.shapes["metrics"]):
        faults.append(
            "a minibatch cannot be taken: a metric is a single number for the whole batch, "
            "and must begin with the batch"
        )
    for phase in (call, reset, replay, replay_reset, bootstrap):
        if phase.error is not None:
            faults.append(f"{phase.name} raises {describe(phase.error)}")
        elif phase is not bootstrap:
            expected = carry if phase in (call, reset) else small_carry
            faults += _mismatches(phase.name, expected, phase.shapes["carry"])
    return Phases(
        call,
        reset,
        replay,
        replay_reset,
        batched,
        bootstrap,
        tuple(dict.fromkeys(faults)),
        tuple(notes),
        emitters,
    )


def describe(error: Exception) -> str:
    """An exception's class and the first line of its message."""
    first = next((line for line in str(error).splitlines() if line.strip()), "")
    return f"{type(error).__name__}: {first}" if first else type(error).__name__


def _shapes(tree: Any) -> Any:
    """Arrays as shapes and dtypes; weak types are dropped, as a scan's carry drops them."""
    return jax.tree.map(lambda leaf: jax.ShapeDtypeStruct(leaf.shape, leaf.dtype), tree)


def _resized(tree: Any, envs: int, size: int, faults: list[str]) -> Any:
    """The shapes of a minibatch."""

    def one(path: Any, leaf: Any) -> Any:
        if not leaf.shape or leaf.shape[0] != envs:
            name = jax.tree_util.keystr(path) or "it"
            faults.append(
                f"a minibatch cannot be taken: the carry or the extras have a leaf {name} of "
                f"shape {tuple(leaf.shape)}, which does not begin with the batch [{envs}]"
            )
            return leaf
        return jax.ShapeDtypeStruct((size, *leaf.shape[1:]), leaf.dtype)

    return jax.tree_util.tree_map_with_path(one, tree)


def _mismatches(name: str, before: Any, after: Any) -> list[str]:
    """How the carry that comes out differs from the one that went in."""
    old: Any = jax.tree.structure(before)
    new: Any = jax.tree.structure(after)
    if old != new:
        return [f"{name} changes the structure of the carry from {old} to {new}"]
    leaves: Sequence[Any] = jax.tree.leaves(after)
    return [
        f"{name} changes the carry{jax.tree_util.keystr(path)} from {_type(a)} to {_type(b)}"
        for (path, a), b in zip(
            jax.tree_util.tree_flatten_with_path(before)[0], leaves, strict=True
        )
        if _type(a) != _type(b)
    ]


def _type(leaf: Any) -> str:
    return f"{leaf.dtype}{list(leaf.shape)}"
