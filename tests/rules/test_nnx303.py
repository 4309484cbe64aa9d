"""NNX303: a container hands on its children's `rollout_extras`."""

from __future__ import annotations

import pytest
from support import marked, reported

from .containers import container

FORGETFUL = {
    "a given child called without": """
        out = self.a(state, x)  # NNX303
        return Out(out.next_state, out.output, 0.0, {}, out.rollout_extras)
    """,
    "a given child called with None": """
        out = self.a(state, x, None)  # NNX303
        return Out(out.next_state, out.output, 0.0, {}, out.rollout_extras)
    """,
    "with None by keyword": """
        out = self.a(state, x, rollout_extras=None)  # NNX303
        return Out(out.next_state, out.output, 0.0, {}, out.rollout_extras)
    """,
    "with something empty": """
        out = self.a(state, x, ())  # NNX303
        return Out(out.next_state, out.output, 0.0, {}, out.rollout_extras)
    """,
    "with the input": """
        out = self.a(state, x, x)  # NNX303
        return Out(out.next_state, out.output, 0.0, {}, out.rollout_extras)
    """,
    "not returned": """
        out = self.a(state, x, rollout_extras)  # NNX303
        return Out(out.next_state, out.output, 0.0, {})
    """,
    "returned as None": """
        out = self.a(state, x, rollout_extras)  # NNX303
        return Out(out.next_state, out.output, 0.0, {}, None)
    """,
    "its own extras returned": """
        out = self.a(state, x, rollout_extras)  # NNX303
        return Out(out.next_state, out.output, 0.0, {}, rollout_extras)
    """,
    "the state returned in their place": """
        out = self.a(state, x, rollout_extras)  # NNX303
        return Out(out.next_state, out.output, 0.0, {}, out.next_state)
    """,
    "handed on as it is": "return self.a(state, x)  # NNX303",
    "handed on with other metrics": """
        out = self.a(state, x)  # NNX303
        return dataclasses.replace(out, metrics={})
    """,
    "replaced in the record": """
        out = self.a(state, x, rollout_extras)  # NNX303
        return dataclasses.replace(out, rollout_extras=None)
    """,
    "the second of two": """
        out = self.a(state[0], x, None if rollout_extras is None else rollout_extras[0])
        two = self.b(state[1], out.output)  # NNX303
        next_state = out.next_state, two.next_state
        return Out(next_state, two.output, 0.0, {}, (out.rollout_extras, two.rollout_extras))
    """,
    "the first of two not returned": """
        out = self.a(state[0], x, None if rollout_extras is None else rollout_extras[0])  # NNX303
        two = self.b(state[1], out.output, None if rollout_extras is None else rollout_extras[1])
        next_state = out.next_state, two.next_state
        return Out(next_state, two.output, 0.0, {}, (two.rollout_extras, two.rollout_extras))
    """,
    "a critic beside": """
        out = self.a(state['a'], x, None if rollout_extras is None else rollout_extras['a'])
        value = self.b(state['b'], x)  # NNX303
        next_state = {'a': out.next_state, 'b': value.next_state}
        return Out(next_state, (out.output, value.output), 0.0, {}, {'a': out.rollout_extras})
    """,
    "each with the other's": """
        given = (None, None) if rollout_extras is None else rollout_extras
        one = self.a(state[0], x, given[1])  # NNX303
        two = self.b(state[1], one.output, given[0])  # NNX303
        next_state = one.next_state, two.next_state
        return Out(next_state, two.output, 0.0, {}, (one.rollout_extras, two.rollout_extras))
    """,
    "each with those of both": """
        one = self.a(state[0], x, rollout_extras)  # NNX303
        two = self.b(state[1], one.output, rollout_extras)  # NNX303
        next_state = one.next_state, two.next_state
        return Out(next_state, two.output, 0.0, {}, (one.rollout_extras, two.rollout_extras))
    """,
    "with what is around its part": """
        out = self.a(state, x, rollout_extras)  # NNX303
        return Out(out.next_state, out.output, 0.0, {}, {"a": out.rollout_extras})
    """,
    "in a loop": """
        states, kept = [], []
        for layer, s in zip(self.layers, state):
            out = layer(s, x)  # NNX303
            x = out.output
            states.append(out.next_state)
            kept.append(out.rollout_extras)
        return Out(states, x, 0.0, {}, kept)
    """,
    "in a loop, not returned": """
        states = []
        for i, (layer, s) in enumerate(zip(self.layers, state)):
            out = layer(s, x, None if rollout_extras is None else rollout_extras[i])  # NNX303
            x = out.output
            states.append(out.next_state)
        return Out(states, x, 0.0, {}, [])
    """,
    "in a loop over a dict": """
        states, kept, y = {}, {}, 0.0
        for name, layer in self.named.items():
            out = layer(state[name], x)  # NNX303
            y = y + out.output
            states[name], kept[name] = out.next_state, out.rollout_extras
        return Out(states, y, 0.0, {}, kept)
    """,
    "in a comprehension": """
        outs = [layer(s, x) for layer, s in zip(self.layers, state)]  # NNX303
        kept = [out.rollout_extras for out in outs]
        return Out([o.next_state for o in outs], sum(o.output for o in outs), 0.0, {}, kept)
    """,
    "in a dict comprehension": """
        outs = {n: layer(state[n], x, None) for n, layer in self.named.items()}  # NNX303
        kept = {n: out.rollout_extras for n, out in outs.items()}
        y = {n: o.output for n, o in outs.items()}
        return Out({n: o.next_state for n, o in outs.items()}, y, 0.0, {}, kept)
    """,
    "in a helper": """
        out = self.run(state, x)
        return Out(out.next_state, out.output, 0.0, {}, out.rollout_extras)
    """,
    "in one arm": """
        if self.training:
            out = self.a(state, x, rollout_extras)
        else:
            out = self.b(state, x)  # NNX303
        return Out(out.next_state, out.output, 0.0, {}, out.rollout_extras)
    """,
    "in a conditional of JAX": """
        out = jax.lax.cond(
            jnp.all(x > 0),
            lambda: self.a(state, x, rollout_extras),
            lambda: self.b(state, x),  # NNX303
        )
        return Out(out.next_state, out.output, 0.0, {}, out.rollout_extras)
    """,
    "under a compiled call": """
        out = nnx.jit(lambda m, s, v: m(s, v))(self.a, state, x)  # NNX303
        return Out(out.next_state, out.output, 0.0, {}, out.rollout_extras)
    """,
    "a sampler of the project": """
        out = self.sampling((), x)  # NNX303
        return Out((), out.output, 0.0, {}, out.rollout_extras)
    """,
    "a sampler of the project, not returned": """
        out = self.sampling((), x, rollout_extras)  # NNX303
        return Out((), out.output, 0.0, {})
    """,
    "a sampler of the library": """
        out = self.tanh((), x)  # NNX303
        return Out((), out.output, 0.0, {}, out.rollout_extras)
    """,
    "a sampler in a library's container": """
        out = self.net(state, x)  # NNX303
        return Out(out.next_state, out.output, 0.0, {}, out.rollout_extras)
    """,
    "a sampler in a container of the project": """
        out = self.wrapped(state, x)  # NNX303
        return Out(out.next_state, out.output, 0.0, {}, out.rollout_extras)
    """,
    "a sampler in a container, two levels down": """
        out = self.deep(state, x, rollout_extras)  # NNX303
        return Out(out.next_state, out.output, 0.0, {})
    """,
    "one of known layers": """
        kept = []
        for layer in self.known:
            out = layer((), x)  # NNX303
            x = out.output
            kept.append(out.rollout_extras)
        return Out((), x, 0.0, {}, kept)
    """,
    "a sampler under its class's name": """
        sampler = self.sampling
        out = sampler.__call__((), x)  # NNX303
        return Out((), out.output, 0.0, {}, out.rollout_extras)
    """,
    "an attribute that is found by name": """
        out = getattr(self, 'a')(state, x)  # NNX303
        return Out(out.next_state, out.output, 0.0, {}, out.rollout_extras)
    """,
    "an item that is found by name": """
        out = self.named['head'](state, x)  # NNX303
        return Out(out.next_state, out.output, 0.0, {}, out.rollout_extras)
    """,
    "an item that is found by index": """
        out = self.layers[0](state, x)  # NNX303
        return Out(out.next_state, out.output, 0.0, {}, out.rollout_extras)
    """,
    "an early return": """
        out = self.a(state, x, rollout_extras)  # NNX303
        if self.training:
            return Out(out.next_state, out.output, 0.0, {})
        return out
    """,
    "a match": """
        match rollout_extras:
            case None:
                given = None
            case _:
                given = None
        out = self.a(state, x, given)  # NNX303
        return Out(out.next_state, out.output, 0.0, {}, out.rollout_extras)
    """,
    "a ternary the wrong way round": """
        out = self.a(state, x, None if rollout_extras is not None else rollout_extras)  # NNX303
        return Out(out.next_state, out.output, 0.0, {}, out.rollout_extras)
    """,
    "an output that is used alone": """
        y = self.a(state, x).output  # NNX303 NNX205
        return Out(state, y, 0.0, {})
    """,
    "a walrus": """
        if (out := self.a(state, x)) is not None:  # NNX303
            x = out.output
        return Out(out.next_state, x, 0.0, {}, out.rollout_extras)
    """,
}
INITS = {
    "self.net": "self.net = Sequential([Dense(dim, dim, rngs), NormalTanhSampler(rngs, 0.0)])",
    "self.wrapped": "self.wrapped = Wrapped(Sampling(rngs))",
    "self.deep": "self.deep = Wrapped(Parallel(a=Wrapped(Sampling(rngs))))",
    "self.known": "self.known = [Dense(dim, dim, rngs), Sampling(rngs)]",
    "self.quiet": "self.quiet = Wrapped(Sequential([Dense(dim, dim, rngs), Plain()]))",
    "self.dull": "self.dull = [Dense(dim, dim, rngs), Plain(), Normalizer(dim)]",
    "self.training": "self.training = True",
}
MEMBERS = """
def run(self, state, x):
    return self.a(state, x)  # NNX303
"""
GIVEN = "None if rollout_extras is None else rollout_extras"

FAITHFUL = {
    "handed on": "return self.a(state, x, rollout_extras)",
    "handed on by keyword": "return self.a(state, x, rollout_extras=rollout_extras)",
    "handed on with other metrics": """
        out = self.a(state, x, rollout_extras)
        return dataclasses.replace(out, metrics={})
    """,
    "field by field": """
        out = self.a(state, x, rollout_extras)
        return Out(out.next_state, out.output, 0.0, {}, out.rollout_extras)
    """,
    "two in a tuple": f"""
        one = self.a(state[0], x, {GIVEN}[0])
        two = self.b(state[1], one.output, {GIVEN}[1])
        kept = one.rollout_extras, two.rollout_extras
        return Out((one.next_state, two.next_state), two.output, 0.0, {{}}, kept)
    """,
    "a pair of extras": """
        given = (None, None) if rollout_extras is None else rollout_extras
        one = self.a(state[0], x, given[0])
        two = self.b(state[1], one.output, given[1])
        kept = one.rollout_extras, two.rollout_extras
        return Out((one.next_state, two.next_state), two.output, 0.0, {}, kept)
    """,
    "taken apart": """
        first, second = (None, None) if rollout_extras is None else rollout_extras
        one = self.a(state[0], x, first)
        two = self.b(state[1], one.output, second)
        kept = [one.rollout_extras, two.rollout_extras]
        return Out([one.next_state, two.next_state], two.output, 0.0, {}, kept)
    """,
    "a list of None": """
        given = rollout_extras or [None] * len(self.layers)
        states, kept = [], []
        for layer, s, e in zip(self.layers, state, given):
            out = layer(s, x, e)
            x = out.output
            states.append(out.next_state)
            kept.append(out.rollout_extras)
        return Out(states, x, 0.0, {}, kept)
    """,
    "by index": f"""
        states, kept = [], []
        for i, (layer, s) in enumerate(zip(self.layers, state)):
            out = layer(s, x, {GIVEN}[i])
            x = out.output
            states.append(out.next_state)
            kept.append(out.rollout_extras)
        return Out(states, x, 0.0, {{}}, kept)
    """,
    "by name": f"""
        states, kept, y = {{}}, {{}}, 0.0
        for name, layer in self.named.items():
            out = layer(state[name], x, {GIVEN}[name])
            y = y + out.output
            states[name], kept[name] = out.next_state, out.rollout_extras
        return Out(states, y, 0.0, {{}}, kept)
    """,
    "in comprehensions": f"""
        outs = {{n: c(state[n], x, {GIVEN}[n]) for n, c in self.named.items()}}
        kept = {{n: out.rollout_extras for n, out in outs.items()}}
        y = {{n: o.output for n, o in outs.items()}}
        return Out({{n: o.next_state for n, o in outs.items()}}, y, 0.0, {{}}, kept)
    """,
    "in a helper": """
        out = self.run(state, x, rollout_extras)
        return Out(out.next_state, out.output, 0.0, {}, out.rollout_extras)
    """,
    "in a conditional of JAX": """
        out = jax.lax.cond(
            jnp.all(x > 0), self.a, self.b, state, x, rollout_extras
        )
        return Out(out.next_state, out.output, 0.0, {}, out.rollout_extras)
    """,
    "in either arm": """
        child = self.a if self.training else self.b
        out = child(state, x, rollout_extras)
        return Out(out.next_state, out.output, 0.0, {}, out.rollout_extras)
    """,
    "a plain layer without": """
        out = self.plain((), x)
        return Out((), out.output, 0.0, {})
    """,
    "a library's plain layer without": """
        out = self.dense((), x)
        return Out((), out.output, 0.0, {})
    """,
    "a normalizer's input, which no replay needs": """
        out = self.norm((), x)
        return Out((), out.output, 0.0, {})
    """,
    "a layer with carried keys without": """
        out = self.keyed(state, x)
        return Out(out.next_state, out.output, 0.0, {})
    """,
    "a library's recurrent layer without": """
        out = self.lstm(state, x)
        return Out(out.next_state, out.output, 0.0, {})
    """,
    "a library's stochastic layer without": """
        out = self.bottleneck(state, x)
        return Out(out.next_state, out.output, 0.0, {})
    """,
    "plain layers in containers without": """
        out = self.quiet(state, x)
        return Out(out.next_state, out.output, 0.0, {})
    """,
    "plain layers in a loop without": """
        for layer in self.dull:
            x = layer((), x).output
        return Out((), x, 0.0, {})
    """,
    "a sampler beside plain layers": """
        hidden = self.dense((), x).output
        out = self.sampling((), hidden, rollout_extras)
        return Out((), out.output, 0.0, {}, out.rollout_extras)
    """,
    "the library's sampler beside plain layers": f"""
        hidden = self.plain((), x).output
        out = self.tanh((), hidden, {GIVEN}['head'])
        return Out((), out.output, 0.0, {{}}, {{'head': out.rollout_extras}})
    """,
    "a function of two arguments": """
        y = self.a(x, 2.0)
        return Out(state, y + 1.0, 0.0, {})
    """,
    "a cell of unknown type": """
        state, y = self.a(state, x)
        return Out(state, y, 0.0, {})
    """,
    "a cell whose result is taken by index": """
        both = self.a(state, x)
        return Out(both[0], both[1].sum(-1), 0.0, {})
    """,
    "a test of unknown type": """
        if self.a(state, x):
            return Out(state, x, 0.0, {})
        return Out(state, 2.0 * x, 0.0, {})
    """,
    "a child that is not called on every path": """
        if self.training:
            return Out(state, x, 0.0, {})
        return self.a(state, x, rollout_extras)
    """,
    "a gated child": """
        kept, y, next_state = None, x, state
        if self.training:
            out = self.a(state, x, rollout_extras)
            kept, y, next_state = out.rollout_extras, out.output, out.next_state
        return Out(next_state, y, 0.0, {}, kept)
    """,
    "get": """
        given = (rollout_extras or {}).get('a')
        out = self.a(state, x, given)
        return Out(out.next_state, out.output, 0.0, {}, {'a': out.rollout_extras})
    """,
    "an early return for each pass": """
        if rollout_extras is None:
            return self.a(state, x)
        return self.a(state, x, rollout_extras)
    """,
    "a match": """
        match rollout_extras:
            case None:
                given = None
            case {'a': inner}:
                given = inner
        out = self.a(state, x, given)
        return Out(out.next_state, out.output, 0.0, {}, {'a': out.rollout_extras})
    """,
}
HELPER = """
def run(self, state, x, given):
    return self.a(state, x, given)
"""


def _init(body: str) -> str:
    return "\n".join(line for name, line in INITS.items() if name in body)


@pytest.mark.parametrize("body", FORGETFUL.values(), ids=FORGETFUL)
def test_a_child_without_its_extras_is_reported_at_its_call(body: str) -> None:
    code = container(body, _init(body), MEMBERS if "self.run" in body else "")
    assert marked(code)
    assert reported(code) == marked(code)


@pytest.mark.parametrize("body", FAITHFUL.values(), ids=FAITHFUL)
def test_children_that_get_their_extras_or_need_none_are_silent(body: str) -> None:
    assert reported(container(body, _init(body), HELPER)) == []


@pytest.mark.parametrize(
    ("call", "codes"),
    [
        ("(state, x, rollout_extras)", []),
        ("(state, x)", ["NNX303"]),
        ("(state, x, None)", ["NNX303"]),
    ],
)
def test_the_pass_of_a_library_s_base_class_is_a_child_too(call: str, codes: list[str]) -> None:
    code = container("return Out((), x, 0.0, {})").replace("class M(", "class Other(") + (
        "\n\nclass Louder(NormalTanhSampler):\n"
        "    def __call__(self, state, x, rollout_extras=None):\n"
        f"        out = super().__call__{call}\n"
        "        return dataclasses.replace(out, metrics={})\n"
    )
    assert [found for found, _ in reported(code)] == codes
