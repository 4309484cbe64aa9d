"""NNX203: a draw from carried keys is not made env by env."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_nnx_rng.interpreter import Audit, Derived, Drew
from flake8_nnx_rng.interpreter.events import Use
from flake8_nnx_rng.interpreter.taint import Call, Entry, Spread, carried_in, is_threaded
from flake8_nnx_rng.rules import patterns
from flake8_nnx_rng.rules.carry import of_others
from flake8_nnx_rng.rules.replay import is_replayed
from flake8_nnx_rng.rules.rule import Breach, Rule, example, way

_HOW = {
    Spread.OTHER: "uses another env's {} than the one it draws for",
    Spread.ALL: "uses {} of all envs in one call",
}


def check(audit: Audit) -> Iterator[Breach]:
    """A carried key was drawn from, split or folded into outside a map over the envs."""
    for event in audit.events():
        if not isinstance(event, (Drew, Derived)):
            continue
        fault = next(_faults(event), None)
        if fault is not None and not _comes_back(audit, event):
            yield Breach(event.site, f"{way(event.site)} {fault}")


def _comes_back(audit: Audit, event: Drew | Derived) -> bool:
    """Whether the replay gets the numbers back that are drawn there, or from what is made there."""
    if isinstance(event, Drew):
        return is_replayed(audit, event.site.node)
    parts = _threaded(event)
    draws = [e.site.node for e in audit.events() if isinstance(e, Drew) and _threaded(e) & parts]
    return bool(draws) and all(is_replayed(audit, node) for node in draws)


def _threaded(event: Drew | Derived) -> frozenset[str | Entry]:
    """What of the carry, the input and the extras a key is made of."""
    taint = event.source.taint
    entries = (source for source in taint if isinstance(source, Entry))
    return frozenset({*entries, *(source.path for source in carried_in(taint))})


def _faults(event: Drew | Derived) -> Iterator[str]:
    for source in of_others(event.source.taint):
        yield f"{_HOW[source.spread].format(source.path)}: {_WHY}"
    is_folded = isinstance(event, Derived) and event.use is Use.FOLDED and Call.ENV in event.given
    if is_folded and is_threaded(event.source.taint):
        yield _PLACE


_WHY = (
    "a minibatch of the loss replay will see different noise; map it over the envs: "
    "jax.vmap(lambda k, row: ...)(key, x)"
)


_PLACE = (
    "folds in the place in the batch, which is another one in a minibatch of the loss replay: it "
    "will see different noise; split the env's own key, or fold in what is carried"
)


RULE = Rule(
    code="NNX203",
    name="batch-draw",
    observable=("replay",),
    what="""
Finds draws, splits and `fold_in`s that take one environment's key for the whole batch
(`normal(key[0], x.shape)`), or all keys in one call that is not mapped over the environments; and a
`fold_in` of the place in the batch.
""",
    why="""
What an environment draws then depends on where it stands in the batch and on who stands first. The
loss replays permuted minibatches: other environments, other rows. A replay of the full batch agrees
by accident. Measured on nnx-ppo 0.3.0: outputs differ by up to 4.34 on a minibatch, 0 on the full
batch.
""",
    instead="""
Map the draw over keys and rows: `jax.vmap(lambda k, row: normal(k, row.shape))(use, x)`.
""",
    fix_safety="Only the random numbers change.",
    invalid=(
        example("""
        import jax
        from nnx_ppo.networks.types import StatefulModule, StatefulModuleOutput


        class FirstDecides(StatefulModule):
            def __init__(self, rngs):
                self.rngs = rngs

            def initialize_state(self, batch_size):
                return jax.random.split(self.rngs(), batch_size)

            def __call__(self, key, x, rollout_extras=None):
                following, use = jax.vmap(lambda k: tuple(jax.random.split(k)))(key)
                x += jax.random.normal(use[0], x.shape)  # breach
                return StatefulModuleOutput(following, x, 0.0, {})
        """),
    ),
    valid=(patterns.NOISE,),
    check=check,
)
