"""NNX404: a parameter's default is a stream that all instances share."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_nnx_rng.interpreter import Audit
from flake8_nnx_rng.rules.rule import Breach, Rule, example, way


def check(audit: Audit) -> Iterator[Breach]:
    """A method of the class has a key or stream as a default."""
    for event in audit.defaults:
        yield Breach(
            event.site,
            f"{way(event.site)} has one RNG object as the default of {event.parameter}: it is made "
            "once and shared by every instance, so layers are initialised alike; require the "
            "argument",
        )


RULE = Rule(
    code="NNX404",
    name="shared-default-stream",
    observable=("independence",),
    what="""
Finds parameters whose default is an `nnx.Rngs`, an `nnx.RngStream` or a key, such as
`rngs: nnx.Rngs = nnx.Rngs(0)`.
""",
    why="""
Python evaluates a default once, when the function is defined. Every instance that is built without
the argument draws from the same object: how one layer is initialised depends on which others were
built before, and all start from one seed that nobody chose. It is only a smell, so it is off by
default.
""",
    instead="Require the argument, or take a seed and make the stream in the constructor.",
    fix_safety="Callers that relied on the default must pass a stream.",
    invalid=(
        example("""
        from flax import nnx
        from nnx_ppo.networks.types import StatefulModule, StatefulModuleOutput


        class Torso(StatefulModule):
            def __init__(self, rngs: nnx.Rngs = nnx.Rngs(0)):  # breach
                self.linear = nnx.Linear(8, 8, rngs=rngs)

            def __call__(self, state, x, rollout_extras=None):
                return StatefulModuleOutput(state, self.linear(x), 0.0, {})
        """),
    ),
    valid=(
        example("""
        from flax import nnx
        from nnx_ppo.networks.types import StatefulModule, StatefulModuleOutput


        class Torso(StatefulModule):
            def __init__(self, rngs: nnx.Rngs):
                self.linear = nnx.Linear(8, 8, rngs=rngs)

            def __call__(self, state, x, rollout_extras=None):
                return StatefulModuleOutput(state, self.linear(x), 0.0, {})
        """),
    ),
    check=check,
    by_default=False,
)
