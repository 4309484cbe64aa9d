"""NNX101: a class-level stream is drawn from in the forward pass."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_nnx_rng.interpreter import Advanced, Audit, Drew
from flake8_nnx_rng.interpreter.taint import is_threaded
from flake8_nnx_rng.interpreter.values import Instance, Layer, Stream, taint_of
from flake8_nnx_rng.rules.replay import is_replayed
from flake8_nnx_rng.rules.rule import Breach, Rule, example, way
from flake8_nnx_rng.rules.sampling import is_answered_for
from flake8_nnx_rng.rules.streams import what_spoils


def check(audit: Audit) -> Iterator[Breach]:
    """A held stream gave out keys, numbers or streams that the replay does not get back."""
    for event in audit.events():
        match event:
            case Drew(_, Stream() as source, None):
                does = "draws from class-level"
            case Advanced(_, Stream() as source):
                does = "advances class-level"
            case Advanced(_, (Instance() | Layer()) as source):
                does = "advances every stream of"
            case _:
                continue
        path = source.path
        node = event.site.node
        if path is None or is_threaded(taint_of(source)):
            continue
        is_given_back = is_replayed(audit, node) or is_answered_for(audit, node)
        why = what_spoils(event) if is_given_back else _DIFFERS
        if why is not None:
            yield Breach(event.site, f"{way(event.site)} {does} {path}: {why}")


_DIFFERS = "rollout and loss replay will see different noise; carry one key per env in the state"


RULE = Rule(
    code="NNX101",
    name="class-level-stream",
    observable=("replay", "purity"),
    what="""
Finds draws from an `nnx.Rngs` or `nnx.RngStream` that belongs to the module (or to the Python
file) in code that `__call__` reaches: calls, named streams, subscripts, `getattr`, the draw
methods, `fork`, `split`, `broadcast`, `nnx.split_rngs`, `nnx.fork_rngs`, `nnx.reseed` and draws
from a clone. An action sampler may draw its sample from a stream of its own that goes on from step
to step: not from a clone, after a reseed, or where `jax.jit`, `lax.scan` and their kin trace.
""",
    why="""
PPO runs the network twice. The rollout leaves the stream advanced, so the loss replay draws other
numbers; it also draws for a minibatch instead of for all environments. The importance ratios then
compare two different networks and the gradient is silently wrong. Measured on nnx-ppo 0.3.0:
outputs differ by up to 5.31, and 96 % of the ratios are clipped before any update, instead of none.
""",
    instead="""
Seed one key per environment in `initialize_state`, take it from the state in `__call__`, split it
per environment, draw from one half and return the other as the next state.
""",
    fix_safety="Only the random numbers change; the carry gains a key where it had none.",
    invalid=(
        example("""
        import jax
        from flax import nnx
        from nnx_ppo.networks.types import StatefulModule, StatefulModuleOutput


        class NoisyDense(StatefulModule):
            def __init__(self, features: int, rngs: nnx.Rngs):
                self.linear = nnx.Linear(features, features, rngs=rngs)
                self.rngs = rngs

            def __call__(self, state, x, rollout_extras=None):
                y = self._perturb(self.linear(x))
                return StatefulModuleOutput(state, y, 0.0, {})

            def _perturb(self, y):
                return y + jax.random.normal(self.rngs.noise(), y.shape)  # breach
        """),
    ),
    valid=(
        example("""
        import jax
        from flax import nnx
        from nnx_ppo.networks.types import StatefulModule, StatefulModuleOutput


        class NoisyDense(StatefulModule):
            def __init__(self, features: int, rngs: nnx.Rngs):
                self.linear = nnx.Linear(features, features, rngs=rngs)
                self.rngs = rngs

            def initialize_state(self, batch_size):
                return jax.random.split(self.rngs.noise(), batch_size)

            def __call__(self, key, x, rollout_extras=None):
                y = self.linear(x)
                next_key, use = jax.vmap(lambda k: tuple(jax.random.split(k)))(key)
                noise = jax.vmap(lambda k, row: jax.random.normal(k, row.shape))(use, y)
                return StatefulModuleOutput(next_key, y + noise, 0.0, {})
        """),
    ),
    check=check,
)
