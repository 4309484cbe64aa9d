"""What a rewritten module draws is distributed as it was, and every env draws for itself.

A draw from the class-level stream of a module is compared with the one that it is rewritten to,
from keys of the carry and other seeds. Envs are of two kinds, and features too, so that a
parameter that ends up with another env or feature is seen.
"""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import Any

import pytest
from judging import imported
from support import module

from flake8_nnx_rng.knowledge.keys import DRAWS

from .rewriting import noisy, one, rewritten

np = pytest.importorskip("numpy")
stats = pytest.importorskip("scipy.stats")
pytest.importorskip("nnx_ppo")

ENVS, FEATURES, STEPS = 2000, 64, 2

ARGUMENTS: dict[str, tuple[str, ...]] = {
    "ball": ("3, shape=x.shape[:1]", "3, 1.0, (x.shape[0],)"),
    "bernoulli": ("0.3, x.shape", "x / 4"),
    "beta": ("2.0, 3.0, x.shape", "x, 2.0"),
    "binomial": ("10.0, 0.3, x.shape", "10.0, x / 4"),
    "bits": ("x.shape",),
    "categorical": (
        "jnp.stack([x, -x, 0 * x], -1) / 4",
        "jnp.log(jnp.arange(1.0, 4.0)), shape=x.shape",
    ),
    "cauchy": ("x.shape",),
    "chisquare": ("3.0, x.shape", "x"),
    "choice": ("5, x.shape", "jnp.arange(4.0), x.shape, p=jnp.array([0.1, 0.2, 0.3, 0.4])"),
    "dirichlet": ("x", "jnp.arange(1.0, 4.0), x.shape[:1]"),
    "double_sided_maxwell": ("0.5, 2.0, x.shape",),
    "exponential": ("x.shape",),
    "f": ("5.0, 6.0, x.shape", "x, 6.0"),
    "gamma": ("2.0, x.shape", "x"),
    "generalized_normal": ("3.0, x.shape",),
    "geometric": ("0.3, x.shape", "x / 4"),
    "gumbel": ("x.shape",),
    "laplace": ("x.shape",),
    "loggamma": ("2.0, x.shape", "x"),
    "logistic": ("x.shape",),
    "lognormal": ("0.5, x.shape", "x / 4"),
    "maxwell": ("x.shape",),
    "multinomial": ("20.0, jax.nn.softmax(x)",),
    "multivariate_normal": (
        "x, 0.5 + jnp.eye(x.shape[-1])",
        "jnp.zeros(3), 0.5 + jnp.eye(3), x.shape[:1]",
    ),
    "normal": ("x.shape", "(x.shape[0], 5)"),
    "pareto": ("3.0, x.shape", "x + 2"),
    "poisson": ("3.0, x.shape", "x"),
    "rademacher": ("x.shape",),
    "randint": ("x.shape, 0, 6",),
    "rayleigh": ("2.0, x.shape", "x"),
    "t": ("4.0, x.shape", "x"),
    "triangular": ("0.0, 0.3, 1.0, x.shape", "0.0, x / 4, 1.0"),
    "truncated_normal": ("-1.0, 0.5, x.shape", "-x, x"),
    "uniform": ("x.shape, minval=-1.0", "x.shape, jnp.float32, -x, x"),
    "wald": ("2.0, x.shape", "x"),
    "weibull_min": ("2.0, 1.5, x.shape",),
}
"""By function, what it takes behind its key; the parameters are its own and of each env."""

COSTLY = {
    *("ball", "beta", "binomial", "chisquare", "dirichlet", "f", "gamma", "generalized_normal"),
    *("loggamma", "multinomial", "poisson", "t"),
}
"""Draws that take long to compile, most of them as they go through `gamma`."""

REFUSED: dict[str, tuple[str, str]] = {
    "permutation": ("x, axis=-1", "`permutation` draws for the batch as a whole"),
    "orthogonal": ("3, x.shape[:1]", "`orthogonal` draws for the batch as a whole"),
    "choice": ("x, x.shape[:1]", "nothing is drawn apart for the rows of `x`"),
    "double_sided_maxwell": ("x, 2.0", "nothing is drawn apart for the rows of `x`"),
    "weibull_min": ("2.0, x", "nothing is drawn apart for the rows of `x`"),
    "choice, without replacement": (
        "2000, x.shape[:1], replace=False",
        "`choice` without replacement draws for the batch as a whole",
    ),
    "categorical, without replacement": (
        "jnp.zeros(2000), replace=False, shape=x.shape[:1]",
        "`categorical` without replacement draws for the batch as a whole",
    ),
    "categorical, several for each env": (
        "x, shape=(3, x.shape[0])",
        "it is not certain which axis of `(3, x.shape[0])` counts the envs",
    ),
    "categorical, of another axis": (
        "x, axis=-2",
        "it is not certain that axis `-2` is not the envs'",
    ),
}
"""What is left alone, and why."""

CALLS = [f"{name}({arguments})" for name, every in ARGUMENTS.items() for arguments in every]

FORMS = {
    "two draws": """
        a = jax.random.normal(self.rngs(), x.shape)
        b = self.rngs.uniform(x.shape)
        y = jnp.concatenate([a, b], -1)
    """,
    "draws in a loop": """
        parts = [jax.random.normal(self.rngs(), x.shape) for _ in range(3)]
        y = jnp.concatenate(parts, -1)
    """,
    "one key split for two draws": """
        first, second = jax.random.split(self.rngs())
        a = jax.random.normal(first, x.shape)
        y = jnp.concatenate([a, jax.random.normal(second, x.shape)], -1)
    """,
    "a draw with a location and a scale": "y = x + 0.5 * jax.random.normal(self.rngs(), x.shape)",
    "a dropout child": "y = self.drop(x)",
    "NumPy, normal": "y = jnp.asarray(np.random.normal(1.0, 2.0, x.shape))",
    "NumPy, uniform": "y = jnp.asarray(np.random.uniform(-1.0, 2.0, x.shape))",
    "NumPy, integers": "y = jnp.asarray(np.random.randint(2, 9, size=x.shape))",
    "NumPy, integers from zero": "y = jnp.asarray(np.random.randint(9, size=x.shape))",
    "NumPy, by sizes": "y = jnp.asarray(np.random.randn(*x.shape))",
}
"""Draws in other forms."""


def returning(body: str) -> str:
    """A module whose output a body calls `y`."""
    end = "return StatefulModuleOutput(state, y, 0.0, {})"
    init = "self.drop = nnx.Dropout(0.3, rngs=rngs)" if "self.drop" in body else "pass"
    return module(noisy(f"{textwrap.dedent(body).strip()}\n{end}", init=init))


def function(call: str) -> str:
    """A call of a function of `jax.random` with a key of the module's stream."""
    return f"jax.random.{call.replace('(', '(self.rngs(), ', 1)}"


def calling(call: str) -> str:
    """A module that returns what such a call draws."""
    return returning(f"y = {function(call)}")


def fixed(source: str) -> str:
    """A module, rewritten."""
    proposal = one(source)
    assert proposal.edits, proposal.reason
    return rewritten(source, proposal)


def drawn(source: str, seed: int, directory: Path, envs: int = ENVS, steps: int = STEPS) -> Any:
    """What a module returns, `[steps, envs, features]`, in double precision."""
    import jax.numpy as jnp
    from flax import nnx

    x = np.tile([[1.0, 0.5], [3.0, 1.5]], (envs // 2, FEATURES // 2))
    outputs = []
    np.random.seed(seed)
    with imported(source, directory) as file:
        layer = file.M(nnx.Rngs(seed))
        state = layer.initialize_state(envs)
        for _ in range(steps):
            out = layer(state, jnp.asarray(x, jnp.float32))
            state = out.next_state
            outputs.append(np.asarray(out.output, np.float64).reshape(envs, -1))
    return np.stack(outputs)


def assert_alike(before: Any, after: Any) -> None:
    """Sees that two draws `[steps, envs, features]` have one distribution, for each kind."""
    assert before.shape == after.shape
    chances = []
    tails = np.quantile([before, after], [0.01, 0.99])
    for env in (0, 1):
        for feature in (0, 1):
            both = [draw[:, env::2, feature::2] for draw in (before, after)]
            first = [one[..., 0].ravel() for one in both]
            chances.append(stats.ks_2samp(*first, method="asymp").pvalue)
            old, new = (np.clip(one, *tails) for one in both)
            assert abs(new.mean() - old.mean()) < 0.1 * old.std()
            assert 0.8 < new.var() / old.var() < 1.25
        rows = [np.clip(draw[:, env::2], *tails) for draw in (before, after)]
        old, new = (np.corrcoef(one.reshape(-1, one.shape[-1]).T) for one in rows)
        assert np.abs(new - old).max() < 0.3
    assert min(chances) * len(chances) > 0.001


def assert_apart(draw: Any) -> None:
    """Sees that no env draws what it or another one has drawn."""
    rows = draw.reshape(-1, draw.shape[-1])
    assert len(np.unique(rows, axis=0)) == len(rows)


def assert_kept(source: str, after: str, directory: Path) -> None:
    """Sees that a rewritten module draws as before, and every env for itself."""
    new = drawn(after, 2, directory)
    assert_alike(drawn(source, 1, directory), new)
    assert_apart(new)


def test_every_draw_is_here() -> None:
    assert {*ARGUMENTS, *REFUSED} >= DRAWS


@pytest.mark.parametrize("name", REFUSED)
def test_what_would_be_distributed_in_another_way_is_left_alone(name: str) -> None:
    arguments, reason = REFUSED[name]
    proposal = one(calling(f"{name.partition(',')[0]}({arguments})"))
    assert not proposal.edits
    assert reason in proposal.reason


@pytest.mark.slow
def test_a_method_of_a_stream_is_rewritten_as_the_function_is() -> None:
    methods = "\n".join(f"self.rngs.{call}" for call in CALLS)
    functions = "\n".join(function(call) for call in CALLS)
    assert fixed(returning(f"y = x\n{methods}")) == fixed(returning(f"y = x\n{functions}"))


@pytest.mark.slow
@pytest.mark.parametrize(
    "call",
    [
        pytest.param(
            f"{name}({arguments})", marks=pytest.mark.thorough if number or name in COSTLY else []
        )
        for name, every in ARGUMENTS.items()
        for number, arguments in enumerate(every)
    ],
)
def test_a_rewritten_draw_has_the_distribution_that_it_had(call: str, tmp_path: Path) -> None:
    source = calling(call)
    assert_kept(source, fixed(source), tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMS)
def test_draws_in_other_forms_have_the_distribution_that_they_had(
    form: str, tmp_path: Path
) -> None:
    source = returning(FORMS[form])
    assert_kept(source, fixed(source), tmp_path)


@pytest.mark.slow
def test_noise_that_all_envs_shared_is_distributed_as_it_was_and_no_longer_shared(
    tmp_path: Path,
) -> None:
    source = returning("y = jnp.zeros_like(x) + jax.random.normal(self.rngs())")
    shared = drawn(source, 1, tmp_path, envs=2, steps=300)
    apart = drawn(fixed(source), 2, tmp_path, envs=2, steps=300)
    assert (np.ptp(shared, axis=(1, 2)) == 0).all()
    assert (np.ptp(apart, axis=2) == 0).all()
    assert_apart(apart)
    for env in (0, 1):
        assert stats.ks_2samp(shared[:, 0, 0], apart[:, env, 0]).pvalue > 0.001


SEVERAL = """
    a = jax.random.normal(self.rngs(), x.shape)
    b = jax.random.uniform(self.rngs(), x.shape, minval=-x)
    y = jnp.concatenate([a, b], -1)
"""

WRONG = {
    "another scale": ("jax.random.normal(", "1.3 * jax.random.normal("),
    "another location": ("jax.random.normal(", "0.2 + jax.random.normal("),
    "another shape": ("jax.random.normal(k, ", "3**0.5 * jax.random.uniform(k, minval=-1, shape="),
    "one key for all envs": ("(use, x)", "(jnp.broadcast_to(use[0], use.shape), x)"),
    "one key for two draws": ("(use_2, x", "(use, x"),
    "one key for all steps": ("state, use, use_2 =", "_, use, use_2 ="),
    "the parameters of another env": ("-x)", "-jnp.roll(x, 1, 0))"),
    "the parameters of another feature": ("-x)", "-jnp.roll(x, 1, 1))"),
}
"""By name a damage to the rewrite of `SEVERAL`."""


@pytest.mark.slow
@pytest.mark.parametrize("damage", WRONG)
def test_a_wrong_rewrite_is_told(damage: str, tmp_path: Path) -> None:
    source = returning(SEVERAL)
    after = fixed(source)
    assert WRONG[damage][0] in after
    with pytest.raises(AssertionError):
        assert_kept(source, after.replace(*WRONG[damage]), tmp_path)


@pytest.mark.slow
def test_a_shape_that_still_counts_the_envs_is_told(tmp_path: Path) -> None:
    source = calling("normal(x.shape)")
    wrong = fixed(source).replace("row.shape", "x.shape")
    before = drawn(source, 1, tmp_path, envs=4)
    with pytest.raises(AssertionError):
        assert_alike(before, drawn(wrong, 2, tmp_path, envs=4))
