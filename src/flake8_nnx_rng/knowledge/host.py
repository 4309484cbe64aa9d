"""Randomness that the host draws outside JAX, frozen when a function is traced."""

from __future__ import annotations

GENERATOR_FACTORIES = frozenset(
    {
        "numpy.random.default_rng",
        "numpy.random.Generator",
        "numpy.random.RandomState",
        "random.Random",
        "random.SystemRandom",
        "torch.Generator",
    }
)
"""Constructors of host generators, whose methods draw."""

GENERATOR_SILENT = frozenset({"seed", "setstate", "getstate", "get_state", "set_state", "spawn"})
"""What on a generator or its module draws nothing."""

MODULES = ("random.", "numpy.random.", "secrets.")
"""Modules all of whose functions draw, apart from the names above."""

FUNCTIONS = frozenset(
    [
        "jax.lax.rng_uniform",  # a generator of the device, which no key controls
        "os.urandom",
        "uuid.uuid1",
        "uuid.uuid4",
        "torch.rand",
        "torch.randn",
        "torch.randint",
        "torch.randperm",
        "torch.normal",
        "torch.bernoulli",
        "torch.multinomial",
        "torch.poisson",
        "torch.rand_like",
        "torch.randn_like",
        "torch.randint_like",
    ]
)

CLOCKS = frozenset(
    [
        "time.time",
        "time.time_ns",
        "time.perf_counter",
        "time.perf_counter_ns",
        "time.monotonic",
        "time.monotonic_ns",
        "datetime.datetime.now",
        "datetime.datetime.utcnow",
        "os.getpid",
    ]
)
"""Harmless unless a seed is made of them."""


DRAWS = frozenset(["standard_normal", "random_sample", "random", "integers", "rand", "randn"])
"""What generators of NumPy draw with under names that `jax.random` does not have."""


def draws_on_host(name: str) -> bool:
    """Whether calling the function draws random numbers outside JAX.

    >>> draws_on_host("numpy.random.normal"), draws_on_host("numpy.random.seed")
    (True, False)
    """
    last = name.rpartition(".")[2]
    if name in GENERATOR_FACTORIES or last in GENERATOR_SILENT:
        return False
    if name.startswith("scipy.stats."):
        return last == "rvs"
    return name in FUNCTIONS or (name.startswith(MODULES) and last.islower())
