"""Independence: different environments draw different noise, before and after a reset."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import numpy as np

from nnx_ppo_ref.oracle import causes
from nnx_ppo_ref.oracle.compare import difference, numbers
from nnx_ppo_ref.oracle.draws import INPUT, Alteration, Draw, Recorder, union
from nnx_ppo_ref.oracle.evidence import ENDS, Evidence
from nnx_ppo_ref.oracle.interpret import Value, is_value
from nnx_ppo_ref.oracle.observables.noise import all_rows, along_batch
from nnx_ppo_ref.oracle.observables.outputs import moved_streams, same_for_all, varies
from nnx_ppo_ref.oracle.passes import is_key
from nnx_ppo_ref.oracle.report import Figures, Result, broken, not_applicable, passed

NAME = "independence"


def judge(evidence: Evidence) -> Result:
    """Looks for noise that two environments have in common."""
    if evidence.stage.eager:
        return _by_outputs(evidence)
    if not evidence.noise:
        return not_applicable(NAME, "nothing that the step returns depends on a draw of its own")
    if all(draw.key & INPUT for draw in evidence.noise):
        return not_applicable(NAME, "the noise is a function of the observation")
    for name, value in carried_keys(evidence.equal.steps[0].carry):
        if value.array.shape[:1] != (evidence.equal.envs,):
            text = f"the key {name} in the carry is one for all environments"
            return broken(NAME, text, causes.CAUSES["equal keys"], Figures(leaf=name))
    rows = all_rows(evidence)
    whole = next((row for row in rows if row.env is None), None)
    if whole is not None:
        text = (
            f"one draw for all environments: {whole.draw.primitive} of {whole.draw.owner} "
            f"({whole.draw.place}), shape {list(whole.draw.words.shape)}"
        )
        return broken(NAME, text, causes.CAUSES["shared"], Figures(step=whole.draw.step))
    lent = _lent(evidence)
    if lent is not None:
        draw, env = lent
        text = (
            f"a draw from environment {draw.env}'s key changes the output of environment {env}: "
            f"{draw.primitive} of {draw.owner} ({draw.place}), shape {list(draw.words.shape)}"
        )
        return broken(NAME, text, causes.CAUSES["shared"], Figures(step=draw.step, env=env))
    found = along_batch(rows)
    if found is not None:
        first, again = found.first, found.again
        after = any(again.draw.step > end for end in ENDS)
        text = (
            f"environments {first.env} and {again.env} have the same noise in steps "
            f"{first.draw.step} and {again.draw.step}{', after a reset' if after else ''}: "
            f"{again.draw.primitive} of {again.draw.owner} ({again.draw.place})"
        )
        kind = "destroyed" if after and first.draw.step > ENDS[0] else "equal keys"
        figures = Figures(step=again.draw.step, env=again.env)
        return broken(NAME, text, causes.CAUSES[kind], figures)
    leaf = _shared_output(evidence)
    if leaf is not None:
        text = "every environment gets the same output though their draws differ"
        return broken(NAME, text, causes.CAUSES["shared"], Figures(leaf=leaf))
    return passed(NAME, f"{len(rows)} rows of noise, none shared")


def carried_keys(carry: Any) -> list[tuple[str, Value]]:
    """The typed keys in a carry, with their paths."""
    flat = jax.tree_util.tree_flatten_with_path(carry, is_leaf=is_value)[0]
    return [(f"carry{jax.tree_util.keystr(p)}", value) for p, value in flat if is_key(value)]


def _lent(evidence: Evidence) -> tuple[Draw, int] | None:
    """A draw from one environment's key that several environments' outputs depend on.

    Such as one row of noise from the first key for all; a loop over the environments draws such
    rows too, each for one environment. All draws from a key are taken away at once, and one after
    the other only if that tells something.
    """
    alone = [d for d in evidence.noise if d.env is not None and evidence.axis(d) is None]
    for owner in sorted({draw.env for draw in alone if draw.env is not None}):
        own = [draw for draw in alone if draw.env == owner]
        if _moved_together(evidence, own) is not None:
            for draw in own:
                moved = _moved_together(evidence, [draw])
                if moved is not None:
                    return draw, int(moved[moved != owner][0])
    return None


def _moved_together(evidence: Evidence, draws: list[Draw]) -> np.ndarray | None:
    """The environments, several, whose outputs of one step are others if some draws are.

    The draws become zeros, and their opposites where that tells nothing: a permutation may happen
    to be the one that zeros give.
    """
    envs = evidence.equal.envs
    for another in (np.zeros_like, np.invert):
        altered = evidence.altered(_replaced(draws, another))
        for one, other in zip(evidence.equal.steps, altered.steps, strict=True):
            for (_, a), (_, b) in zip(one.leaves, other.leaves, strict=True):
                apart = difference(numbers(a), numbers(b))
                if apart.ndim and len(apart) == envs:
                    moved = np.flatnonzero(apart.reshape(envs, -1).any(axis=1))
                    if len(moved) > 1:
                        return moved
    return None


def _replaced(draws: list[Draw], another: Callable[[np.ndarray], np.ndarray]) -> Alteration:
    places = {(draw.step, draw.phase, draw.site, draw.words.tobytes()) for draw in draws}

    def replace(
        recorder: Recorder, site: tuple[Any, ...], noise: np.ndarray, env: int | None
    ) -> np.ndarray:
        del env
        place = (recorder.step, recorder.phase, site, noise.tobytes())
        return another(noise) if place in places else noise

    return replace


def _shared_output(evidence: Evidence) -> str | None:
    """An output that noise reaches, that is the same for all, and that other noise changes.

    The last condition spares outputs that are equal by chance, such as those of dropout that drops
    nothing: the noise is rotated by one environment, which leaves them as they are.
    """
    envs = evidence.equal.envs
    bits = union(draw.bit for draw in evidence.noise)
    altered = None
    for number, (name, _) in enumerate(evidence.equal.steps[0].leaves):
        values = [step.leaves[number][1] for step in evidence.equal.steps]
        reached = [value for value in values if value.depends & bits]
        if not reached or not all(same_for_all(value, envs) for value in reached):
            continue
        altered = altered or evidence.altered(_rotation(evidence))
        others = [step.leaves[number][1] for step in altered.steps]
        if any(
            difference(numbers(a), numbers(b)).any() for a, b in zip(values, others, strict=True)
        ):
            return name
    return None


def _rotation(evidence: Evidence) -> Any:
    def rotate(
        recorder: Recorder, site: tuple[Any, ...], noise: np.ndarray, env: int | None
    ) -> np.ndarray:
        del env
        place = evidence.axes.get((recorder.phase, site))
        return noise if place is None else np.roll(noise, place[1], place[0])

    return rotate


def _by_outputs(evidence: Evidence) -> Result:
    if not moved_streams(evidence):
        return not_applicable(NAME, "without a trace, draws are not seen")
    if varies(evidence, "batch"):
        return passed(NAME, "judged by outputs, since there is no trace")
    return broken(NAME, "outputs do not vary along the batch", causes.CAUSES["shared"])
