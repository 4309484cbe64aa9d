"""Draws get keys from the carry, each in its own form; nothing else in the file changes."""

from __future__ import annotations

import textwrap

import pytest

from ..rewriting import changes, fixed, noisy, one, rewritten

END = "return StatefulModuleOutput(state, y, 0.0, {})"
NORMAL = "jax.vmap(lambda k, row: jax.random.normal(k, row.shape))"

ROW_NUMBERS = """
first, second = jax.random.split(self.rngs())
keys = jax.vmap(lambda i: jax.random.fold_in(first, i))(jnp.arange(x.shape[0]))
y = x + jax.vmap(lambda k, row: jax.random.normal(k, row.shape))(keys, x)
"""

INLINE = {
    "a function": (
        "y = x + jax.random.normal(self.rngs(), x.shape)",
        f"y = x + {NORMAL}(use, x)",
    ),
    "a method": ("y = x + self.rngs.normal(x.shape)", f"y = x + {NORMAL}(use, x)"),
    "an argument for each env": (
        "y = jax.nn.one_hot(self.rngs.categorical(x), 3)",
        "y = jax.nn.one_hot(jax.vmap(jax.random.categorical)(use, x), 3)",
    ),
    "arguments by name": (
        "y = self.rngs.uniform(shape=x.shape, minval=-x, maxval=self.top)",
        "y = jax.vmap(lambda k, row, minval: jax.random.uniform(k, shape=row.shape, minval=minval, "
        "maxval=self.top))(use, x, -x)",
    ),
    "a shape by its parts": (
        "y = x * jax.random.bernoulli(self.rngs(), 0.5, (x.shape[0], 1))",
        "y = x * jax.vmap(lambda k: jax.random.bernoulli(k, 0.5, (1,)))(use)",
    ),
    "the shape of the batch alone": (
        "y = x + self.rngs.normal(x.shape[:1])[:, None]",
        "y = x + jax.vmap(lambda k: jax.random.normal(k, ()))(use)[:, None]",
    ),
    "all axes but the last": (
        "y = x + self.rngs.normal((*x.shape[:-1], 1))",
        "y = x + jax.vmap(lambda k: jax.random.normal(k, (*x.shape[1:-1], 1)))(use)",
    ),
    "a sum of shapes": (
        "y = x + self.rngs.normal(x.shape[:-1] + (1,))",
        "y = x + jax.vmap(lambda k: jax.random.normal(k, x.shape[1:-1] + (1,)))(use)",
    ),
    "one number for all": (
        "y = 2 * x + self.scale * jax.random.normal(self.rngs())",
        "y = jax.vmap(lambda k, row: row + self.scale * jax.random.normal(k))(use, 2 * x)",
    ),
    "a distribution": (
        "y = distrax.Normal(x, 1.0).sample(seed=self.rngs())",
        "y = jax.vmap(lambda k, row: distrax.Normal(row, 1.0).sample(seed=k))(use, x)",
    ),
    "a layer": (
        "y = self.drop(x)",
        "y = jax.vmap(lambda k, row: self.drop(row, rngs=k))(use, x)",
    ),
    "several layers in one": (
        "y = self.net(x)",
        "y = jax.vmap(lambda k, row: self.net(row, rngs=nnx.Rngs(k)))(use, x)",
    ),
    "NumPy": (
        "y = np.random.normal(0.0, self.scale, x.shape)",
        f"y = (self.scale * {NORMAL}(use, x))",
    ),
    "NumPy by sizes": ("y = x + np.random.randn(*x.shape)", f"y = x + {NORMAL}(use, x)"),
    "a constant key": (
        "y = x + jax.random.normal(jax.random.key(0), x.shape)",
        f"y = x + {NORMAL}(use, x)",
    ),
    "a stored key": (
        "y = x + jax.random.normal(self.key[...], x.shape)",
        f"y = x + {NORMAL}(use, x)",
    ),
}


@pytest.mark.parametrize(("before", "after"), INLINE.values(), ids=INLINE)
def test_a_draw_in_an_expression_is_mapped_over_the_envs(before: str, after: str) -> None:
    init = """
    self.drop = nnx.Dropout(0.5, rngs=rngs)
    self.net = nnx.Sequential(nnx.Linear(3, 3, rngs=rngs), nnx.Dropout(0.5, rngs=rngs))
    self.key = nnx.Variable(rngs())
    """
    code = noisy(f"{before}\n{END}", init=init, before="import distrax")
    assert changes(code) == f"-{before}\n+{after}"


BODIES = {
    "two draws are split off at once": (
        """
        y = x + self.rngs.normal(x.shape)
        y = y * self.rngs.uniform(x.shape)
        """,
        """
        -y = x + self.rngs.normal(x.shape)
        -y = y * self.rngs.uniform(x.shape)
        +state, use, use_2 = jax.vmap(lambda k: tuple(jax.random.split(k, 3)))(state)
        +y = x + jax.vmap(lambda k, row: jax.random.normal(k, row.shape))(use, x)
        +y = y * jax.vmap(lambda k, row: jax.random.uniform(k, row.shape))(use_2, x)
        """,
    ),
    "a name for a stream goes": (
        """
        source = self.rngs
        y = x + source.normal(x.shape)
        """,
        """
        -source = self.rngs
        -y = x + source.normal(x.shape)
        +y = x + jax.vmap(lambda k, row: jax.random.normal(k, row.shape))(use, x)
        """,
    ),
    "a name for a key is kept for the new one": (
        """
        key = self.rngs()
        y = x + jax.random.normal(key, x.shape)
        """,
        """
        -key = self.rngs()
        -y = x + jax.random.normal(key, x.shape)
        +state, key = jax.vmap(lambda k: tuple(jax.random.split(k)))(state)
        +y = x + jax.vmap(lambda k, row: jax.random.normal(k, row.shape))(key, x)
        """,
    ),
    "names for several keys are": (
        """
        one, other = jax.random.split(self.rngs())
        y = x + jax.random.normal(one, x.shape) * jax.random.normal(other, x.shape)
        """,
        """
        -one, other = jax.random.split(self.rngs())
        -y = x + jax.random.normal(one, x.shape) * jax.random.normal(other, x.shape)
        +state, one, other = jax.vmap(lambda k: tuple(jax.random.split(k, 3)))(state)
        +y = x + jax.vmap(lambda k, row: jax.random.normal(k, row.shape))(one, x) \
* jax.vmap(lambda k, row: jax.random.normal(k, row.shape))(other, x)
        """,
    ),
    "a split for the batch goes": (
        """
        keys = jax.random.split(self.rngs(), x.shape[0])
        y = jax.vmap(lambda k, row: row + jax.random.normal(k, row.shape))(keys, x)
        """,
        """
        -keys = jax.random.split(self.rngs(), x.shape[0])
        +keys = use
        """,
    ),
    "a loop splits in every round": (
        """
        y = x
        for _ in range(3):
            y = y + self.rngs.normal(x.shape)
        """,
        """
        +state, loop_key = jax.vmap(lambda k: tuple(jax.random.split(k)))(state)
        -y = y + self.rngs.normal(x.shape)
        +loop_key, use = jax.vmap(lambda k: tuple(jax.random.split(k)))(loop_key)
        +y = y + jax.vmap(lambda k, row: jax.random.normal(k, row.shape))(use, x)
        """,
    ),
    "a comprehension folds in the number of its round": (
        """
        y = sum([x * self.rngs.normal(x.shape) for _ in range(3)])
        """,
        """
        -y = sum([x * self.rngs.normal(x.shape) for _ in range(3)])
        +y = sum([x * jax.vmap(lambda k, row: jax.random.normal(k, row.shape))\
(jax.vmap(lambda k: jax.random.fold_in(k, i))(use), x) for i, _ in enumerate(range(3))])
        """,
    ),
    "an advanced key needs no place any more": (
        """
        following, use = jax.random.split(self.key[...])
        self.key[...] = following
        y = x + jax.random.normal(use, x.shape)
        """,
        """
        -following, use = jax.random.split(self.key[...])
        -self.key[...] = following
        -y = x + jax.random.normal(use, x.shape)
        +y = x + jax.vmap(lambda k, row: jax.random.normal(k, row.shape))(use, x)
        """,
    ),
    "streams that were split are not": (
        """
        with nnx.split_rngs(self.rngs, splits=x.shape[0]):
            y = nnx.vmap(lambda rngs, row: row + rngs.normal(row.shape))(self.rngs, x)
        """,
        """
        -with nnx.split_rngs(self.rngs, splits=x.shape[0]):
        -y = nnx.vmap(lambda rngs, row: row + rngs.normal(row.shape))(self.rngs, x)
        +y = nnx.vmap(lambda key, row: row + jax.random.normal(key, row.shape))(use, x)
        """,
    ),
    "a nested function takes a key": (
        """
        def perturbed(h, scale):
            return h + scale * self.rngs.normal(h.shape)

        y = perturbed(x, 0.5) + perturbed(2 * x, 0.1)
        """,
        """
        -def perturbed(h, scale):
        -return h + scale * self.rngs.normal(h.shape)
        +state, use, use_2 = jax.vmap(lambda k: tuple(jax.random.split(k, 3)))(state)
        +def perturbed(key, h, scale):
        +return h + scale * jax.vmap(lambda k, row: jax.random.normal(k, row.shape))(key, h)
        -y = perturbed(x, 0.5) + perturbed(2 * x, 0.1)
        +y = perturbed(use, x, 0.5) + perturbed(use_2, 2 * x, 0.1)
        """,
    ),
    "a branch of a condition sees the key": (
        """
        y = jax.lax.cond(self.on, lambda v: v + self.rngs.normal(v.shape), lambda v: v, x)
        """,
        """
        -y = jax.lax.cond(self.on, lambda v: v + self.rngs.normal(v.shape), lambda v: v, x)
        +y = jax.lax.cond(self.on, lambda v: v + jax.vmap(lambda k, row: \
jax.random.normal(k, row.shape))(use, v), lambda v: v, x)
        """,
    ),
    "a mapped function takes a key of its row": (
        """
        base = self.key[...]
        y = jax.vmap(lambda row: row + jax.random.normal(base, row.shape))(x)
        """,
        """
        -base = self.key[...]
        -y = jax.vmap(lambda row: row + jax.random.normal(base, row.shape))(x)
        +y = jax.vmap(lambda key, row: row + jax.random.normal(key, row.shape))(use, x)
        """,
    ),
}


def lines(text: str) -> str:
    """A text without its indentation."""
    return "\n".join(line.strip() for line in text.strip().splitlines())


@pytest.mark.parametrize(("before", "after"), BODIES.values(), ids=BODIES)
def test_statements_around_a_draw_change_with_it(before: str, after: str) -> None:
    code = noisy(f"{textwrap.dedent(before)}\n{END}", init="self.key = nnx.Variable(rngs())")
    assert changes(code) == lines(after)


def test_a_helper_takes_a_key_and_splits_it_for_its_draws() -> None:
    code = noisy(
        f"y = self.noise(x) - self.noise(2 * x, 0.5)\n{END}",
        members="""
        def noise(self, h, scale=1.0):
            return scale * self.rngs.normal(h.shape) * jax.random.normal(self.fresh, h.shape)

        @property
        def fresh(self):
            return self.rngs.noise()
        """,
    )
    assert changes(code) == lines("""
        -def noise(self, h, scale=1.0):
        -return scale * self.rngs.normal(h.shape) * jax.random.normal(self.fresh, h.shape)
        +def noise(self, key, h, scale=1.0):
        +use, use_2 = jax.vmap(lambda k: tuple(jax.random.split(k)))(key)
        +return scale * jax.vmap(lambda k, row: jax.random.normal(k, row.shape))(use, h) \
* jax.vmap(lambda k, row: jax.random.normal(k, row.shape))(self.fresh(use_2), h)
        -@property
        -def fresh(self):
        -return self.rngs.noise()
        +def fresh(self, key):
        +return key
        -y = self.noise(x) - self.noise(2 * x, 0.5)
        +state, use, use_2 = jax.vmap(lambda k: tuple(jax.random.split(k, 3)))(state)
        +y = self.noise(use, x) - self.noise(use_2, 2 * x, 0.5)
        """)


def test_comments_and_everything_beside_the_draw_stay_as_they_are() -> None:
    code = noisy(f"""
    # Exploration.
    y = (
        x  # the input
        + jax.random.normal( self.rngs() , x.shape )  # its noise
    )
    {END}
    """)
    after = fixed(code)
    assert "# Exploration.\n" in after
    assert "        x  # the input\n" in after
    assert "(use, x)  # its noise\n" in after


def test_an_import_is_added_where_it_is_missing() -> None:
    source = (
        '"""Noise."""\n\nfrom flax import nnx\n'
        "from nnx_ppo.networks.types import StatefulModule, StatefulModuleOutput\n\n\n"
        + noisy(f"y = x + self.rngs.normal(x.shape)\n{END}")
    )
    after = rewritten(source, one(source))
    assert "\n\nimport jax\nfrom flax import nnx\nfrom nnx_ppo" in after


def test_keys_that_get_their_row_s_number_are_those_of_the_envs() -> None:
    after = fixed(noisy(ROW_NUMBERS + END))
    assert "keys = first\n" in after
    assert "jnp.arange" not in after


HANDED = """
def draw(x, source):
    def inner():
        return jax.random.normal({read}, x.shape)

    return inner()
"""


@pytest.mark.parametrize("read", ["source.get_value()", "source.value", "source.value[...]"])
def test_a_function_that_read_a_variable_reads_a_key(read: str) -> None:
    code = noisy(
        f"y = x + draw(x, self.key)\n{END}",
        init="self.key = nnx.Variable(rngs())",
        before=HANDED.format(read=read),
    )
    after = fixed(code)
    assert f"return {NORMAL}(source, x)" in after
    assert "y = x + draw(x, use)" in after
