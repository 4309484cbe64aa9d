"""What does not fit is refused at once, in words that say what."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import jax
import jax.numpy as jnp
import pytest
from flax import nnx

from nnx_ppo_ref.algorithms.initial import new_training_state
from nnx_ppo_ref.algorithms.rollout import unroll_env
from nnx_ppo_ref.networks.types import PPONetworkOutput, StatefulModule, StatefulModuleOutput

from .kinds import Walk, unoptimized

B = 3


@pytest.fixture(autouse=True)
def quick_to_compile() -> Iterator[None]:
    with unoptimized():
        yield


class Plain(StatefulModule):
    """A network for a `Walk` with any carry, which one function may change into a wrong one."""

    def __init__(self, carry: Callable[[int], Any] = lambda batch: (), **wrong: Any) -> None:
        self.carry = carry
        self.size = 3
        self.wrong = tuple(wrong.items())  # a dict would not be hashable
        self.dense = nnx.Linear(3, 2, rngs=nnx.Rngs(0))

    def __call__(self, state: Any, obs: Any, rollout_extras: Any = None) -> Any:
        del rollout_extras
        output = {
            "actions": self.dense(obs),
            "loglikelihoods": obs[:, 0],
            "value_estimates": obs[:, 0],
            **{name: change(obs) for name, change in self.wrong},
        }
        return StatefulModuleOutput(state, PPONetworkOutput(**output), jnp.zeros(()), {})

    def initialize_state(self, batch_size: int) -> Any:
        return self.carry(batch_size)


class WithoutAdapter(Plain):
    def __call__(self, state: Any, obs: Any, rollout_extras: Any = None) -> Any:
        return super().__call__(state, obs).replace(output=obs)


class WithoutOutput(Plain):
    def __call__(self, state: Any, obs: Any, rollout_extras: Any = None) -> Any:
        return state, obs


class Writes(Plain):
    def __call__(self, state: Any, obs: Any, rollout_extras: Any = None) -> Any:
        self.dense.kernel.set_value(self.dense.kernel[...] * 0.9)
        return super().__call__(state, obs)


class CountsCalls(Plain):
    def __init__(self) -> None:
        super().__init__()
        self.calls = nnx.Variable(jnp.zeros((), int))

    def __call__(self, state: Any, obs: Any, rollout_extras: Any = None) -> Any:
        self.calls.set_value(self.calls[...] + 1)
        return super().__call__(state, obs)


def key(impl: str | None = None) -> jax.Array:
    return jax.random.key(0, impl=impl)


def split(impl: str) -> Callable[[int], Any]:
    return lambda batch: {"noise": jax.random.split(key(impl), batch)}


REFUSED: dict[str, tuple[Any, str]] = {
    "rbg keys": (
        lambda: Plain(split("rbg")),
        r"leaf \['noise'\] is of implementation 'rbg': under vmap its draws depend on the position",
    ),
    "unsafe_rbg keys": (lambda: Plain(split("unsafe_rbg")), "'unsafe_rbg'.* make keys with"),
    "one key for all": (
        lambda: Plain(lambda batch: {"a": (jnp.ones(batch), key())}),
        r"leaf \['a'\]\[1\] has shape \(\), but its first axis must be the 3 environments",
    ),
    "a carry that is one number": (
        lambda: Plain(lambda batch: jnp.zeros(())),
        r"leaf \(root\) has shape \(\)",
    ),
    "a carry of another size": (
        lambda: Plain(lambda batch: {"h": jnp.zeros((batch + 1, 2))}),
        r"leaf \['h'\] has shape \(4, 2\)",
    ),
    "a parameter that is written": (Writes, r"^the forward pass writes the parameter .*kernel"),
    "other observations": (
        lambda: Plain(actions=lambda obs: obs["position"]),
        r"cannot take the environment's observations float32\[3,3\]",
    ),
    "no adapter": (
        WithoutAdapter,
        r"must end in a PPONetworkOutput .* output is float32\[3,3\]: give actor and critic",
    ),
    "no StatefulModuleOutput": (WithoutOutput, r"must return a StatefulModuleOutput"),
    "other actions": (
        lambda: Plain(actions=lambda obs: {"left": obs[:, :1]}),
        r"env cannot take the network's actions \{'left': float32\[3,1\]\}",
    ),
    "values of another shape": (
        lambda: Plain(value_estimates=lambda obs: obs[:, :1]),
        r"value estimates have shapes \(3, 1\), but the environment's rewards \(3,\)",
    ),
    "values of other names": (
        lambda: Plain(value_estimates=lambda obs: {"left": obs[:, 0]}),
        r"value estimates have shapes \{'left': \(3,\)\}, but the environment's rewards \(3,\)",
    ),
}


@pytest.mark.parametrize(("network", "message"), REFUSED.values(), ids=list(REFUSED))
def test_it_is_refused_when_training_starts(network: Callable[[], Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        new_training_state(Walk(), network(), B, 0)


@pytest.mark.parametrize("name", ["rbg keys", "one key for all", "a carry of another size"])
def test_a_carry_is_also_refused_by_a_rollout(name: str) -> None:
    network, message = REFUSED[name]
    states = jax.vmap(Walk().reset)(jax.random.split(key(), B))
    network = network()
    carry = network.initialize_state(B)
    with pytest.raises(ValueError, match=message):
        unroll_env(Walk(), states, network, carry, 2, jax.random.key(1))


def test_a_batch_of_none_is_refused() -> None:
    with pytest.raises(ValueError, match="n_envs must be at least 1, got 0"):
        new_training_state(Walk(), Plain(), 0, 0)


def test_what_fits_is_accepted() -> None:
    state = new_training_state(Walk(), Plain(lambda batch: {"h": jnp.zeros((batch, 2))}), B, 0)
    assert state.network_states["h"].shape == (B, 2)


def test_a_variable_that_is_no_parameter_may_be_written() -> None:
    network = CountsCalls()
    state = new_training_state(Walk(), network, B, 0)
    assert network.calls[...] == 0  # the check computed nothing
    unroll_env(Walk(), state.env_states, network, state.network_states, 2, jax.random.key(1))
    assert network.calls[...] == 2


class Transformed(Plain):
    """Calls its layer through one of NNX's transformations, which write back what they read."""

    transform: Any = None
    layer: Any = staticmethod(lambda dense, x: dense(x))

    def __call__(self, state: Any, obs: Any, rollout_extras: Any = None) -> Any:
        half = type(self).transform(self.layer)(self.dense, obs)
        return super().__call__(state, jnp.pad(half, [(0, 0), (0, 1)]))


def _conditional(function: Any) -> Any:
    return lambda dense, x: nnx.cond(jnp.sum(x) > 0, function, function, dense, x)


def _scanned(function: Any) -> Any:
    def step(dense: Any, x: Any) -> Any:
        return dense, function(dense, x)

    return lambda dense, x: nnx.scan(step)(dense, x[None])[1][0]


TRANSFORMS = {
    "jit": nnx.jit,
    "remat": nnx.remat,
    "nested": lambda function: nnx.jit(nnx.remat(function)),
    "cond": _conditional,
    "scan": _scanned,
}


@pytest.mark.parametrize("transform", TRANSFORMS.values(), ids=TRANSFORMS)
def test_a_layer_behind_a_transformation_of_nnx_is_accepted(transform: Any) -> None:
    network = type("Behind", (Transformed,), {"transform": staticmethod(transform)})()
    new_training_state(Walk(), network, B, 0)


def _doubled(dense: Any, x: Any) -> Any:
    dense.kernel[...] *= 2
    return dense(x)


@pytest.mark.parametrize("transform", TRANSFORMS.values(), ids=TRANSFORMS)
def test_a_parameter_that_is_written_behind_a_transformation_is_refused(transform: Any) -> None:
    network = type("Behind", (Transformed,), {"transform": staticmethod(transform)})()
    network.layer = _doubled
    with pytest.raises(ValueError, match=r"^the forward pass writes the parameter .*kernel"):
        new_training_state(Walk(), network, B, 0)
