"""A choice of the implementation of keys is made anew, in a proposal of its own."""

from __future__ import annotations

import pytest

from flake8_nnx_rng.codemod.proposal import Safety

from ..rewriting import fixed, noisy, proposed

SOUND = noisy(
    "state, use = jax.vmap(lambda k: tuple(jax.random.split(k)))(state)\n"
    "y = x + jax.vmap(lambda k, row: jax.random.normal(k, row.shape))(use, x)\n"
    "return StatefulModuleOutput(state, y, 0.0, {})",
    members="""
    def initialize_state(self, batch_size):
        return jax.random.split(self.rngs(), batch_size)
    """,
)
CHOICES = {
    'jax.config.update("jax_default_prng_impl", "rbg")': (
        'jax.config.update("jax_default_prng_impl", "threefry2x32")'
    ),
    "KEY = jax.random.key(0, impl='unsafe_rbg')": "KEY = jax.random.key(0, impl='threefry2x32')",
    'import os\nos.environ["JAX_DEFAULT_PRNG_IMPL"] = """rbg"""': '= """threefry2x32"""\n',
}


@pytest.mark.parametrize(("before", "after"), CHOICES.items())
def test_what_is_named_is_replaced(before: str, after: str) -> None:
    code = f"{before}\n\n{SOUND}"
    (proposal,) = proposed(code)
    assert (proposal.name, proposal.codes, proposal.safety) == ("", ("NNX206",), Safety.SAFE)
    assert after in fixed(code)


def test_what_is_named_in_a_class_is_part_of_it_and_does_not_hold_up_its_draws() -> None:
    found = proposed(
        noisy(
            "return StatefulModuleOutput(state, x + self.rngs.normal(x.shape), 0.0, {})",
            members="""
            def initialize_state(self, batch_size):
                return jax.random.split(jax.random.key(0, impl="rbg"), batch_size)
            """,
        )
    )
    assert [(p.name, p.codes) for p in found] == [("M", ("NNX101",)), ("M", ("NNX206",))]
    assert all(proposal.edits for proposal in found)


def test_what_is_named_elsewhere_is_left_to_you() -> None:
    assert proposed(f'NAME = "rbg"\nKEY = jax.random.key(0, impl=NAME)\n\n{SOUND}') == []
