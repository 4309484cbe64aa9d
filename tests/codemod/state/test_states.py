"""Keys get into every kind of state, and out of it on every path."""

from __future__ import annotations

import pytest

from ..rewriting import fixed, noisy, proposed

DRAW = "y = x + self.rngs.normal(x.shape)\n"


def test_no_state_becomes_the_keys_and_is_seeded_from_the_stream_that_was_drawn_from() -> None:
    after = fixed(noisy(f"{DRAW}return StatefulModuleOutput((), y, 0.0, {{}})"))
    assert "    def initialize_state(self, batch_size):\n" in after
    assert "        return jax.random.split(self.rngs(), batch_size)\n\n" in after
    assert "        next_state, use = jax.vmap(" in after
    assert "return StatefulModuleOutput(next_state, y, 0.0, {})" in after


def test_a_state_that_is_handed_on_needs_no_change_where_it_is_returned() -> None:
    after = fixed(
        noisy(f"""
        if self.off:
            return StatefulModuleOutput(state, x, 0.0, {{}})
        {DRAW.strip()}
        return StatefulModuleOutput(state, y, 0.0, {{}})
        """)
    )
    assert after.index("state, use = jax.vmap(") < after.index("if self.off")
    assert "return StatefulModuleOutput(state, x, 0.0, {})" in after


KINDS = {
    "an array": ("jnp.zeros((batch_size, 3))", "y + state"),
    "a tuple": ("(jnp.zeros(batch_size), jnp.zeros(batch_size))", "state"),
    "a bare tuple": ("jnp.zeros(batch_size), jnp.zeros(batch_size)", "state"),
    "an object": ("Memory(jnp.zeros(batch_size))", "Memory(state.h)"),
    "a child's": ("self.child.initialize_state(batch_size)", "self.child(state, y).next_state"),
}


@pytest.mark.parametrize(("initial", "following"), KINDS.values(), ids=KINDS)
def test_keys_come_beside_a_state_that_there_is(initial: str, following: str) -> None:
    after = fixed(
        noisy(
            f"{DRAW}return StatefulModuleOutput({following}, y, 0.0, {{}})",
            init="self.child = Dense(3, 3, rngs)",
            members=f"""
            def initialize_state(self, batch_size):
                return {initial}

            def reset_state(self, prev_state):
                return {initial.replace("batch_size", "8")}
            """,
            before="""
            from nnx_ppo.networks.feedforward import Dense

            class Memory(nnx.Pytree):
                def __init__(self, h):
                    self.h = h
            """,
        )
    )
    whole = f"({initial})" if initial.startswith("jnp.zeros(batch") else initial
    assert f"return {whole}, jax.random.split(self.rngs(), batch_size)\n" in after
    assert "        prev_state, key = prev_state\n" in after
    assert "        state, key = state\n        key, use = jax.vmap(" in after
    assert f"StatefulModuleOutput(({following}, key), y, 0.0, {{}})" in after


PARTS = {
    "a dict": (
        '{"h": jnp.zeros(batch_size)}',
        '{"h": state["h"]}',
        '{"h": jnp.zeros(batch_size), "key": jax.random.split(self.rngs(), batch_size)}',
        'key, use = jax.vmap(lambda k: tuple(jax.random.split(k)))(state["key"])',
        '{"h": state["h"], "key": key}',
        '{"h": jnp.zeros(8), "key": prev_state["key"]}',
    ),
    "a dict that is handed on": (
        "{'h': jnp.zeros(batch_size)}",
        "state",
        "{'h': jnp.zeros(batch_size), 'key': jax.random.split(self.rngs(), batch_size)}",
        "key, use = jax.vmap(lambda k: tuple(jax.random.split(k)))(state['key'])",
        "{**state, 'key': key}",
        "{'h': jnp.zeros(8), 'key': prev_state['key']}",
    ),
    "a named tuple": (
        "State(jnp.zeros(batch_size))",
        "State(state.h)",
        "State(jnp.zeros(batch_size), key=jax.random.split(self.rngs(), batch_size))",
        "key, use = jax.vmap(lambda k: tuple(jax.random.split(k)))(state.key)",
        "State(state.h, key=key)",
        "State(jnp.zeros(8), key=prev_state.key)",
    ),
    "a record": (
        "Record(h=jnp.zeros(batch_size))",
        "state.replace(h=x)",
        "Record(h=jnp.zeros(batch_size), key=jax.random.split(self.rngs(), batch_size))",
        "key, use = jax.vmap(lambda k: tuple(jax.random.split(k)))(state.key)",
        "state.replace(h=x).replace(key=key)",
        "Record(h=jnp.zeros(8), key=prev_state.key)",
    ),
}


@pytest.mark.parametrize(
    ("initial", "following", "seeded", "split", "returned", "reset"), PARTS.values(), ids=PARTS
)
def test_keys_become_a_part_of_a_state_whose_parts_have_names(
    initial: str, following: str, seeded: str, split: str, returned: str, reset: str
) -> None:
    after = fixed(
        noisy(
            f"{DRAW}return StatefulModuleOutput({following}, y, 0.0, {{}})",
            members=f"""
            def initialize_state(self, batch_size):
                return {initial}

            def reset_state(self, prev_state):
                return {initial.replace("batch_size", "8")}
            """,
            before="""
            from typing import NamedTuple
            from flax import struct

            class State(NamedTuple):
                h: jax.Array

            @struct.dataclass
            class Record:
                h: jax.Array
            """,
        )
    )
    assert f"        return {seeded}\n" in after
    assert f"        {split}\n" in after
    assert f"StatefulModuleOutput({returned}, y, 0.0, {{}})" in after
    assert f"        return {reset}\n" in after
    assert after.count("    h: jax.Array\n    key: jax.Array\n") == ("key=" in seeded)


def test_keys_come_beside_a_record_that_others_make_too() -> None:
    after = fixed(
        noisy(
            f"{DRAW}return StatefulModuleOutput(State(x), y, 0.0, {{}})",
            members="""
            def initialize_state(self, batch_size):
                return State(jnp.zeros(batch_size))
            """,
            before="""
            from typing import NamedTuple

            class State(NamedTuple):
                h: jax.Array

            ZERO = State(jnp.zeros(()))
            """,
        )
    )
    assert "StatefulModuleOutput((State(x), key), y, 0.0, {})" in after


def test_what_is_not_seen_to_be_an_output_gets_its_next_state_replaced() -> None:
    after = fixed(
        noisy(
            "return self.child(state, x + self.rngs.normal(x.shape), rollout_extras)",
            init="self.child = Dense(3, 3, rngs)",
            members="""
            def initialize_state(self, batch_size):
                return self.child.initialize_state(batch_size)
            """,
            before="from nnx_ppo.networks.feedforward import Dense",
        )
    )
    assert "return output.replace(next_state=(output.next_state, key))" in after


def test_annotations_of_no_state_say_what_it_is_now() -> None:
    code = noisy(f"{DRAW}return StatefulModuleOutput((), y, 0.0, {{}})")
    code = code.replace(
        "state, x, rollout_extras=None)", "state: tuple[()], x, rollout_extras=None)"
    )
    assert "self, state: jax.Array, x" in fixed(code)


def test_a_stream_that_was_only_given_to_the_constructor_is_kept() -> None:
    code = """
    class M(StatefulModule):
        def __init__(self, features, rngs: nnx.Rngs):
            self.features = features

        def __call__(self, state, x, rollout_extras=None):
            return StatefulModuleOutput(state, x + np.random.normal(size=x.shape), 0.0, {})
    """
    after = fixed(code)
    assert "        self.features = features\n        self.rngs = rngs\n" in after
    assert "jax.random.split(self.rngs(), batch_size)" in after


def test_a_variable_that_was_handed_on_is_read_to_seed_the_keys() -> None:
    code = """
    def draw(x, source):
        return x + jax.random.normal(source[...], x.shape)

    class M(StatefulModule):
        def __init__(self):
            self.key = nnx.Variable(jax.random.key(1))

        def __call__(self, state, x, rollout_extras=None):
            return StatefulModuleOutput(state, draw(x, self.key), 0.0, {})
    """
    assert "jax.random.split(self.key[...], batch_size)" in fixed(code)


def test_a_layer_s_own_stream_seeds_the_keys_where_there_is_no_other() -> None:
    code = """
    class M(StatefulModule):
        def __init__(self, rngs: nnx.Rngs):
            self.drop = nnx.Dropout(0.5, rngs=rngs)

        def __call__(self, state, x, rollout_extras=None):
            return StatefulModuleOutput(state, self.drop(x), 0.0, {})
    """
    assert "jax.random.split(self.drop.rngs(), batch_size)" in fixed(code)


def test_only_another_state_for_callers_or_noise_that_was_shared_is_unsafe() -> None:
    from flake8_nnx_rng.codemod.proposal import Safety

    safe, unsafe, shared = (
        proposed(noisy(f"{DRAW}return StatefulModuleOutput(state, y, 0.0, {{}})"))[0],
        proposed(
            noisy(
                f"{DRAW}return StatefulModuleOutput(state, y, 0.0, {{}})",
                members="""
                def initialize_state(self, batch_size):
                    return jnp.zeros(batch_size)
                """,
            )
        )[0],
        proposed(noisy("return StatefulModuleOutput(state, x + self.rngs.normal(), 0.0, {})"))[0],
    )
    assert (safe.safety, safe.reason) == (Safety.SAFE, "")
    assert unsafe.safety is Safety.UNSAFE
    assert "callers see another state" in unsafe.reason
    assert shared.safety is Safety.UNSAFE
    assert "shared one draw" in shared.reason
