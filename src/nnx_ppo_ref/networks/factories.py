"""Ready-made networks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
from flax import nnx

from nnx_ppo_ref.networks.adapter import PPOAdapter
from nnx_ppo_ref.networks.containers import Sequential
from nnx_ppo_ref.networks.feedforward import Dense
from nnx_ppo_ref.networks.normalizer import Normalizer
from nnx_ppo_ref.networks.sampling_layers import NormalTanhSampler
from nnx_ppo_ref.networks.types import StatefulModule

Activation = Callable[[jax.Array], jax.Array]

ACTIVATIONS: dict[str, Activation] = {"swish": nnx.swish, "tanh": nnx.tanh, "relu": nnx.relu}
"""Activations that can be given by name."""


def make_mlp_layers(
    sizes: list[int],
    rngs: nnx.Rngs,
    activation: Activation = nnx.relu,
    activation_last_layer: bool = True,
    **linear_kwargs: Any,
) -> list[Dense]:
    """The layers of a multilayer perceptron, to be put into a `Sequential` with others.

    Args:
        sizes: Size of the input, of each hidden layer and of the output.
        rngs: Where the parameters are drawn from.
        activation: Applied after each layer.
        activation_last_layer: Whether that goes for the last layer too.
        **linear_kwargs: More arguments of `nnx.Linear`.
    """
    last = len(sizes) - 2
    return [
        Dense(
            sizes[i],
            sizes[i + 1],
            rngs,
            activation=activation if i < last or activation_last_layer else None,
            **linear_kwargs,
        )
        for i in range(last + 1)
    ]


def make_mlp(
    sizes: list[int],
    rngs: nnx.Rngs,
    activation: Activation = nnx.relu,
    activation_last_layer: bool = True,
    **linear_kwargs: Any,
) -> Sequential:
    """A multilayer perceptron; the arguments are those of `make_mlp_layers`."""
    return Sequential(
        make_mlp_layers(sizes, rngs, activation, activation_last_layer, **linear_kwargs)
    )


def make_mlp_actor_critic(
    obs_size: int,
    action_size: int,
    actor_hidden_sizes: list[int],
    critic_hidden_sizes: list[int],
    rngs: nnx.Rngs,
    activation: Activation | str = nnx.relu,
    normalize_obs: bool = True,
    initializer_scale: float = 1.0,
    entropy_weight: float = 1e-2,
    min_std: float = 1e-1,
    std_scale: float = 1.0,
) -> StatefulModule:
    """A network for PPO: one perceptron for the actor, one for the critic, nothing shared.

    Args:
        obs_size: Size of an observation.
        action_size: Size of an action.
        actor_hidden_sizes: Sizes of the actor's hidden layers.
        critic_hidden_sizes: Sizes of the critic's hidden layers.
        rngs: Where the parameters, and later the actions, are drawn from.
        activation: Applied after each hidden layer; a function or a name of `ACTIVATIONS`.
        normalize_obs: Whether a `Normalizer` comes first.
        initializer_scale: Scale of the uniform fan-in initializer of the kernels.
        entropy_weight: As in `NormalTanhSampler`.
        min_std: As in `NormalTanhSampler`.
        std_scale: As in `NormalTanhSampler`.

    Returns:
        A module whose output is a `PPONetworkOutput`.

    Raises:
        KeyError: If there is no activation of that name.
    """
    if isinstance(activation, str):
        activation = ACTIVATIONS[activation]
    kernel_init = nnx.initializers.variance_scaling(initializer_scale, "fan_in", "uniform")

    def mlp(hidden: list[int], output_size: int) -> list[Dense]:
        return make_mlp_layers(
            [obs_size, *hidden, output_size],
            rngs,
            activation,
            activation_last_layer=False,
            kernel_init=kernel_init,
        )

    actor = mlp(actor_hidden_sizes, 2 * action_size)
    critic = mlp(critic_hidden_sizes, 1)
    sampler = NormalTanhSampler(rngs, entropy_weight, min_std, std_scale)
    adapter = PPOAdapter(action=Sequential([*actor, sampler]), value=Sequential(critic))
    return Sequential([Normalizer(obs_size), adapter]) if normalize_obs else adapter
