"""NNX205: a container hands on its children's states."""

from __future__ import annotations

import pytest
from support import marked, reported

from .containers import container

# `E` stands for the extras of the child that is meant.
CARELESS = {
    "each with the other's": """
        one = self.a(state[1], x, E[0])  # NNX205
        two = self.b(state[0], one.output, E[1])  # NNX205
        return Out((one.next_state, two.next_state), two.output, 0.0, {}, K)
    """,
    "returned in each other's place": """
        one = self.a(state['a'], x, E[0])  # NNX205
        two = self.b(state['b'], one.output, E[1])  # NNX205
        return Out({'a': two.next_state, 'b': one.next_state}, two.output, 0.0, {}, K)
    """,
    "the old state returned": """
        out = self.a(state, x, rollout_extras)  # NNX205
        return Out(state, out.output, 0.0, {}, out.rollout_extras)
    """,
    "no state returned": """
        out = self.a(state, x, rollout_extras)  # NNX205
        return Out((), out.output, 0.0, {}, out.rollout_extras)
    """,
    "None returned": """
        out = self.a(state, x, rollout_extras)  # NNX205
        return Out(None, out.output, 0.0, {}, out.rollout_extras)
    """,
    "the output returned as the state": """
        out = self.a(state, x, rollout_extras)  # NNX205
        return Out(out.output, out.output, 0.0, {}, out.rollout_extras)
    """,
    "replaced in the record": """
        out = self.a(state, x, rollout_extras)  # NNX205
        return dataclasses.replace(out, next_state=state)
    """,
    "one of two": """
        one = self.a(state[0], x, E[0])  # NNX205
        two = self.b(state[1], one.output, E[1])
        return Out((state[0], two.next_state), two.output, 0.0, {}, K)
    """,
    "the other of two": """
        one = self.a(state[0], x, E[0])
        two = self.b(state[1], one.output, E[1])  # NNX205
        return Out((one.next_state, one.next_state), two.output, 0.0, {}, K)
    """,
    "a critic's": """
        one = self.a(state['a'], x, E[0])
        two = self.b(state['b'], x, E[1])  # NNX205
        return Out({'a': one.next_state}, (one.output, two.output), 0.0, {}, K)
    """,
    "in a loop": """
        kept = []
        for i, (layer, s) in enumerate(zip(self.layers, state)):
            out = layer(s, x, E[i])  # NNX205
            x = out.output
            kept.append(out.rollout_extras)
        return Out(state, x, 0.0, {}, kept)
    """,
    "in a loop that gathers the old ones": """
        states, kept = [], []
        for i, (layer, s) in enumerate(zip(self.layers, state)):
            out = layer(s, x, E[i])  # NNX205
            x = out.output
            states.append(s)
            kept.append(out.rollout_extras)
        return Out(states, x, 0.0, {}, kept)
    """,
    "in a loop over a dict": """
        states, kept = {}, {}
        for name, layer in self.named.items():
            out = layer(state[name], x, E[name])  # NNX205
            x = out.output
            states[name], kept[name] = state[name], out.rollout_extras
        return Out(states, x, 0.0, {}, kept)
    """,
    "in a comprehension": """
        outs = [c(s, x, e) for c, s, e in zip(self.layers, state, E)]  # NNX205
        return Out(state, [o.output for o in outs], 0.0, {}, [o.rollout_extras for o in outs])
    """,
    "in a helper": """
        y, kept = self.run(state, x, rollout_extras)
        return Out(state, y, 0.0, {}, kept)
    """,
    "on one of two returns": """
        out = self.a(state, x, rollout_extras)  # NNX205
        if self.training:
            return Out(state, out.output, 0.0, {}, out.rollout_extras)
        return out
    """,
    "in one arm": """
        if self.training:
            out = self.a(state, x, rollout_extras)  # NNX205
            return Out((), out.output, 0.0, {}, out.rollout_extras)
        return self.b(state, x, rollout_extras)
    """,
    "a keyed layer's": """
        out = self.keyed(state, x)  # NNX205
        return Out(state, out.output, 0.0, {})
    """,
    "a keyed layer's, its output alone": """
        return Out(state, self.keyed(state, x).output, 0.0, {})  # NNX205
    """,
    "a keyed layer without a state": """
        out = self.keyed((), x)  # NNX205
        return Out((), out.output, 0.0, {})
    """,
    "a keyed layer with None": """
        out = self.keyed(None, x)  # NNX205
        return Out(out.next_state, out.output, 0.0, {})
    """,
    "the library's bottleneck": """
        out = self.bottleneck(state, x)  # NNX205
        return Out(state, out.output, 0.0, {})
    """,
    "the library's bottleneck without a state": """
        out = self.bottleneck((), x)  # NNX205
        return Out(out.next_state, out.output, 0.0, {})
    """,
    "the library's recurrent layer": """
        out = self.lstm(state, x)  # NNX205
        return Out(state, out.output, 0.0, {})
    """,
    "made anew": """
        out = self.bottleneck(self.bottleneck.initialize_state(x.shape[0]), x)  # NNX205
        return Out(out.next_state, out.output, 0.0, {})
    """,
    "a given child's made anew": """
        out = self.a(self.a.initialize_state(x.shape[0]), x, rollout_extras)  # NNX205
        return Out(out.next_state, out.output, 0.0, {}, out.rollout_extras)
    """,
    "a given child's made anew by way of a name": """
        seed = self.a.initialize_state(len(x))
        out = self.a(seed, x, rollout_extras)  # NNX205
        return Out(state, out.output, 0.0, {}, out.rollout_extras)
    """,
    "made of zeros": """
        out = self.lstm((jnp.zeros((4, 3)), jnp.zeros((4, 3))), x)  # NNX205
        return Out(out.next_state, out.output, 0.0, {})
    """,
    "kept in the module": """
        out = self.a(self.start, x, rollout_extras)  # NNX205
        return Out(out.next_state, out.output, 0.0, {}, out.rollout_extras)
    """,
    "a keyed layer in a container": """
        out = self.net(state, x)  # NNX205
        return Out(state, out.output, 0.0, {})
    """,
    "a keyed layer in a container of the project": """
        out = self.wrapped(state, x)  # NNX205
        return Out((), out.output, 0.0, {})
    """,
    "a keyed layer two levels down": """
        out = self.deep(state, x)  # NNX205
        return Out(state, out.output, 0.0, {})
    """,
    "one of known layers": """
        for layer in self.known:
            x = layer(state, x).output  # NNX205
        return Out(state, x, 0.0, {})
    """,
    "in a conditional of JAX": """
        y = jax.lax.cond(
            jnp.all(x > 0),
            lambda: self.keyed(state, x).output,  # NNX205
            lambda: x,
        )
        return Out(state, y, 0.0, {})
    """,
    "under a compiled call": """
        out = nnx.jit(lambda m, s, v: m(s, v))(self.keyed, state, x)  # NNX205
        return Out(state, out.output, 0.0, {})
    """,
    "a match": """
        match x.ndim:
            case 2:
                out = self.keyed(state, x)  # NNX205
            case _:
                out = self.bottleneck(state, x)  # NNX205
        return Out(state, out.output, 0.0, {})
    """,
    "a ternary": """
        out = self.keyed(state, x) if self.training else self.plain((), x)  # NNX205
        return Out(state, out.output, 0.0, {})
    """,
    "its loss alone": """
        loss = self.bottleneck(state, x).regularization_loss  # NNX205
        return Out(state, x, loss, {})
    """,
    "under its name": """
        out = getattr(self, 'keyed')(state, x)  # NNX205
        return Out(state, out.output, 0.0, {})
    """,
    "by keywords": """
        out = self.keyed(state=state, x=x)  # NNX205
        return Out(next_state=state, output=out.output, regularization_loss=0.0, metrics={})
    """,
    "in a try": """
        try:
            out = self.keyed(state, x)  # NNX205
        finally:
            pass
        return Out(state, out.output, 0.0, {})
    """,
    "stopped, as if that were enough": """
        out = self.keyed(state, x)  # NNX205
        return Out(jax.lax.stop_gradient(state), out.output, 0.0, {})
    """,
}
INITS = {
    "self.net": "self.net = Sequential([Dense(dim, dim, rngs), VariationalBottleneck(dim, rngs)])",
    "self.wrapped": "self.wrapped = Wrapped(Keyed(rngs))",
    "self.deep": "self.deep = Wrapped(Parallel(a=Wrapped(Keyed(rngs))))",
    "self.known": "self.known = [Dense(dim, dim, rngs), Keyed(rngs)]",
    "self.quiet": "self.quiet = Wrapped(Sequential([Dense(dim, dim, rngs), Plain()]))",
    "self.dull": "self.dull = [Dense(dim, dim, rngs), Plain(), Normalizer(dim)]",
    "self.training": "self.training = True",
    "self.start": "self.start = nnx.Variable(jnp.zeros(3))",
}
MEMBERS = """
def run(self, state, x, given):
    out = self.a(state, x, given)  # NNX205
    return out.output, out.rollout_extras
"""

CAREFUL = {
    "beside something of its own": """
        out = self.a(state['a'], x, rollout_extras)
        return Out({**state, 'a': out.next_state}, out.output, 0.0, {}, out.rollout_extras)
    """,
    "in a pass that may leave out either": """
        one = self.a(state['a'], x, E[0])
        after, y, kept = {**state, 'a': one.next_state}, one.output, None
        if self.training:
            two = self.b(after['b'], y, E[1])
            after, y, kept = {**after, 'b': two.next_state}, two.output, two.rollout_extras
        return Out(after, y, 0.0, {}, (one.rollout_extras, kept))
    """,
    "handed on": "return self.a(state, x, rollout_extras)",
    "field by field": """
        out = self.a(state, x, rollout_extras)
        return Out(out.next_state, out.output, 0.0, {}, out.rollout_extras)
    """,
    "two": """
        one = self.a(state[0], x, E[0])
        two = self.b(state[1], one.output, E[1])
        return Out((one.next_state, two.next_state), two.output, 0.0, {}, K)
    """,
    "two by name": """
        one = self.a(state['a'], x, E[0])
        two = self.b(state['b'], one.output, E[1])
        return Out({'a': one.next_state, 'b': two.next_state}, two.output, 0.0, {}, K)
    """,
    "into a copy of the state": """
        after = dict(state)
        one = self.a(after['a'], x, E[0])
        after['a'] = one.next_state
        two = self.b(after['b'], one.output, E[1])
        after['b'] = two.next_state
        return Out(after, two.output, 0.0, {}, K)
    """,
    "beside what is kept": """
        one = self.keyed(state['a'], x)
        return Out({**state, 'a': one.next_state}, one.output, 0.0, {})
    """,
    "beside a state of its own": """
        out = self.keyed(state[0], x)
        return Out((out.next_state, state[1] + 1), out.output, 0.0, {})
    """,
    "in a loop": """
        states, kept = [], []
        for i, (layer, s) in enumerate(zip(self.layers, state)):
            out = layer(s, x, E[i])
            x = out.output
            states.append(out.next_state)
            kept.append(out.rollout_extras)
        return Out(states, x, 0.0, {}, kept)
    """,
    "in a loop over a dict": """
        states, kept = {}, {}
        for name, layer in self.named.items():
            out = layer(state[name], x, E[name])
            x = out.output
            states[name], kept[name] = out.next_state, out.rollout_extras
        return Out(states, x, 0.0, {}, kept)
    """,
    "in a loop, in place": """
        states, kept = list(state), []
        for i, layer in enumerate(self.layers):
            out = layer(states[i], x, E[i])
            states[i] = out.next_state
            x = out.output
            kept.append(out.rollout_extras)
        return Out(states, x, 0.0, {}, kept)
    """,
    "into a tuple": """
        outs = tuple(c(s, x, e) for c, s, e in zip(self.layers, state, E))
        states = tuple(o.next_state for o in outs)
        return Out(states, [o.output for o in outs], 0.0, {}, [o.rollout_extras for o in outs])
    """,
    "the same layer again": """
        for _ in range(3):
            out = self.keyed(state, x)
            state, x = out.next_state, out.output
        return Out(state, x, 0.0, {})
    """,
    "frozen by a mask": """
        out = self.keyed(state, x)
        frozen = jax.tree.map(lambda new, old: jnp.where(x > 0, new, old), out.next_state, state)
        return Out(frozen, out.output, 0.0, {})
    """,
    "a plain layer": """
        out = self.plain((), x)
        return Out((), out.output, 0.0, {})
    """,
    "a plain layer with whatever there is": """
        out = self.plain(state, x)
        return Out(state, out.output, 0.0, {})
    """,
    "a library's plain layer": """
        return Out(state, self.dense((), x).output, 0.0, {})
    """,
    "a library's sampler": """
        out = self.tanh((), x, rollout_extras)
        return Out((), out.output, 0.0, {}, out.rollout_extras)
    """,
    "a sampler of the project with None": """
        out = self.sampling(None, x, rollout_extras)
        return Out(state, out.output, 0.0, {}, out.rollout_extras)
    """,
    "a child that is known to have none": """
        out = self.a((), x, rollout_extras)
        return Out(state, out.output, 0.0, {}, out.rollout_extras)
    """,
    "plain layers in containers": """
        out = self.quiet(state, x)
        return Out(state, out.output, 0.0, {})
    """,
    "plain layers in a loop": """
        for layer in self.dull:
            x = layer((), x).output
        return Out(state, x, 0.0, {})
    """,
    "a function of two arguments": "return Out(state, self.a(x, 2.0) + 1.0, 0.0, {})",
    "a function of the state": "return Out(state, self.a(state, x), 0.0, {})",
    "a cell": """
        state, y = self.a(state, x)
        return Out(state, y, 0.0, {})
    """,
    "a child that is not used": """
        out = self.keyed(state, x)
        return Out(state, x, 0.0, {})
    """,
    "a child of one arm": """
        if self.training:
            return Out(state, x, 0.0, {})
        return self.keyed(state, x)
    """,
    "a gated child": """
        y, after = x, state
        if self.training:
            out = self.keyed(state, x)
            y, after = out.output, out.next_state
        return Out(after, y, 0.0, {})
    """,
    "in a conditional of JAX": """
        after, y = jax.lax.cond(
            jnp.all(x > 0),
            lambda: (lambda out: (out.next_state, out.output))(self.keyed(state, x)),
            lambda: (state, x),
        )
        return Out(after, y, 0.0, {})
    """,
    "reset where it is done": """
        fresh = jax.tree.map(jnp.zeros_like, state)
        out = self.lstm(jax.tree.map(lambda a, b: jnp.where(x, a, b), fresh, state), x)
        return Out(out.next_state, out.output, 0.0, {})
    """,
}
EXTRAS = "(rollout_extras if rollout_extras is not None else (None, None))"
KEPT = "(one.rollout_extras, two.rollout_extras)"


def _written(body: str, members: str = "") -> str:
    init = "\n".join(line for name, line in INITS.items() if name in body)
    body = body.replace(" E[", f" {EXTRAS}[").replace(" E)", f" {EXTRAS})")
    return container(body.replace(", K)", f", {KEPT})"), init, members)


@pytest.mark.parametrize("body", CARELESS.values(), ids=CARELESS)
def test_a_child_whose_state_is_lost_is_reported_at_its_call(body: str) -> None:
    code = _written(body, MEMBERS if "self.run" in body else "")
    assert marked(code)
    assert reported(code) == marked(code)


@pytest.mark.parametrize("body", CAREFUL.values(), ids=CAREFUL)
def test_children_that_get_their_state_or_have_none_are_silent(body: str) -> None:
    assert reported(_written(body)) == []
