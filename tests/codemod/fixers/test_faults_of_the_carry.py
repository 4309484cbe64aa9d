"""Keys that are carried wrongly are carried rightly after the rewrite."""

from __future__ import annotations

import pytest

from ..rewriting import changes, fixed, proposed

MODULE = """
class M(StatefulModule):
    def __init__(self, rngs):
        self.rngs = rngs

    def initialize_state(self, batch_size):
        return {start}

    def reset_state(self, prev_state):
        return {reset}

    def __call__(self, state, x, rollout_extras=None):
        {key} = state["key"]
        following, use = jax.vmap(lambda k: tuple(jax.random.split(k)))({key})
        y = x + {noise}
        return StatefulModuleOutput({{"key": {next}}}, y, 0.0, {{}})
"""
SOUND = {
    "start": '{"key": jax.random.split(self.rngs(), batch_size)}',
    "reset": '{"key": prev_state["key"]}',
    "key": "key",
    "noise": "jax.vmap(lambda k, row: jax.random.normal(k, row.shape))(use, x)",
    "next": "following",
}
MAPPED = "y = x + jax.vmap(lambda k, row: jax.random.normal(k, row.shape))(use, x)"

FAULTS = {
    "one key for all": (
        {"start": '{"key": self.rngs()}'},
        '-return {"key": self.rngs()}\n+return {"key": jax.random.split(self.rngs(), batch_size)}',
    ),
    "one key repeated": (
        {"start": '{"key": jnp.broadcast_to(self.rngs(), (batch_size,))}'},
        '-return {"key": jnp.broadcast_to(self.rngs(), (batch_size,))}\n'
        '+return {"key": jax.random.split(self.rngs(), batch_size)}',
    ),
    "a reset that destroys it": (
        {"reset": '{"key": jnp.zeros_like(prev_state["key"])}'},
        '-return {"key": jnp.zeros_like(prev_state["key"])}\n+return {"key": prev_state["key"]}',
    ),
    "a reset of everything": (
        {"reset": "jax.tree.map(jnp.zeros_like, prev_state)"},
        "-return jax.tree.map(jnp.zeros_like, prev_state)\n"
        '+return {**jax.tree.map(jnp.zeros_like, prev_state), "key": prev_state["key"]}',
    ),
    "a reset from a stream": (
        {"reset": '{"key": jax.random.split(self.rngs(), 8)}'},
        '-return {"key": jax.random.split(self.rngs(), 8)}\n+return {"key": prev_state["key"]}',
    ),
    "a reset of one key": (
        {"reset": '{"key": jax.random.fold_in(prev_state["key"], 0)}'},
        '-return {"key": jax.random.fold_in(prev_state["key"], 0)}\n'
        '+return {"key": prev_state["key"]}',
    ),
    "a reset of all keys": (
        {"reset": '{"key": jax.vmap(lambda k: jax.random.fold_in(k, 0))(prev_state["key"])}'},
        '-return {"key": jax.vmap(lambda k: jax.random.fold_in(k, 0))(prev_state["key"])}\n'
        '+return {"key": prev_state["key"]}',
    ),
    "the first env's key for all": (
        {"noise": "jax.random.normal(use[0], x.shape)"},
        f"-y = x + jax.random.normal(use[0], x.shape)\n+{MAPPED}",
    ),
    "all keys for one draw": (
        {"noise": "jax.random.normal(use, x.shape)"},
        f"-y = x + jax.random.normal(use, x.shape)\n+{MAPPED}",
    ),
    "the first env's noise for all": (
        {"noise": "jax.random.normal(use[0], (3,))"},
        "-y = x + jax.random.normal(use[0], (3,))\n"
        "+y = jax.vmap(lambda k, row: row + jax.random.normal(k, (3,)))(use, x)",
    ),
    "one of the keys that the first env's is split into": (
        {"noise": "jax.random.normal(jax.random.split(use[0], 3)[1], x.shape)"},
        "-y = x + jax.random.normal(jax.random.split(use[0], 3)[1], x.shape)\n"
        + MAPPED.replace("y = ", "+y = ").replace(
            "(use, x)", "(jax.vmap(lambda k: tuple(jax.random.split(k, 3)))(use)[1], x)"
        ),
    ),
    "the neighbour's key": (
        {"noise": SOUND["noise"].replace("use", "jnp.roll(use, 1)")},
        f"-{MAPPED.replace('use', 'jnp.roll(use, 1)')}\n+{MAPPED}",
    ),
    "the key itself comes back": (
        {"next": "key"},
        '-return StatefulModuleOutput({"key": key}, y, 0.0, {})\n'
        '+return StatefulModuleOutput({"key": following}, y, 0.0, {})',
    ),
    "a key that is drawn from and split": (
        {"noise": SOUND["noise"].replace("(use, x)", "(key, x)")},
        "+key, use_2 = jax.vmap(lambda k: tuple(jax.random.split(k)))(key)\n"
        f"-{MAPPED.replace('(use, x)', '(key, x)')}\n+{MAPPED.replace('(use, x)', '(use_2, x)')}",
    ),
}


@pytest.mark.parametrize(("fault", "after"), FAULTS.values(), ids=FAULTS)
def test_a_fault_is_mended_where_it_is(fault: dict[str, str], after: str) -> None:
    code = MODULE.format(**{**SOUND, **fault})
    assert changes(code) == after


RESETS = {
    "a name": (
        'fresh = jax.random.fold_in(prev_state["key"], 0)\nreturn {"key": fresh}',
        'return {"key": prev_state["key"]}',
    ),
    "several names": (
        'key, other = prev_state["key"], 1\nkey, _ = jax.random.split(key)\nreturn {"key": key}',
        None,
    ),
    "one half of two": (
        'first, _ = jax.random.split(prev_state["key"])\nreturn {"key": first}',
        'return {"key": prev_state["key"]}',
    ),
    "a name that something else needs too": (
        'fresh = jax.random.fold_in(prev_state["key"], 0)\n'
        'return {"key": fresh, "noise": jax.random.normal(fresh)}',
        None,
    ),
    "one of two": (
        'return {"key": prev_state["key"] if self.kept else '
        'jax.random.fold_in(prev_state["key"], 0)}',
        'return {"key": prev_state["key"] if self.kept else prev_state["key"]}',
    ),
}


@pytest.mark.parametrize(("before", "after"), RESETS.values(), ids=RESETS)
def test_what_only_a_key_of_a_reset_needs_goes_with_it(before: str, after: str | None) -> None:
    start = MODULE.format(**SOUND)
    line = f"return {SOUND['reset']}"
    indented = before.replace("\n", "\n        ")
    (proposal,) = proposed(start.replace(line, indented))
    if after is None:
        assert "a reset draws from keys for more than the keys that it returns" in proposal.reason
        return
    assert fixed(start.replace(line, indented)) == start.replace(line, after).lstrip()


SAMPLER = """
class M(ActionSampler):
    def __init__(self, rngs):
        self.rngs = rngs

    def __call__(self, state, mean, rollout_extras=None):
        raw = mean + self.rngs.normal(mean.shape)
        {taken}
        score = -jnp.sum((raw - mean) ** 2, axis=-1)
        output = {{"action": jnp.tanh(raw), "log_likelihood": score}}
        return StatefulModuleOutput((), output, 0.0, {{}}{emitted})
"""
TAKEN = "if rollout_extras is not None:\n            raw = rollout_extras"

CONTRACTS = {
    "no extras": (
        {"taken": TAKEN, "emitted": ""},
        "-return StatefulModuleOutput((), output, 0.0, {})\n"
        "+return StatefulModuleOutput((), output, 0.0, {}, raw)",
    ),
    "extras that are ignored": (
        {"taken": "", "emitted": ", raw"},
        "+if rollout_extras is not None:\n+raw = rollout_extras",
    ),
    "extras that are altered": (
        {"taken": TAKEN + " + mean", "emitted": ", raw"},
        "-raw = rollout_extras + mean\n+raw = rollout_extras",
    ),
}


@pytest.mark.parametrize(("fault", "after"), CONTRACTS.values(), ids=CONTRACTS)
def test_a_sampler_stores_its_action_and_takes_it_back(fault: dict[str, str], after: str) -> None:
    assert changes(SAMPLER.format(**fault)) == after


CONTAINER = """
class M(StatefulModule):
    def __init__(self, one: StatefulModule, other: StatefulModule):
        self.one, self.other = one, other

    def initialize_state(self, batch_size):
        one = self.one.initialize_state(batch_size)
        return {{"one": one, "other": self.other.initialize_state(batch_size)}}

    def __call__(self, state, x, rollout_extras=None):
        extras = {{"one": None, "other": None}} if rollout_extras is None else rollout_extras
        a = self.one(state["one"], x{one})
        b = self.other(state["other"], a.output, extras["other"])
        return StatefulModuleOutput({next}, b.output, 0.0, {{}}{emitted})
"""
KEPT = {
    "one": ', extras["one"]',
    "next": '{"one": a.next_state, "other": b.next_state}',
    "emitted": ', {"one": a.rollout_extras, "other": b.rollout_extras}',
}
DROPS = {
    "a child's extras": ({"one": ""}, '-a = self.one(state["one"], x)', 'x, extras["one"])'),
    "what the children emit": (
        {"emitted": ""},
        "",
        '{"one": a.rollout_extras, "other": b.rollout_extras})',
    ),
    "what one child emits": (
        {"emitted": ', {"one": a.rollout_extras, "other": None}'},
        "",
        '{"one": a.rollout_extras, "other": b.rollout_extras})',
    ),
    "a child's next state": (
        {"next": '{"one": state["one"], "other": b.next_state}'},
        "",
        '{"one": a.next_state, "other": b.next_state}',
    ),
    "all next states": ({"next": "state"}, "", '{"one": a.next_state, "other": b.next_state}'),
}


@pytest.mark.parametrize(("fault", "before", "after"), DROPS.values(), ids=DROPS)
def test_a_container_hands_on_what_it_dropped(
    fault: dict[str, str], before: str, after: str
) -> None:
    lines = changes(CONTAINER.format(**{**KEPT, **fault})).splitlines()
    assert len(lines) == 2
    assert lines[0].startswith(before or "-return")
    assert after in lines[1]


STATIC = """
class M(StatefulModule):
    def __init__(self, rngs):
        self.rngs = rngs

    @staticmethod
    def draw(x, keys):
        return jax.vmap(lambda k, row: jax.random.normal(k, row.shape))(keys, x)

    def initialize_state(self, batch_size):
        return jax.random.split(self.rngs(), batch_size), jnp.zeros(batch_size, int)

    def __call__(self, state, x, rollout_extras=None):
        key, step = state
        use = jax.vmap(jax.random.fold_in)(key, step)
        y = x + self.draw(x, use)
        return StatefulModuleOutput((key, step), y, 0.0, {})
"""


def test_the_key_that_a_static_method_is_given_moves_on_and_not_its_first_argument() -> None:
    after = fixed(STATIC)
    assert "x, " not in "".join(line for line in after.splitlines() if " = jax.vmap" in line)
    assert "return StatefulModuleOutput((key, step), y, 0.0, {})" in after
    assert "key, use" in after


_STUCK = """
class M(StatefulModule):
    def __init__(self, rngs):
        self.rngs = rngs

    def initialize_state(self, batch_size):
        keys = jax.random.split(self.rngs(), batch_size)
        more = jax.random.split(self.rngs(), batch_size)
        return keys, more, jnp.zeros(batch_size, int)

    def __call__(self, state, x, rollout_extras=None):
        (key, other, step) = state
        use = jax.vmap(lambda k: jax.random.fold_in(k, 1))(other)
        drawn = jax.vmap(jax.random.fold_in)(key, step)
        x = x + jax.vmap(lambda k, row: jax.random.normal(k, row.shape))(use, x)
        x = x + jax.vmap(lambda k, row: jax.random.normal(k, row.shape))(drawn, x)
        other = jax.vmap(lambda k: jax.random.fold_in(k, 2))(other)
        return StatefulModuleOutput((key, other, step), x, 0.0, {})
"""


def test_of_several_carried_keys_only_the_one_that_is_stuck_is_split() -> None:
    assert changes(_STUCK) == (
        "+key, use_2 = jax.vmap(lambda k: tuple(jax.random.split(k)))(key)\n"
        "-drawn = jax.vmap(jax.random.fold_in)(key, step)\n"
        "+drawn = jax.vmap(jax.random.fold_in)(use_2, step)"
    )


def test_two_stuck_keys_of_a_function_get_names_of_their_own() -> None:
    both = _STUCK.replace(
        "        other = jax.vmap(lambda k: jax.random.fold_in(k, 2))(other)\n", ""
    )
    assert changes(both) == (
        "-use = jax.vmap(lambda k: jax.random.fold_in(k, 1))(other)\n"
        "-drawn = jax.vmap(jax.random.fold_in)(key, step)\n"
        "+other, use_2 = jax.vmap(lambda k: tuple(jax.random.split(k)))(other)\n"
        "+key, use_3 = jax.vmap(lambda k: tuple(jax.random.split(k)))(key)\n"
        "+use = jax.vmap(lambda k: jax.random.fold_in(k, 1))(use_2)\n"
        "+drawn = jax.vmap(jax.random.fold_in)(use_3, step)"
    )


def test_a_stuck_key_is_split_under_the_name_by_which_it_is_returned() -> None:
    drawn = "drawn = jax.vmap(jax.random.fold_in)(key, step)"
    another = _STUCK.replace(drawn, f"own = key\n        {drawn.replace('key', 'own')}")
    assert changes(another) == (
        "+key, use_2 = jax.vmap(lambda k: tuple(jax.random.split(k)))(key)\n"
        "-own = key\n+own = use_2"
    )
