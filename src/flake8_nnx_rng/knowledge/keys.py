"""What each public function of `jax.random`, and what else takes a key, does to it (jax 0.12.0)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto


class KeyEffect(Enum):
    """What a function does with the key that it takes first."""

    DRAW = auto()  # turns it into random numbers
    DERIVE = auto()  # turns it into another key
    CONSTRUCT = auto()  # makes one from a seed
    NEUTRAL = auto()  # neither draws nor yields a key


_DRAWS = (
    "ball bernoulli beta binomial bits categorical cauchy chisquare choice dirichlet "
    "double_sided_maxwell exponential f gamma generalized_normal geometric gumbel laplace "
    "loggamma logistic lognormal maxwell multinomial multivariate_normal normal orthogonal pareto "
    "permutation poisson rademacher randint rayleigh t triangular truncated_normal uniform wald "
    "weibull_min"
)
DRAWS: frozenset[str] = frozenset(_DRAWS.split())
"""Functions that turn a key into random numbers; `nnx.Rngs` has a method for each."""

RANDOM: dict[str, KeyEffect] = {
    **dict.fromkeys(DRAWS, KeyEffect.DRAW),
    "shuffle": KeyEffect.DRAW,  # until jax 0.4.31
    "clone": KeyEffect.DERIVE,
    "fold_in": KeyEffect.DERIVE,
    "split": KeyEffect.DERIVE,
    "key_data": KeyEffect.DERIVE,
    "wrap_key_data": KeyEffect.CONSTRUCT,
    "PRNGKey": KeyEffect.CONSTRUCT,
    "key": KeyEffect.CONSTRUCT,
    "key_dtype": KeyEffect.NEUTRAL,
    "key_impl": KeyEffect.NEUTRAL,
    "random_gamma_p": KeyEffect.NEUTRAL,
}
"""Every public name of `jax.random`, without its package."""

PREFIX = "jax.random."

SAMPLING_METHODS = frozenset({"sample", "sample_n", "rsample", "sample_and_log_prob"})
"""Methods of distributions, as of distrax, TensorFlow Probability and NumPyro."""

SAMPLING_PARAMETERS = ("seed", "key", "rng", "rng_key")
"""What they call the key."""

KEY_PARAMETERS = ("key", "keys", "key_bits_array", "seed")
"""What the first parameter is called where it is given by keyword."""

DEFAULT_IMPLEMENTATION = "jax_default_prng_impl"
"""The configuration that says of which implementation new keys are."""

IMPLEMENTATION_PARAMETER = "impl"
IMPLEMENTATION_CONTEXT = "jax.default_prng_impl"

KEY_TYPE = "jax.dtypes.prng_key"
"""The type of typed keys, above those of each implementation."""

BATCH_DEPENDENT = frozenset({"rbg", "unsafe_rbg"})
"""Implementations whose draws under `vmap` depend on the position in the batch."""

DERIVED_BY_BATCH = frozenset({"unsafe_rbg"})
"""Those whose splits depend on it too."""

INDEPENDENT = "threefry2x32"
"""JAX's default, whose draws depend on the key alone."""

SILENT_INITIALIZERS = frozenset({"zeros", "ones"})
"""Initializers that take a key and do not use it."""

SILENT_FACTORIES = frozenset({"constant", "zeros_init", "ones_init"})
"""Functions that return such an initializer."""

INITIALIZERS = "jax.nn.initializers."
"""Further factories: what they return is called with a key and draws."""

ZEROS = f"{INITIALIZERS}zeros"


@dataclass(frozen=True)
class KeyedFunction:
    """A function outside of `jax.random` that draws from a key, if it is given one.

    Attributes:
        parameter: What takes the key.
        position: Where it stands positionally, or None for keyword only.
        rate: What it draws with, and where that stands; nothing is drawn without it or at 0.
        silencer: The flag at which nothing is drawn, and where it stands.
    """

    parameter: str
    position: int | None
    rate: tuple[str, int] | None = None
    silencer: tuple[str, int] | None = None


def _attention(position: int) -> KeyedFunction:
    return KeyedFunction(
        "dropout_rng", position, ("dropout_rate", position + 1), ("deterministic", position + 2)
    )


KEYED_FUNCTIONS: dict[str, KeyedFunction] = {
    "flax.linen.dot_product_attention": _attention(6),
    "flax.linen.dot_product_attention_weights": _attention(5),
    "flax.nnx.dot_product_attention": _attention(6),
    "jax.lax.rng_bit_generator": KeyedFunction("key", 0),
    "optax.power_iteration": KeyedFunction("key", None),
}
