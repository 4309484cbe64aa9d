"""Whether a sampler scores the action that it drew: emitted, and taken back in the replay."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import libcst as cst

from flake8_nnx_rng.interpreter import Advanced, Audit, Drew, Event, Site
from flake8_nnx_rng.interpreter.outputs import field_of, is_scored, returned
from flake8_nnx_rng.interpreter.taint import (
    Entry,
    Learned,
    Passed,
    Redrawn,
    Sample,
    Taint,
    Taken,
    is_threaded,
)
from flake8_nnx_rng.interpreter.trees import leaves
from flake8_nnx_rng.interpreter.values import (
    Items,
    Layer,
    Record,
    Table,
    Value,
    options,
    taint_of,
)
from flake8_nnx_rng.knowledge import library
from flake8_nnx_rng.rules.origin import Origin, origin_of
from flake8_nnx_rng.rules.replay import is_drawn_again, is_replayed

_ACTION, _ACTIONS = "action", "actions"


@dataclass(frozen=True)
class Outcome:
    """What one return of a sampler makes of its draws.

    Attributes:
        site: The return.
        action: What flows into the action.
        extras: What it emits.
        draws: The draws that flow into the action.
        is_exact: Whether the action was told from the rest of the output.
    """

    site: Site
    action: Taint
    extras: Value
    draws: frozenset[cst.CSTNode]
    is_exact: bool

    @property
    def emitted(self) -> Taint:
        """What flows into all that it emits."""
        return taint_of(self.extras)

    @property
    def missing(self) -> frozenset[cst.CSTNode]:
        """The draws of the action that are not emitted."""
        return self.draws - _nodes(self.emitted)

    @property
    def emits_nothing(self) -> bool:
        """Whether none of the draws of the action is emitted."""
        return self.missing == self.draws


def unemitted(audit: Audit) -> Iterator[Outcome]:
    """The returns of the rollout that draw an action without emitting it."""
    again = _drawn_again(audit)
    for outcome in _outcomes(audit, audit.rollout):
        if outcome.draws and (outcome.emits_nothing or outcome.missing - again):
            yield outcome


def redrawn(audit: Audit) -> Iterator[Drew | Advanced]:
    """The draws that reach the action of the replay, though something was emitted for it."""
    rollout = list(_outcomes(audit, audit.rollout))
    unsaid = [o.draws for o in rollout if o.emits_nothing]
    again = _drawn_again(audit).difference(*unsaid)  # without extras it can only draw
    if not all(outcome.is_exact for outcome in rollout):  # noise may be for something beside
        again &= frozenset().union(*(_nodes(outcome.emitted) for outcome in rollout))
    for event in _draws(audit, audit.replay):
        if event.site.node in again:
            yield event


def recomputed(audit: Audit) -> Iterator[Outcome]:
    """The returns of the replay whose action is not the stored one, but made of it or without it.

    Noise that is emitted and put on a mean again moves with the parameters; so what is taken
    back must itself depend on all that the action did. A return that draws nothing in the
    rollout either, as under a flag, has nothing to take back.
    """
    rollout = list(_outcomes(audit, audit.rollout, every=True))
    made = [o for o in rollout if o.draws and not o.emits_nothing]
    if not made:
        return
    sites = {outcome.site.node for outcome in rollout}
    drawing = {outcome.site.node for outcome in made}
    has_policy = any(Entry.INPUT in outcome.action for outcome in made)
    for outcome in _outcomes(audit, audit.replay, every=True):
        if outcome.draws or (outcome.site.node in sites and outcome.site.node not in drawing):
            continue
        if Entry.EXTRAS not in outcome.action or _is_learned(outcome):
            yield outcome
        elif has_policy and Entry.INPUT in outcome.action:
            used = [part for o in made for part in _parts_used(o.extras, outcome.action)]
            is_noise = not any(Entry.INPUT in part and _nodes(part) for part in used)
            is_whole = not any(o.missing for o in made)  # else that is what to say
            if is_noise or (is_whole and _is_altered(outcome.extras)):
                yield outcome


def _is_learned(outcome: Outcome) -> bool:
    """Whether parameters make an action, beside what is taken back."""
    return outcome.is_exact and any(isinstance(source, Learned) for source in outcome.action)


def _is_altered(extras: Value) -> bool:
    """Whether the replay would store another action than it was given."""
    return any(
        {Entry.EXTRAS, Entry.INPUT} <= taint_of(option)
        for leaf in leaves(extras)
        for option in options(leaf)
    )


def is_answered_for(audit: Audit, node: cst.CSTNode) -> bool:
    """Whether a sampler's draw is judged as that of its action, so not as any other draw."""
    if not audit.is_sampler:
        return False
    if any(event.site.node is node for event in redrawn(audit)):
        return True
    if any(node in outcome.draws for outcome in unemitted(audit)):
        return True
    is_of_action = any(node in o.draws for o in _outcomes(audit, audit.rollout))
    return is_of_action and not is_drawn_again(audit, node)


def is_of_sample(audit: Audit, node: cst.CSTNode) -> bool:
    """Whether what is drawn at a node is, or is made, a sample that the replay gets back."""
    if any(node in _nodes(outcome.action) for outcome in _outcomes(audit, audit.rollout)):
        return not is_drawn_again(audit, node)
    return not audit.is_sampler and is_replayed(audit, node)


def _drawn_again(audit: Audit) -> frozenset[cst.CSTNode]:
    return frozenset().union(*(o.draws for o in _outcomes(audit, audit.replay)))


def _outcomes(audit: Audit, events: tuple[Event, ...], *, every: bool = False) -> Iterator[Outcome]:
    """The returns that score an action.

    Of a class that is no sampler only draws from carried keys count, unless `every` one does: its
    others are told by the rules on draws, where the replay does not get them back.
    """
    own = {event.site.node for event in _draws(audit, events)}
    for site, value in returned(events):
        output, extras = field_of(value, "output"), field_of(value, library.EXTRAS)
        action_value = _action(output)
        if not audit.is_sampler and not is_scored(output):
            continue
        action = taint_of(action_value)
        counted = action if audit.is_sampler or every else _carried(action)
        passed = {source.node for source in action if isinstance(source, Passed)}
        draws = (_nodes(counted) & own) - passed
        yield Outcome(site, action, extras, draws, action_value is not output)


def _draws(audit: Audit, events: tuple[Event, ...]) -> Iterator[Drew | Advanced]:
    """Draws of the code itself, each where a stream or key is first drawn from.

    What a layer draws counts unless it is reported as such.
    """
    for event in events:
        if isinstance(event, Advanced):
            yield event
        elif isinstance(event, Drew):
            taint = event.source.taint
            if event.layer is not None and not (
                is_threaded(taint) or is_replayed(audit, event.site.node)
            ):
                continue
            is_first = origin_of(taint) is not Origin.GIVEN_OUT
            if is_first and not any(isinstance(source, Redrawn) for source in taint):
                yield event


def _nodes(taint: Taint) -> frozenset[cst.CSTNode]:
    return frozenset(s.node for s in taint if isinstance(s, (Sample, Redrawn)))


def _carried(taint: Taint) -> Taint:
    return frozenset(source for source in taint if isinstance(source, Redrawn))


def _action(output: Value) -> Value:
    """The action in a sampler's output, or all of it where that cannot be told."""
    match output:
        case Table(items):
            return dict(items).get(_ACTION, output)
        case Layer(name, arguments) if name == library.NETWORK_OUTPUT:
            return arguments.get(_ACTIONS, 0) or output
        case _:
            return output


def _parts_used(extras: Value, action: Taint) -> Iterator[Taint]:
    """The parts of what was emitted that an action of the replay is made of."""
    parts, whole = dict(_parts(extras, library.EXTRAS)), taint_of(extras)
    taken = [source.path for source in action if isinstance(source, Taken)]
    yield from (parts.get(path, whole) for path in taken or [library.EXTRAS])


def _parts(value: Value, path: str) -> Iterator[tuple[str, Taint]]:
    yield path, taint_of(value)
    for option in options(value):
        match option:
            case Items(items):
                for index, item in enumerate(items):
                    yield from _parts(item, f"{path}[{index}]")
                    yield from _parts(item, f"{path}[{index - len(items)}]")
            case Table(entries):
                for key, item in entries:
                    yield from _parts(item, f"{path}[{key!r}]")
                    yield from _parts(item, f"{path}.{key}")
            case Record(_, fields):
                for name, item in fields:
                    yield from _parts(item, f"{path}.{name}")
            case _:
                pass
