"""NNX107: the host's randomness is read in the forward pass."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_nnx_rng.interpreter import Audit, DrewOnHost
from flake8_nnx_rng.rules.rule import Breach, Rule, example, way


def check(audit: Audit) -> Iterator[Breach]:
    """A host generator drew, or a clock became a seed."""
    for event in audit.events():
        if isinstance(event, DrewOnHost):
            yield Breach(
                event.site,
                f"{way(event.site)} calls {event.name} on the host: jit freezes its noise when it "
                "traces, and rollout and loss replay are traced apart; draw with jax.random from "
                "a key carried per env",
            )


RULE = Rule(
    code="NNX107",
    name="host-randomness",
    observable=("replay", "freshness"),
    what="""
Finds randomness of the host in the forward pass: `random`, `numpy.random`, `secrets`, PyTorch, and
clocks that become seeds.
""",
    why="""
Under `jit` the host draws once, when the function is traced: every step sees the same numbers, and
the loss, traced apart, sees others. Measured on nnx-ppo 0.3.0: outputs differ by up to 4.41, and
95 % of the importance ratios are clipped before any update.
""",
    instead="Draw with `jax.random` from a key that is carried per environment.",
    fix_safety="Only the random numbers change; the carry gains a key where it had none.",
    invalid=(
        example("""
        import numpy as np
        from nnx_ppo.networks.types import StatefulModule, StatefulModuleOutput


        class HostNoise(StatefulModule):
            def __call__(self, state, x, rollout_extras=None):
                noise = np.random.normal(size=x.shape)  # breach
                return StatefulModuleOutput(state, x + noise, 0.0, {})
        """),
    ),
    valid=(
        example("""
        import numpy as np
        from nnx_ppo.networks.types import StatefulModule, StatefulModuleOutput


        class HostInit(StatefulModule):
            def __init__(self, features: int):
                self.scale = np.random.default_rng(0).normal(size=features)

            def __call__(self, state, x, rollout_extras=None):
                return StatefulModuleOutput(state, x * self.scale, 0.0, {})
        """),
    ),
    check=check,
)
