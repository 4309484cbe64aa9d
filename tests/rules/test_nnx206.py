"""NNX206: keys that draw by batch position, in a project whose modules carry keys."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest
from support import PRELUDE, write

from flake8_nnx_rng.lint import lint
from flake8_nnx_rng.rules import patterns
from flake8_nnx_rng.source import read_document

CARRYING = patterns.NOISE
PLAIN = (
    PRELUDE
    + """
class Plain(StatefulModule):
    def __call__(self, state, x, rollout_extras=None):
        return StatefulModuleOutput(state, 2 * x, 0.0, {})
"""
)
BUILDING = "from nnx_ppo.networks.variational import VariationalBottleneck\n"
CHOICES = {
    "the setting": 'import jax\njax.config.update("jax_default_prng_impl", "rbg")\n',
    "the setting's attribute": 'import jax\njax.config.jax_default_prng_impl = "unsafe_rbg"\n',
    "the environment": 'import os\nos.environ["JAX_DEFAULT_PRNG_IMPL"] = "rbg"\n',
    "the environment's default": (
        'import os\nos.environ.setdefault("JAX_DEFAULT_PRNG_IMPL", "rbg")\n'
    ),
    "a context": 'import jax\nwith jax.default_prng_impl("rbg"):\n    run()\n',
    "a name": 'import jax\nNAME = "rbg"\nKEY = jax.random.key(0, impl=NAME)\n',
    "one of two": 'import jax\nKEY = jax.random.key(0, impl="rbg" if fast else "threefry2x32")\n',
    "a default": 'import jax\ndef key(impl="rbg"):\n    return jax.random.key(0, impl=impl)\n',
}


def found(directory: Path, files: dict[str, str]) -> list[str]:
    write(directory, {"pyproject.toml": "", **files})
    findings = lint(read_document(directory / "main.py"))
    return [finding.message for finding in findings if finding.code == "NNX206"]


@pytest.mark.parametrize("choice", CHOICES.values(), ids=CHOICES)
def test_a_choice_in_one_file_concerns_the_keys_of_another(choice: str, tmp_path: Path) -> None:
    (message,) = found(tmp_path, {"main.py": choice, "lib/layers.py": CARRYING})
    assert "and CarriedNoise carries keys" in message


def test_a_layer_of_the_library_carries_keys_wherever_it_is_built(tmp_path: Path) -> None:
    files = {"main.py": CHOICES["the setting"], "plain.py": PLAIN, "nets.py": BUILDING}
    (message,) = found(tmp_path, files)
    assert "and VariationalBottleneck carries keys" in message


@pytest.mark.parametrize(
    "files",
    [
        {"plain.py": PLAIN},
        {"venv/layers.py": CARRYING, "plain.py": PLAIN},
        {"broken.py": CARRYING + "\ndef f(:\n"},
        {},
    ],
)
def test_a_choice_is_of_no_concern_where_nothing_carries_keys(
    files: dict[str, str], tmp_path: Path
) -> None:
    assert found(tmp_path, {"main.py": CHOICES["the setting"], **files}) == []


@pytest.mark.parametrize(
    "choice",
    [
        'import jax\nKEY = jax.random.key(0, impl="threefry2x32")  # not rbg\n',
        'import jax\nother(0, impl="rbg")\n',
        'config = {}\nconfig["algorithm"] = "rbg"\nconfig.name = "rbg"\nset("name", "rbg")\n',
        "import jax\ndef key(impl):  # such as rbg\n    return jax.random.key(0, impl=impl)\n",
    ],
)
def test_what_is_no_choice_of_such_keys_is_not_reported(choice: str, tmp_path: Path) -> None:
    assert found(tmp_path, {"main.py": choice, "layers.py": CARRYING}) == []


DRAWING = """
class M({base}):
    def __init__(self, rngs: nnx.Rngs):
        self.rngs, self.dropout, self.memory = rngs, nnx.Dropout(0.5), nnx.Variable(0.0)

    def initialize_state(self, batch_size):
        return jax.random.split(jax.random.key(0, impl="{impl}"), batch_size)

    def __call__(self, state, x, rollout_extras=None):
        state, use = jax.vmap(lambda k: tuple(jax.random.split(k)))(state)
{body}
        return StatefulModuleOutput(state, x + noise, 0.0, {{}}, noise)
"""
MAPPED = "noise = jax.vmap(jax.random.normal)(use)"
KEPT = "\nnoise = noise if rollout_extras is None else rollout_extras"
BY_PLACE = {
    "in a map": MAPPED,
    "in a map in batches": "noise = jax.lax.map(jax.random.normal, use, batch_size=2)",
    "by a layer": "noise = jax.vmap(lambda k, row: self.dropout(row, rngs=k))(use, x)",
    "in code that is not seen": "noise = other.map(jax.random.normal, use)",
    "by code that is not seen": "noise = other.normal(use)" + KEPT,
    "and held": f"{MAPPED}\nself.memory[...] = noise{KEPT}",
    "and partly taken back": f"{MAPPED}\nx = x + noise{KEPT}",
}
BY_KEY = {
    "in a loop": "noise = jnp.stack([jax.random.normal(k) for k in use])",
    "in a map in turn": "noise = jax.lax.map(jax.random.normal, use)",
    "in a scan": "_, noise = jax.lax.scan(lambda c, k: (c, jax.random.normal(k)), 0, use)",
    "one after the other, from halves": (
        "half = jax.vmap(lambda k: jax.random.split(k)[0])(use)\n"
        "noise = jnp.stack([jax.random.normal(k) for k in half])"
    ),
    "in a map, and taken back": MAPPED + KEPT,
    "for nothing": f"{MAPPED}\nnoise = 0.0",
}
CONTAINER = """
class Outer(StatefulModule):
    def __init__(self, rngs):
        self.inner = M(rngs)

    def initialize_state(self, batch_size):
        return self.inner.initialize_state(batch_size)

    def __call__(self, state, x, rollout_extras=None):
        return self.inner(state, x{extras})
"""


def _drawing(body: str, base: str = "StatefulModule", impl: str = "rbg") -> str:
    return PRELUDE + DRAWING.format(base=base, impl=impl, body=textwrap.indent(body, 8 * " "))


@pytest.mark.parametrize("body", BY_PLACE.values(), ids=BY_PLACE)
def test_keys_are_reported_whose_draws_depend_on_the_place(body: str, tmp_path: Path) -> None:
    assert len(found(tmp_path, {"main.py": _drawing(body)})) == 1


@pytest.mark.parametrize("body", BY_KEY.values(), ids=BY_KEY)
def test_keys_whose_draws_depend_on_the_key_alone_are_not(body: str, tmp_path: Path) -> None:
    assert found(tmp_path, {"main.py": _drawing(body)}) == []


def test_keys_whose_splits_depend_on_the_place_are_not_drawn_from_in_turn(tmp_path: Path) -> None:
    body = BY_KEY["in a loop"]
    assert len(found(tmp_path, {"main.py": _drawing(body, impl="unsafe_rbg")})) == 1
    assert found(tmp_path, {"main.py": _drawing(body + KEPT, impl="unsafe_rbg")}) == []


@pytest.mark.parametrize(("extras", "count"), [(", rollout_extras", 0), ("", 1)])
def test_what_is_emitted_must_be_given_back(extras: str, count: int, tmp_path: Path) -> None:
    code = _drawing(MAPPED + KEPT) + "\n" + CONTAINER.format(extras=extras)
    assert len(found(tmp_path, {"main.py": code})) == count


def test_every_module_of_a_project_must_do_without_the_place(tmp_path: Path) -> None:
    files = {"main.py": _drawing(BY_KEY["in a loop"]), "other.py": CARRYING}
    (message,) = found(tmp_path, files)
    assert "and CarriedNoise carries keys" in message


CHAIN = """
class Plain(StatefulModule):
    def __call__(self, state, x, rollout_extras=None):
        return StatefulModuleOutput(state, x, 0.0, {})


class Chain(StatefulModule):
    def __init__(self, rngs):
        self.layers = nnx.List([Plain(), M(rngs)])

    def initialize_state(self, batch_size):
        return [layer.initialize_state(batch_size) for layer in self.layers]

    def __call__(self, state, x, rollout_extras=None):
        given = rollout_extras or [None] * len(self.layers)
        following, kept = [], []
        for layer, before, extra in zip(self.layers, state, given):
            out = layer(before, x, extra)
            x = out.output
            following.append(out.next_state)
            kept.append(out.rollout_extras)
        return StatefulModuleOutput(following, x, 0.0, {}, kept)
"""


def test_a_key_that_goes_through_a_layer_without_a_state_is_not_drawn_from(tmp_path: Path) -> None:
    assert found(tmp_path, {"main.py": _drawing(MAPPED + KEPT) + "\n" + CHAIN}) == []
    drawing = CHAIN.replace("(state, x, 0.0", "(state, jax.vmap(jax.random.normal)(state), 0.0")
    assert len(found(tmp_path, {"main.py": _drawing(MAPPED + KEPT) + "\n" + drawing})) == 1


ALIASES = {
    "the other of two": (
        'import jax\nKEY = jax.random.key(0, impl="threefry2x32" if slow else "rbg")\n',
        1,
    ),
    "a name of a name": (
        'import jax\nA = "rbg"\nB = A\nKEY = jax.random.key(0, impl=B)\n',
        1,
    ),
    "a default of a name": (
        'import jax\nA = "rbg"\nB = A\ndef key(impl=B):\n    return jax.random.key(0, impl=impl)\n',
        1,
    ),
    "names of each other": (
        'import jax\nif x:\n    A = B\nelse:\n    A = "rbg"\nB = A\n'
        "KEY = jax.random.key(0, impl=A)\n",
        1,
    ),
    "a default of its own name": (
        "import jax\nA = A\ndef key(impl=A):\n    return jax.random.key(0, impl=impl)\n",
        0,
    ),
    "another function's parameter": ('import other\nKEY = other.key(0, impl="rbg")\n', 0),
    "another setting": ('import jax\njax.config.update("jax_platforms", "rbg")\n', 0),
}


@pytest.mark.parametrize("name", ALIASES)
def test_the_implementation_is_found_through_names(name: str, tmp_path: Path) -> None:
    choice, count = ALIASES[name]
    messages = found(tmp_path, {"main.py": choice, "lib/layers.py": CARRYING})
    assert len(set(messages)) == count


@pytest.mark.parametrize(
    "reset",
    [
        "",
        """
    def reset_state(self, prev_state):
        return super().reset_state(prev_state)
""",
    ],
    ids=["inherited", "of the base"],
)
def test_keys_go_unused_through_a_reset_that_the_base_class_defines(
    reset: str, tmp_path: Path
) -> None:
    files = {"main.py": CHOICES["the setting"], "chain.py": _CHAIN.format(reset=reset)}
    assert found(tmp_path, files) == []


_CHAIN = (
    PRELUDE
    + """
class Sampler(ActionSampler):
    def __init__(self, rngs):
        self.rngs = rngs

    def initialize_state(self, batch_size):
        return jax.random.split(self.rngs(), batch_size)
{reset}
    def __call__(self, state, x, rollout_extras=None):
        state, use = jax.vmap(lambda k: tuple(jax.random.split(k)))(state)
        raw = x + jax.vmap(lambda k, row: jax.random.normal(k, row.shape))(use, x)
        raw = raw if rollout_extras is None else rollout_extras
        output = {{"action": raw, "log_likelihood": -jnp.sum((raw - x) ** 2, axis=-1)}}
        return StatefulModuleOutput(state, output, 0.0, {{}}, raw)


class Wrapper(StatefulModule):
    def __init__(self, rngs):
        self.inner = Sampler(rngs)

    def initialize_state(self, batch_size):
        return self.inner.initialize_state(batch_size)

    def reset_state(self, prev_state):
        return self.inner.reset_state(prev_state)

    def __call__(self, state, x, rollout_extras=None):
        return self.inner(state, x, rollout_extras)
"""
)
