"""The check: runs a module as PPO does and asks every observable what it sees."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import jax
import numpy as np
from flax import nnx

from nnx_ppo_ref.oracle import inputs as making
from nnx_ppo_ref.oracle.causes import CAUSES
from nnx_ppo_ref.oracle.draws import CARRIED, INPUT, Alteration, Dependencies, Ledger, Recorder
from nnx_ppo_ref.oracle.evidence import ENDS, Evidence
from nnx_ppo_ref.oracle.interpret import Value, dependencies, is_value
from nnx_ppo_ref.oracle.observables import (
    freshness,
    hygiene,
    independence,
    lock,
    lockstep,
    purity,
    replay,
    tracing,
)
from nnx_ppo_ref.oracle.passes import Pass, Stage, Step, Tree
from nnx_ppo_ref.oracle.passes import replay as run_replay
from nnx_ppo_ref.oracle.passes import rollout as run_rollout
from nnx_ppo_ref.oracle.phases import Phase, describe, trace_phases
from nnx_ppo_ref.oracle.report import OBSERVABLES, Report, Result, broken, not_applicable
from nnx_ppo_ref.oracle.subject import Emissions, Subject

EQUAL_STEPS = 8
"""Length of the run with equal inputs."""
LOCKED_STEPS = 3
"""Length of the replay with changed parameters."""
LOCK_ATTEMPTS = 4
"""How often parameters are changed while an action that is made of them does not move."""


def check(
    module: Any,
    sample_input: Any = None,
    *,
    batch_size: int = 7,
    minibatch_size: int | None = None,
    steps: int = 6,
    seed: int = 0,
    inputs: Callable[[jax.Array], Any] | Any = None,
    tolerance: float = 1.0,
) -> Report:
    """Runs a module as PPO does and reports what holds.

    Args:
        module: A stateful module of nnx-ppo or of this reference, which is left as it is; or a
            function without arguments that makes one.
        sample_input: One observation without a batch: a PyTree of arrays, of numbers or of
            `jax.ShapeDtypeStruct`s. Random observations of its shapes and dtypes are used;
            integers go up to the largest one in the sample.
        batch_size: Environments of the rollout, B; at least 2. Best a number that is no size in
            the module.
        minibatch_size: Environments of the replay; B // 2 if None.
        steps: Steps of the rollout, T; at least 1.
        seed: For observations.
        inputs: Instead of `sample_input`: a function from a key to one observation, which is
            mapped over steps and environments, or observations `[T, B, ...]`.
        tolerance: Multiplies the difference that activations may have.

    Raises:
        TypeError: If the module is none, or there are no observations.
        ValueError: If a size does not fit.
    """
    with _unchanged(module) as instance:
        subject = Subject.of(instance)
        obs, steps, batch_size = _observations(sample_input, inputs, steps, batch_size, seed)
        size = batch_size // 2 if minibatch_size is None else minibatch_size
        _require_sizes(steps, batch_size, size)
        # Only hygiene asks JAX's checker, which also objects to a key on both sides of a selection:
        # what a reset under vmap(cond) becomes.
        with jax.debug_key_reuse(False):
            results = _Check(subject, obs, steps, batch_size, size, tolerance).results()
    ordered = sorted(results, key=lambda result: OBSERVABLES.index(result.observable))
    return Report(type(instance).__name__, tuple(ordered))


def assert_replays(
    module: Any,
    sample_input: Any = None,
    observables: Sequence[str] | None = None,
    **options: Any,
) -> Report:
    """Runs a module as PPO does and insists that every observable holds or does not apply.

    Args:
        module: As for `check`.
        sample_input: As for `check`.
        observables: The names of those that must hold; all if None.
        **options: As for `check`.

    Raises:
        AssertionError: If one is broken; the message is the report.
        ValueError: If an observable does not exist, or a size does not fit.
        TypeError: As for `check`.
    """
    wanted = require_observables(OBSERVABLES if observables is None else observables)
    report = check(module, sample_input, **options)
    if not set(wanted).isdisjoint(report.failed):
        raise AssertionError(str(report))
    return report


def require_observables(names: Sequence[str]) -> Sequence[str]:
    """Returns names of observables.

    Raises:
        ValueError: If one does not exist.
    """
    unknown = [name for name in names if name not in OBSERVABLES]
    if unknown or isinstance(names, str):
        wrong = names if isinstance(names, str) else ", ".join(unknown)
        raise ValueError(f"no observable {wrong!r}; there are {', '.join(OBSERVABLES)}")
    return names


@contextlib.contextmanager
def _unchanged(module: Any) -> Iterator[Any]:
    """The instance to check; whatever a closure of it changes in it is put back."""
    if not isinstance(module, nnx.Module):
        if not callable(module):
            raise TypeError(f"{type(module).__name__} is neither a module nor a function")
        yield module()
        return
    leaves, tree = jax.tree.flatten(nnx.state(module))
    try:
        yield module
    finally:
        now = jax.tree.leaves(nnx.state(module))
        if len(now) != len(leaves) or any(a is not b for a, b in zip(now, leaves, strict=True)):
            nnx.update(module, jax.tree.unflatten(tree, leaves))


def _observations(
    sample: Any, inputs: Any, steps: int, envs: int, seed: int
) -> tuple[Any, int, int]:
    if (sample is None) == (inputs is None):
        raise TypeError("give either sample_input, one observation without a batch, or inputs")
    if inputs is None:
        return making.random_inputs(sample, steps, envs, seed), steps, envs
    if callable(inputs):
        return making.made_inputs(inputs, steps, envs, seed), steps, envs
    sizes = {np.shape(leaf)[:2] for leaf in jax.tree.leaves(inputs)}
    if len(sizes) != 1 or len(next(iter(sizes))) != 2:
        raise ValueError("inputs must be arrays that begin with the same [T, B]")
    steps, envs = sizes.pop()
    return inputs, steps, envs


def _require_sizes(steps: int, envs: int, size: int) -> None:
    if envs < 2:
        raise ValueError(f"batch_size must be at least 2, not {envs}")
    if not 1 <= size < envs:
        raise ValueError(f"minibatch_size must lie between 1 and {envs - 1}, not {size}")
    if steps < 1:
        raise ValueError(f"steps must be at least 1, not {steps}")


@dataclasses.dataclass(frozen=True)
class _Check:
    """One check, from a subject to results."""

    subject: Subject
    obs: Any
    steps: int
    envs: int
    size: int
    tolerance: float

    def results(self) -> list[Result]:
        emissions = Emissions()
        start = self._start()
        try:
            arrays = start.shapes if start.error is None else start.function(self._leaves())
        except Exception as error:  # whatever the module raises is a finding about it
            text = f"initialize_state raises {describe(error)}"
            return [broken(tracing.NAME, text, CAUSES["carry"]), *_unjudged(text)]
        first = self._observation(0)
        phases = trace_phases(self.subject, arrays["carry"], first, self.envs, self.size, emissions)
        ledger = Ledger()
        marks = tuple(ledger.bit() for _ in self.subject.leaves)
        found = [tracing.judge(phases)]
        reason = ""
        for eager in (False, True) if phases.traceable else (True,):
            stage = Stage(phases, marks, eager)
            try:
                with emissions.scoped(self.subject.classes if eager else ()):
                    evidence = self._evidence(stage, start, ledger)
                    evidence = dataclasses.replace(evidence, emitting=emissions.emitters)
                    return [*found, *self._judged(evidence, start)]
            except Exception as error:  # whatever the module raises is a finding about it
                reason = f"the passes raise {describe(error)}"
        return [*found, *_unjudged(reason)]

    def _leaves(self) -> list[Any]:
        return list(self.subject.leaves)

    def _observation(self, step: int) -> Any:
        return jax.tree.map(lambda leaf: leaf[step], self.obs)

    def _start(self) -> Phase:
        def initialize(leaves: Any) -> Any:
            module = self.subject.merge(leaves)
            carry = module.initialize_state(self.envs)
            return {"state": self.subject.after(module, leaves)[0], "carry": carry}

        return Phase.traced("initialize_state", initialize, self._leaves())

    def _begin(self, stage: Stage, start: Phase) -> tuple[list[Value], Tree]:
        """The module's state and the carry before the first step."""
        if stage.eager or start.error is not None:
            made = start.function(self._leaves())
            return stage.state(made["state"]), stage.values(made["carry"], CARRIED)
        made = start.run(
            Recorder(Ledger()), [Value(v.array) for v in stage.state(self.subject.leaves)]
        )
        carry = jax.tree.map(lambda v: Value(v.array, CARRIED), made["carry"], is_leaf=is_value)
        return stage.marked([Value(v.array) for v in made["state"]]), carry

    def _evidence(self, stage: Stage, start: Phase, ledger: Ledger) -> Evidence:
        state, carry = self._begin(stage, start)
        minibatch = making.permuted_minibatch(self.envs, self.size)
        done = making.episode_ends(self.steps, self.envs)
        before = run_rollout(stage, state, carry, self.obs, done, Recorder(ledger))
        # The loss starts from the module as the rollout left it.
        after = stage.marked([Value(value.array) for value in before.state])
        common = (done, Recorder(ledger), before, minibatch)
        later = run_replay(stage, after, carry, self.obs, *common)
        # What the extras came from is forgotten: an action depends on what else it is made of.
        stored = dataclasses.replace(before, steps=tuple(map(_without_history, before.steps)))
        locked, moving = later, 0
        for attempt in range(LOCK_ATTEMPTS if before.steps[0].actions else 0):
            changed_state, changed_obs, moving = self._changed(stage, after, before, attempt)
            common = (done[:LOCKED_STEPS], Recorder(ledger), stored, minibatch)
            locked = run_replay(stage, changed_state, carry, changed_obs, *common)
            if lock.has_moved(later, locked) or not _depends(locked, moving):
                break
        ends = np.zeros((EQUAL_STEPS, self.envs), bool)
        ends[list(ENDS)] = True
        same = making.repeated(self.obs, EQUAL_STEPS)

        def equal(alteration: Alteration | None = None) -> Pass:
            recorder = Recorder(ledger, alteration)
            return run_rollout(stage, after, carry, same, ends, recorder)

        return Evidence(
            subject=self.subject,
            stage=stage,
            minibatch=minibatch,
            rollout=before,
            replay=later,
            locked=locked,
            changed=moving,
            equal=equal(),
            altered=equal,
            emitting=stage.phases.emitters,
            tolerance=self.tolerance,
        )

    def _changed(
        self, stage: Stage, state: list[Value], before: Pass, attempt: int
    ) -> tuple[list[Value], Any, Dependencies]:
        """The parameters changed, or the observations if the action depends on no parameter.

        Without a trace, what the action depends on is not known, and both are changed.

        Returns:
            State, observations, and the marks of what was changed.
        """
        # Each change comes with its opposite: a threshold may be passed in one direction only.
        generator, sign = np.random.default_rng(attempt // 2), -1 if attempt % 2 else 1
        depends = dependencies(value for step in before.steps for _, value in step.actions)
        parameters = [i for i in self.subject.parameters if stage.eager or stage.marks[i] & depends]
        moved = [
            Value(_moved(value.array, generator, sign), value.depends)
            if index in parameters
            else value
            for index, value in enumerate(state)
        ]
        if parameters and not stage.eager:
            return moved, self.obs, sum(stage.marks[i] for i in parameters)
        return moved, jax.tree.map(lambda leaf: _moved(leaf, generator, sign), self.obs), INPUT

    def _judged(self, evidence: Evidence, start: Phase) -> list[Result]:
        stage = evidence.stage
        replayed, locked = replay.judge(evidence), lock.judge(evidence)
        observations = [self._observation(step) for step in (0, self.steps - 1, 0)]
        carry = (
            start.function(self._leaves())["carry"]
            if stage.eager or start.error is not None
            else start.shapes["carry"]
        )
        return [
            replayed,
            freshness.judge(evidence),
            independence.judge(evidence),
            locked,
            purity.judge(evidence, replayed=not replayed.failed, locked=not locked.failed),
            hygiene.judge(
                stage,
                self._begin(stage, start),
                (self._leaves(), carry),
                observations,
                evidence.rollout.collisions,
            ),
            lockstep.judge(evidence),
        ]


def _unjudged(reason: str) -> list[Result]:
    """Results for all observables but `trace`, where nothing can be run."""
    return [not_applicable(name, reason) for name in OBSERVABLES if name != tracing.NAME]


def _without_history(step: Step) -> Step:
    return dataclasses.replace(
        step,
        extras=jax.tree.map(lambda value: Value(value.array), step.extras, is_leaf=is_value),
    )


def _depends(run: Pass, marks: Dependencies) -> bool:
    return any(value.depends & marks for step in run.steps for _, value in step.actions)


def _moved(array: Any, generator: np.random.Generator, sign: int) -> Any:
    """Quite other numbers of the same kind: an action may be what is left after an argmax."""
    if jax.numpy.issubdtype(array.dtype, jax.numpy.floating):
        plain = np.asarray(array, np.float64)
        size = 1 + np.max(np.abs(plain), initial=0, where=np.isfinite(plain))
        return (plain + 4 * sign * size * generator.standard_normal(array.shape)).astype(
            array.dtype
        )
    if array.dtype == bool:
        return ~array
    if jax.numpy.issubdtype(array.dtype, jax.numpy.integer):
        return array[::-1] if array.ndim else array
    return array
