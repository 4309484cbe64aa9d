"""Hygiene: no key is consumed twice in three steps, the last one after a reset.

Nor is one both folded into and split, as both make the same keys; that is read from the rollout.
JAX's own checker decides (`jax.debug_key_reuse`), on the traces put together under `jit`, which
compiles nothing; where there is no trace, the steps are run eagerly.
"""

from __future__ import annotations

import collections
from collections.abc import Sequence
from typing import Any

import jax
from jax.extend import core

from nnx_ppo_ref.oracle import causes, jaxprs
from nnx_ppo_ref.oracle.draws import Ledger, Recorder
from nnx_ppo_ref.oracle.interpret import Value
from nnx_ppo_ref.oracle.passes import Stage, Tree
from nnx_ppo_ref.oracle.report import Result, broken, passed

NAME = "hygiene"

RESET_AFTER = 1
"""The step after which every environment is reset."""


def judge(
    stage: Stage,
    begin: tuple[list[Value], Tree],
    arrays: Any,
    observations: Sequence[Any],
    collisions: int,
) -> Result:
    """Runs the checker.

    Args:
        stage: The pieces of the passes.
        begin: The module's state and the carry at the start.
        arrays: Arrays or shapes of the same.
        observations: Observations of the full batch for the steps.
        collisions: How many keys of the rollout were both folded into and split.
    """
    phases = stage.phases
    leaves, carry = arrays

    def run(leaves: Any, carry: Any, observations: Sequence[Any]) -> Any:
        for number, obs in enumerate(observations):
            out = _run(stage, "call", leaves, carry, obs)
            leaves, carry = out["state"], out["carry"]
            if number == RESET_AFTER and phases.reset.error is None:
                again = _run(stage, "reset", leaves, carry)
                leaves, carry = again["state"], again["carry"]
        return out["output"]

    try:
        with jax.debug_key_reuse(True):
            if stage.eager:
                run(leaves, carry, observations)
            else:
                jaxprs.trace(jax.jit(run), leaves, carry, observations)
    except jax.errors.KeyReuseError as error:
        first = str(error).splitlines()[0]
        if not stage.eager and not _is_confirmed(stage, *begin, observations):
            return _mixed(collisions, f"the checker says {first!r}, but no key is consumed twice")
        return broken(NAME, f"KeyReuseError: {first}", causes.CAUSES["reuse"])
    return _mixed(collisions)


def _mixed(collisions: int, note: str = "") -> Result:
    if collisions:
        return broken(
            NAME, f"{collisions} keys are both folded into and split", causes.CAUSES["families"]
        )
    return passed(NAME, note)


def _is_confirmed(
    stage: Stage, state: list[Value], carry: Tree, observations: Sequence[Any]
) -> bool:
    """Whether a key is consumed twice by its value.

    The checker takes a key that went through a selection or a transpose for consumed, and one that
    is taken out of its array again.
    """
    recorder = Recorder(Ledger())
    recorder.consumed = collections.Counter()
    for number, obs in enumerate(observations):
        out = stage.phases.call.run(recorder, state, carry, stage.values(obs, 0))
        state, carry = out["state"], out["carry"]
        if number == RESET_AFTER and stage.phases.reset.error is None:
            again = stage.phases.reset.run(recorder, state, carry)
            state, carry = again["state"], again["carry"]
    return recorder.is_reused


def _run(stage: Stage, name: str, *arguments: Any) -> Any:
    phase = getattr(stage.phases, name)
    if stage.eager:
        return phase.function(*arguments)
    function = core.jaxpr_as_fun(phase.jaxpr)
    results = function(*jax.tree.leaves(arguments))
    return jax.tree.unflatten(jax.tree.structure(phase.shapes), results)
