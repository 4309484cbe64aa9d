"""Randomness of the host."""

from __future__ import annotations

import pytest
from interpreting import events_in, value_of

from flake8_nnx_rng.knowledge import host

BEFORE = "import os, random, secrets, time, torch, uuid"
DRAWS: dict[str, tuple[str, str]] = {
    "NumPy": ("np.random.normal()", "numpy.random.normal"),
    "the standard library": ("random.random()", "random.random"),
    "secrets": ("secrets.token_bytes()", "secrets.token_bytes"),
    "the operating system": ("os.urandom(3)", "os.urandom"),
    "an identifier": ("uuid.uuid4()", "uuid.uuid4"),
    "PyTorch": ("torch.randn(3)", "torch.randn"),
    "a generator of the module": ("self.g.normal()", "self.g.normal"),
    "a generator of the pass": (
        "np.random.default_rng(0).normal()",
        "numpy.random.default_rng.normal",
    ),
    "an old generator": ("np.random.RandomState(0).rand()", "numpy.random.RandomState.rand"),
    "a generator of the standard library": ("random.Random(0).gauss()", "random.Random.gauss"),
}


@pytest.mark.parametrize(("code", "name"), DRAWS.values(), ids=DRAWS.keys())
def test_a_draw_on_the_host_by(code: str, name: str) -> None:
    told = events_in(code, init="self.g = np.random.default_rng(0)", before=BEFORE)
    assert told == [f"{code} draws on the host: {name}"]
    found = value_of(code, init="self.g = np.random.default_rng(0)", before=BEFORE)
    assert found == f"data{{host {name}}}"


@pytest.mark.parametrize("name", sorted(host.GENERATOR_SILENT))
def test_setting_up_a_generator_draws_nothing(name: str) -> None:
    code = f"self.g.{name}(3)"
    assert events_in(code, init="self.g = np.random.default_rng(0)") == []
    assert value_of(code, init="self.g = np.random.default_rng(0)") == "data"


@pytest.mark.parametrize(
    "code",
    ["np.random.default_rng(0)", "np.random.seed(0)", "time.time()", "np.random.Generator"],
)
def test_nothing_is_drawn_by(code: str) -> None:
    assert events_in(code, before=BEFORE) == []


def test_a_method_of_a_generator_may_be_kept_in_a_variable() -> None:
    told = events_in("draw = np.random.default_rng(0).normal\ndraw()")
    assert told == ["draw() draws on the host: numpy.random.default_rng.normal"]


def test_the_constructor_may_draw_on_the_host() -> None:
    assert events_in("self.scale", init="self.scale = np.random.normal(size=3)") == []


def test_a_generator_may_be_known_by_its_type_alone() -> None:
    code = "draw(self.thing)"
    told = events_in(code, before="def draw(g: np.random.Generator): return g.normal()")
    assert told == ["g.normal() draws on the host: self.thing.normal"]
