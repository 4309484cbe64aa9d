"""Disagreements that were found once, by name."""

from __future__ import annotations

import pytest
from support import codes_of

_DRAWING = """
    class M(StatefulModule):
        def __init__(self, {parameter}):
            self.rngs = {held}

        def __call__(self, state, x, rollout_extras=None):
            return StatefulModuleOutput(state, x + self.{draw}.normal(x.shape), 0.0, {{}})
"""


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
