"""What the module is: a layer, a sampler with a contract, one of a container's children."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Role:
    """The end of a forward pass.

    Attributes:
        text: The statements from the draws on: `$calls` draw, `$sinks` use what is drawn for other
            ends than the sample `noise0`, `$late` moves the carry on, `$state` is the next one.
        base: The class that it derives from.
        samples: Whether the first noise is its sample.
    """

    text: str
    base: str = "StatefulModule"
    samples: bool = True


_SCORE = "score = -jnp.sum((raw - y) ** 2, axis=-1)\n$late\n"
_RETURN = "return Out($state, {'action': raw, 'log_likelihood': score}, $loss, $metrics"
_FRESH = "$calls\n$sinks\nfresh = jax.lax.stop_gradient(y + noise0)\n"
_KEPT = (
    f"{_FRESH}raw = fresh if rollout_extras is None else rollout_extras\n{_SCORE}{_RETURN}, raw)"
)
_FORGOTTEN = f"{_FRESH}raw = fresh\n{_SCORE}{_RETURN})"
_IGNORED = f"{_FRESH}raw = fresh\n{_SCORE}{_RETURN}, raw)"
_ALONE = (
    "$sinks\nif rollout_extras is None:\n    $calls\n    raw = jax.lax.stop_gradient(y + noise0)\n"
    f"else:\n    raw = rollout_extras\n{_SCORE}{_RETURN}, raw)"
)
_SAMPLER = "ActionSampler"

ROLES: Mapping[str, Role] = {
    "layer": Role("$calls\n$sinks\n$late\nreturn Out($state, y, $loss, $metrics)", samples=False),
    "sampler, extras kept": Role(_KEPT, _SAMPLER),
    "sampler, extras forgotten": Role(_FORGOTTEN, _SAMPLER),
    "sampler, extras ignored": Role(_IGNORED, _SAMPLER),
    "sampler, drawn only without extras": Role(_ALONE, _SAMPLER),
    "sampler, early return": Role(
        f"{_FRESH}if rollout_extras is not None:\n"
        "    score = -jnp.sum((rollout_extras - y) ** 2, axis=-1)\n"
        "    $late\n"
        "    output = {'action': rollout_extras, 'log_likelihood': score}\n"
        "    return Out($state, output, $loss, $metrics, rollout_extras)\n"
        f"raw = fresh\n{_SCORE}{_RETURN}, raw)",
        _SAMPLER,
    ),
    "sampler, extras in a dict": Role(
        f"{_FRESH}raw = fresh if rollout_extras is None else rollout_extras['raw']\n"
        f"{_SCORE}{_RETURN}, {{'raw': raw}})",
        _SAMPLER,
    ),
    "sampler, mean kept": Role(
        f"{_FRESH}raw = fresh if rollout_extras is None else rollout_extras\n{_SCORE}{_RETURN}, y)",
        _SAMPLER,
    ),
    "sampler, action moved": Role(
        f"{_FRESH}raw = fresh if rollout_extras is None else rollout_extras + y\n"
        f"{_SCORE}{_RETURN}, raw)",
        _SAMPLER,
    ),
    "sampler, noise kept": Role(
        "$calls\n$sinks\nkept = noise0 if rollout_extras is None else rollout_extras\n"
        f"raw = y + kept\n{_SCORE}{_RETURN}, kept)",
        _SAMPLER,
    ),
    "sampler by contract alone": Role(_KEPT),
    "sampler by name of its output, extras ignored": Role(_IGNORED),
    "emitting": Role(
        "$calls\n$sinks\nkept = noise0 if rollout_extras is None else rollout_extras\n$late\n"
        "return Out($state, y + kept, $loss, $metrics, kept)"
    ),
    "emitting, ignored": Role(
        "$calls\n$sinks\n$late\nreturn Out($state, y + noise0, $loss, $metrics, noise0)"
    ),
}
"""By name."""


@dataclass(frozen=True)
class Shell:
    """A class around the module.

    Attributes:
        text: The class `M`; nothing if the module is it.
        other: Whether the module stands in another file.
    """

    text: str = ""
    other: bool = False


def _container(call: str, returned: str) -> str:
    return f"""
        class M(StatefulModule):
            def __init__(self, rngs):
                self.inner = Inner(rngs)
                self.last = Last()

            def initialize_state(self, batch_size):
                first = self.inner.initialize_state(batch_size)
                return {{'inner': first, 'last': self.last.initialize_state(batch_size)}}

            def reset_state(self, prev_state):
                first = self.inner.reset_state(prev_state['inner'])
                return {{'inner': first, 'last': self.last.reset_state(prev_state['last'])}}

            def __call__(self, state, x, rollout_extras=None):
                extras = rollout_extras or {{'inner': None, 'last': None}}
                last = self.last(state['last'], x, extras['last'])
                {call}
                following = {{'inner': out.next_state, 'last': last.next_state}}
                kept = {{'inner': out.rollout_extras, 'last': last.rollout_extras}}
                {returned}


        class Last(StatefulModule):
            def __call__(self, state, x, rollout_extras=None):
                return Out(state, jnp.tanh(x), 0.0, {{}})
    """


_CALL = "out = self.inner(state['inner'], last.output, extras['inner'])"
_WHOLE = "return Out({}, out.output, out.regularization_loss, out.metrics, {})"
_WRAPPED = """
    class M(StatefulModule):
        def __init__(self, rngs):
            self.inner = Inner(rngs)

        def initialize_state(self, batch_size):
            return self.inner.initialize_state(batch_size)

        def reset_state(self, prev_state):
            return self.inner.reset_state(prev_state)

        def __call__(self, state, x, rollout_extras=None):
            return self.inner(state, x, rollout_extras)
"""
_CHAIN = """
    class M(StatefulModule):
        def __init__(self, rngs):
            self.layers = nnx.List([Last(), Inner(rngs)])

        def initialize_state(self, batch_size):
            return [layer.initialize_state(batch_size) for layer in self.layers]

        def reset_state(self, prev_state):
            return [layer.reset_state(s) for layer, s in zip(self.layers, prev_state)]

        def __call__(self, state, x, rollout_extras=None):
            extras = rollout_extras or [None] * len(self.layers)
            following, kept = [], []
            for layer, before, extra in zip(self.layers, state, extras):
                out = layer(before, x, extra)
                x = out.output
                following.append($next)
                kept.append(out.rollout_extras)
            return Out(following, x, out.regularization_loss, out.metrics, kept)


    class Last(StatefulModule):
        def __call__(self, state, x, rollout_extras=None):
            return Out(state, jnp.tanh(x), 0.0, {})
"""

SHELLS: Mapping[str, Shell] = {
    "none": Shell(),
    "a subclass": Shell("class M(Inner):\n    size = 2"),
    "a subclass of another file's": Shell("class M(Inner):\n    size = 2", other=True),
    "a subclass that calls super": Shell(
        "class M(Inner):\n    def __call__(self, state, x, rollout_extras=None):\n"
        "        return super().__call__(state, jnp.tanh(x), rollout_extras)"
    ),
    "a wrapper": Shell(_WRAPPED),
    "a wrapper of another file's": Shell(_WRAPPED, other=True),
    "a container": Shell(_container(_CALL, _WHOLE.format("following", "kept"))),
    "a container, extras not given": Shell(
        _container(
            "out = self.inner(state['inner'], last.output)", _WHOLE.format("following", "kept")
        )
    ),
    "a container, extras not returned": Shell(
        _container(_CALL, "return Out(following, out.output, out.regularization_loss, out.metrics)")
    ),
    "a container, state dropped": Shell(_container(_CALL, _WHOLE.format("state", "kept"))),
    "a chain": Shell(_CHAIN.replace("$next", "out.next_state")),
    "a chain, state dropped": Shell(_CHAIN.replace("$next", "before")),
}
"""By name."""
