"""NNX206: keys of an implementation whose draws depend on the batch position."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_nnx_rng.interpreter import Chosen
from flake8_nnx_rng.knowledge.keys import BATCH_DEPENDENT
from flake8_nnx_rng.rules.rule import Breach, Rule, example


def check_choice(choice: Chosen, carrier: str) -> Iterator[Breach]:
    """An implementation was chosen under which a draw depends on its row in the batch."""
    if choice.implementation in BATCH_DEPENDENT:
        yield Breach(
            choice.site,
            f"keys of implementation {choice.implementation} draw by batch position under vmap, "
            f"and {carrier} carries keys: the loss replay of a minibatch will see different noise; "
            "use threefry2x32",
        )


RULE = Rule(
    code="NNX206",
    name="batch-dependent-keys",
    observable=("replay",),
    what="""
Finds keys of implementation `rbg` or `unsafe_rbg` in a project whose modules carry keys: the `impl`
argument of `jax.random.key` and its kin, `jax.config.update("jax_default_prng_impl", ...)`,
`jax.default_prng_impl(...)` and the environment variable. Not reported where it is known of every
module that the replay compares nothing which it draws under a map: what is drawn one after the
other, or comes back as `rollout_extras`.
""",
    why="""
Under `vmap` these generators draw by the position in the batch, not by the key alone: four equal
keys give four different rows. JAX documents it. The loss replays permuted minibatches, in which
every environment stands elsewhere. Measured with nnx-ppo's `VariationalBottleneck`: importance
ratios are off by up to 2e14 with `rbg` and 2e5 with `unsafe_rbg`, against 2.5e-6 with
`threefry2x32`, and nothing raises.
""",
    instead="Use `threefry2x32`, JAX's default; on small batches it is also the faster one.",
    fix_safety="Only the random numbers change.",
    invalid=(
        example("""
        import jax
        from nnx_ppo.networks.types import StatefulModule, StatefulModuleOutput


        class Noisy(StatefulModule):
            def initialize_state(self, batch_size):
                return jax.random.split(jax.random.key(0, impl="rbg"), batch_size)  # breach

            def __call__(self, key, x, rollout_extras=None):
                following, use = jax.vmap(lambda k: tuple(jax.random.split(k)))(key)
                x += jax.vmap(lambda k, row: jax.random.normal(k, row.shape))(use, x)
                return StatefulModuleOutput(following, x, 0.0, {})
        """),
    ),
    valid=(
        example("""
        import jax
        from nnx_ppo.networks.types import StatefulModule, StatefulModuleOutput


        class Noisy(StatefulModule):
            def initialize_state(self, batch_size):
                return jax.random.split(jax.random.key(0, impl="threefry2x32"), batch_size)

            def __call__(self, key, x, rollout_extras=None):
                following, use = jax.vmap(lambda k: tuple(jax.random.split(k)))(key)
                x += jax.vmap(lambda k, row: jax.random.normal(k, row.shape))(use, x)
                return StatefulModuleOutput(following, x, 0.0, {})
        """),
    ),
    check_choice=check_choice,
)
