"""Disagreements that were found once, by name."""

from __future__ import annotations

import textwrap

import pytest
from support import codes_of

_DRAWING = """
    class M(StatefulModule):
        def __init__(self, {parameter}):
            self.rngs = {held}

        def __call__(self, state, x, rollout_extras=None):
            return StatefulModuleOutput(state, x + self.{draw}.normal(x.shape), 0.0, {{}})
"""

_CARRYING = """
    class M({base}):
        def __init__(self, rngs: nnx.Rngs):
            self.rngs, self.key = rngs, nnx.Variable(rngs())
            self.dropout, self.count = nnx.Dropout(0.5), nnx.Variable(jnp.array(0))

        def initialize_state(self, batch_size):
            return jax.random.split(self.rngs(), batch_size)

        def __call__(self, state, x, rollout_extras=None):
{body}
"""
_SPLIT = "state, use = jax.vmap(lambda k: tuple(jax.random.split(k)))(state)\n"
_SAMPLE = """
score = -jnp.sum((raw - x) ** 2, axis=-1)
output = {'action': raw, 'log_likelihood': score}
"""


def layer(body: str) -> str:
    """A layer that carries keys, from the body of its pass, which leaves `noise`."""
    body += "\nreturn StatefulModuleOutput(state, x + noise, 0.0, {})"
    return _CARRYING.format(base="StatefulModule", body=textwrap.indent(body, 12 * " "))


def sampler(body: str, kept: str = ", raw") -> str:
    """A sampler that carries keys, from the body of its pass, which leaves `raw`."""
    body += f"{_SAMPLE}return StatefulModuleOutput(state, output, 0.0, {{}}{kept})"
    return _CARRYING.format(base="ActionSampler", body=textwrap.indent(body, 12 * " "))


@pytest.mark.parametrize("parameter", ["rngs", "rngs: nnx.Rngs", "*, rngs"])
@pytest.mark.parametrize(
    ("held", "draw"),
    [("rngs", "rngs.noise"), ("rngs.noise", "rngs"), ("rngs.fork()", "rngs.noise")],
)
def test_a_draw_of_a_named_stream_is_seen_whether_or_not_its_type_is_declared(
    parameter: str, held: str, draw: str
) -> None:
    code = _DRAWING.format(parameter=parameter, held=held, draw=draw)
    assert codes_of(code) == ["NNX101"]


def test_a_named_stream_under_another_name_is_seen_without_a_declared_type() -> None:
    code = _DRAWING.format(parameter="rngs", held="rngs.noise", draw="rngs")
    assert codes_of(code.replace("self.rngs", "self.source")) == ["NNX101"]


def test_a_draw_of_a_named_stream_is_seen_where_the_streams_are_called_by_convention() -> None:
    code = _DRAWING.format(parameter="generator", held="generator", draw="rngs.noise")
    assert codes_of(code) == ["NNX101"]


def test_streams_made_of_a_carried_key_that_comes_back_unchanged_repeat_their_noise() -> None:
    drawn = "noise = jax.vmap(lambda k, row: nnx.Rngs(k).normal(row.shape))"
    assert codes_of(layer(f"{drawn}(state, x)")) == ["NNX201"]
    assert codes_of(layer(f"{_SPLIT}{drawn}(use, x)")) == []


def test_a_key_is_used_up_by_a_draw_in_a_map_over_the_envs_one_after_the_other() -> None:
    draw = "jax.lax.map(lambda k: jax.random.normal(k, (2,)), use)"
    begin = f"# NNX401\n{_SPLIT}"
    assert codes_of(layer(f"{begin}noise = {draw}\nstate = use")) == ["NNX401"]
    assert codes_of(layer(f"{begin}noise = {draw} + {draw}")) == ["NNX401"]
    assert codes_of(layer(f"{begin}noise = {draw}")) == []


def test_noise_from_another_env_s_key_is_reported_in_a_sampler_unless_it_comes_back() -> None:
    raw = "raw = x + jax.random.normal(use[0], x.shape)\n"
    back = "raw = raw if rollout_extras is None else rollout_extras"
    assert codes_of(sampler(_SPLIT + raw + back)) == []
    mean = "x = x + jax.random.normal(use[0], x.shape)\nraw = x + self.rngs.normal(x.shape)\n"
    assert codes_of(sampler(_SPLIT + mean + back)) == ["NNX203"]


def test_noise_from_another_env_s_key_that_a_layer_emits_and_takes_back_is_replayed() -> None:
    body = """
        use = jax.random.split(use[0], x.shape[0])
        noise = jax.vmap(lambda k: jax.random.normal(k, (2,)))(use)
        noise = noise if rollout_extras is None else rollout_extras
        return StatefulModuleOutput(state, x + noise, 0.0, {}, noise)
    """
    assert codes_of(layer(_SPLIT + textwrap.dedent(body).strip("\n"))) == []


@pytest.mark.parametrize(("kept", "code"), [("", "NNX301"), (", raw", "NNX302")])
def test_an_action_that_dropout_with_carried_keys_makes_is_drawn(kept: str, code: str) -> None:
    body = "raw = jax.vmap(lambda k, row: self.dropout(row, rngs=k))(use, x)"
    assert codes_of(sampler(_SPLIT + body, kept)) == [code]


def test_a_sampler_that_draws_with_a_key_which_never_moves_on_repeats_its_action() -> None:
    draw = "raw = x + jax.random.normal({}, x.shape)\n"
    back = "raw = raw if rollout_extras is None else rollout_extras"
    assert codes_of(sampler(draw.format("self.key[...]") + back)) == ["NNX102"]
    moves = "following, use = jax.random.split(self.key[...])\nself.key[...] = following\n"
    assert codes_of(sampler(moves + draw.format("use") + back)) == []
    counts = "use = jax.random.fold_in(self.key[...], self.count[...])\nself.count[...] += 1\n"
    assert "NNX102" not in codes_of(sampler(counts + draw.format("use") + back))


def test_the_place_in_the_batch_folded_into_a_key_of_the_input_is_another_one_in_the_replay() -> (
    None
):
    keys = "keys = jax.vmap(lambda row: jax.random.key(jnp.sum(row).astype(int)))(x)\n"
    draw = "noise = jax.vmap(lambda k, row: jax.random.normal(k, row.shape))(keys, x)"
    assert codes_of(layer(keys + draw)) == []
    places = "keys = jax.vmap(jax.random.fold_in)(keys, jnp.arange(x.shape[0]))\n"
    assert codes_of(layer(keys + places + draw)) == ["NNX203"]


def test_a_copy_of_a_stream_that_only_the_rollout_draws_from_leaves_the_stream_where_it_was() -> (
    None
):
    body = """
        # NNX403
        if rollout_extras is None:
            raw = x + {}.normal(x.shape)
        else:
            raw = rollout_extras
    """
    body = textwrap.dedent(body).strip()
    assert codes_of(sampler(body.format("nnx.clone(self.rngs)"))) == ["NNX101"]
    assert codes_of(sampler(body.format("self.rngs"))) == ["NNX403"]


def test_a_key_that_is_folded_into_or_else_split_is_not_both_in_a_loop() -> None:
    body = """
        # NNX405
        if self.training:
            state, use = jax.vmap(lambda k: tuple(jax.random.split(k)))(state)
        else:
            use = state
        noise = 0.0
        for _ in range(2):
            noise += jax.vmap(lambda k, row: nnx.Rngs(k).normal(row.shape))(use, x)
    """
    assert "NNX405" not in codes_of(layer(textwrap.dedent(body).strip()))
    both = "use = state\nstate, _ = jax.vmap(lambda k: tuple(jax.random.split(k)))(state)\n"
    draw = "noise = jax.vmap(lambda k, row: nnx.Rngs(k).normal(row.shape))(use, x)"
    assert codes_of(layer(f"# NNX405\n{both}{draw}")) == ["NNX405"]


def test_a_split_key_that_comes_back_is_used_again_though_a_counter_makes_the_noise_new() -> None:
    code = """
        class M(StatefulModule):
            def initialize_state(self, batch_size):
                keys = jax.random.split(self.rngs(), batch_size)
                return keys, jnp.zeros(batch_size, int)

            def __call__(self, state, x, rollout_extras=None):
                # NNX401
                key, step = state
                {going_on}, use = jax.vmap(lambda k: tuple(jax.random.split(k)))(key)
                use = jax.vmap(jax.random.fold_in)(use, step)
                x = x + jax.vmap(lambda k, row: jax.random.normal(k, row.shape))(use, x)
                return StatefulModuleOutput((key, step + 1), x, 0.0, {{}})
    """
    assert codes_of(code.format(going_on="_")) == ["NNX401"]
    assert codes_of(code.format(going_on="key")) == []


def test_an_action_that_a_key_of_the_file_drops_out_of_is_the_same_in_every_step() -> None:
    body = """
        keys = jax.random.split({}, x.shape[0])
        raw = jax.vmap(lambda k, row: self.dropout(row, rngs=k))(keys, x)
        raw = raw if rollout_extras is None else rollout_extras
    """
    body = textwrap.dedent(body).strip()
    of_file = f"KEY = jax.random.key(29)\n{textwrap.dedent(sampler(body.format('KEY')))}"
    assert codes_of(of_file) == ["NNX102"]
    assert codes_of(sampler(body.format("self.rngs()"))) == []


def test_keys_that_streams_were_split_into_are_used_up_by_the_first_round_of_a_loop() -> None:
    body = """
        # NNX401
        keys = self.rngs.split(x.shape[0])
        drawn = jax.vmap(lambda k: jax.random.uniform(k, x.shape[1:]))
        raw = x + sum(drawn(keys.{}.key[...]) for stream in ({}))
        raw = raw if rollout_extras is None else rollout_extras
    """
    body = textwrap.dedent(body).strip()
    assert codes_of(sampler(body.format("default", "0, 1"))) == ["NNX401"]
    assert codes_of(sampler(body.format("default", "0,"))) == []
    both = "sum(drawn(stream.key[...]) for stream in (keys.action, keys.noise))"
    once = body.replace("sum(drawn(keys.{}.key[...]) for stream in ({}))", both)
    assert codes_of(sampler(once)) == []
