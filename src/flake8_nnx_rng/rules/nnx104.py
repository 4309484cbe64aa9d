"""NNX104: a child layer draws by itself in the forward pass."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_nnx_rng.interpreter import Audit, Drew
from flake8_nnx_rng.rules.origin import Origin, origin_of
from flake8_nnx_rng.rules.replay import is_replayed
from flake8_nnx_rng.rules.rule import Breach, Rule, example, way
from flake8_nnx_rng.rules.streams import what_spoils

_EXCUSED = (Origin.THREADED, Origin.GIVEN_OUT, Origin.FIXED, Origin.HOST)


def check(audit: Audit) -> Iterator[Breach]:
    """A library layer drew from a stream of its own, or from one that the module holds."""
    for event in audit.events():
        if not isinstance(event, Drew) or event.layer is None:
            continue
        if origin_of(event.source.taint) in _EXCUSED:
            continue
        why = what_spoils(event) if is_replayed(audit, event.site.node) else _DIFFERS
        if why is None:
            continue
        kind = event.layer.name.removeprefix("flax.")
        child = f"{event.layer.path} ({kind})" if event.layer.path else kind
        yield Breach(
            event.site,
            f"{way(event.site)} calls {child}, which draws from {event.source.path or 'a stream'}: "
            f"{why}",
        )


_DIFFERS = (
    "rollout and loss replay will see different masks; pass a carried key per env as rngs=, or "
    "deterministic=True"
)


RULE = Rule(
    code="NNX104",
    name="drawing-child",
    observable=("replay",),
    what="""
Finds calls of layers that draw by themselves: `nnx.Dropout`, `nnx.MultiHeadAttention` with a
dropout rate, `nnx.bridge.ToNNX`, and `nnx.RNN` over a cell with a random initial carry. A call is
clear only where the rate is literally zero, where it passes a literal `deterministic=True`, or
where it passes a carried key.
""",
    why="""
The layer keeps a stream of its own, which the rollout leaves advanced. A flag given to the
constructor does not help, because `networks.train()` sets it again. Measured on nnx-ppo 0.3.0
with `nnx.Dropout(0.5)`: outputs differ by up to 6.34, and 75 % of the importance ratios are clipped
before any update.
""",
    instead="""
Carry a key per environment and map the layer over both:
`jax.vmap(lambda k, row: self.dropout(row, rngs=k))(use, x)`.
""",
    fix_safety="""
Only the masks change for `nnx.Dropout`; attention and bridged layers have no place for a key per
environment and are left to you.
""",
    invalid=(
        example("""
        from flax import nnx
        from nnx_ppo.networks.types import StatefulModule, StatefulModuleOutput


        class Regularised(StatefulModule):
            def __init__(self, rngs: nnx.Rngs):
                self.dropout = nnx.Dropout(0.1, rngs=rngs)

            def __call__(self, state, x, rollout_extras=None):
                return StatefulModuleOutput(state, self.dropout(x), 0.0, {})  # breach
        """),
    ),
    valid=(
        example("""
        import jax
        from flax import nnx
        from nnx_ppo.networks.types import StatefulModule, StatefulModuleOutput


        class Regularised(StatefulModule):
            def __init__(self, rngs: nnx.Rngs):
                self.rngs = rngs
                self.dropout = nnx.Dropout(0.1)

            def initialize_state(self, batch_size):
                return jax.random.split(self.rngs(), batch_size)

            def __call__(self, key, x, rollout_extras=None):
                next_key, use = jax.vmap(lambda k: tuple(jax.random.split(k)))(key)
                y = jax.vmap(lambda k, row: self.dropout(row, rngs=k))(use, x)
                return StatefulModuleOutput(next_key, y, 0.0, {})
        """),
    ),
    check=check,
)
