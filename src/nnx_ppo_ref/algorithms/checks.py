"""What is refused before anything is compiled, in the words of the settings."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, TypeVar

import jax
import jax.numpy as jnp
from flax import nnx

from nnx_ppo_ref.algorithms import pure
from nnx_ppo_ref.algorithms.config import TrainConfig
from nnx_ppo_ref.algorithms.handed_on import argument_of
from nnx_ppo_ref.algorithms.types import EnvState, RLEnv, TrainingState, Transition
from nnx_ppo_ref.keys import is_key, require_replayable
from nnx_ppo_ref.networks.types import ModuleState

OUTPUT_FIELDS = ("actions", "loglikelihoods", "value_estimates")

Result = TypeVar("Result")


def check_step(n_envs: int, rollout_length: int, n_epochs: int, n_minibatches: int) -> None:
    """Checks the sizes of a PPO step.

    Raises:
        ValueError: If one is not positive, or minibatches of equal size cannot be made.
    """
    sizes = {
        "n_envs": n_envs,
        "rollout_length": rollout_length,
        "n_epochs": n_epochs,
        "n_minibatches": n_minibatches,
    }
    for name, size in sizes.items():
        if size < 1:
            raise ValueError(f"{name} must be at least 1, got {size}")
    if n_envs % n_minibatches:
        raise ValueError(
            f"n_envs ({n_envs}) must be a multiple of n_minibatches ({n_minibatches}): each "
            "minibatch takes the same number of environments"
        )


def check_config(config: TrainConfig, networks: nnx.Module) -> None:
    """Checks the settings of a training run.

    Raises:
        ValueError: If one is impossible.
    """
    ppo = config.ppo
    check_step(ppo.n_envs, ppo.rollout_length, ppo.n_epochs, ppo.n_minibatches)
    for section, name, lowest, highest in RANGES:
        value = getattr(getattr(config, section), name)
        # A schedule, a function of the update's number, has no one value.
        if not callable(value) and not lowest <= value <= highest:
            raise ValueError(f"{section}.{name} must be in [{lowest}, {highest}], got {value}")
    if not jax.tree.leaves(nnx.state(networks, nnx.Param)):
        raise ValueError("networks has no nnx.Param: there is nothing to train")


RANGES = (
    ("ppo", "total_steps", 0, math.inf),
    ("ppo", "gae_lambda", 0, 1),
    ("ppo", "discounting_factor", 0, 1),
    ("ppo", "clip_range", 0, math.inf),
    ("ppo", "learning_rate", 0, math.inf),
    ("eval", "n_envs", 1, math.inf),
    ("eval", "max_episode_length", 1, math.inf),
)
"""Section, setting, lowest and highest value."""


def check_state(state: TrainingState, n_envs: int) -> None:
    """Checks that a training state has as many environments as the settings say.

    Raises:
        ValueError: If it has not, or if its carry does not replay.
    """
    present = state.env_states.done.shape[0]
    if present != n_envs:
        raise ValueError(f"n_envs is {n_envs}, but the training state has {present} environments")
    check_carry(state.network_states, n_envs)


def check_carry(state: ModuleState, batch_size: int) -> None:
    """Checks that each leaf of a carry belongs to the environments and that its keys replay.

    Raises:
        ValueError: If a leaf's first axis is not the batch, or a key's implementation is not
            threefry.
    """
    for path, leaf in jax.tree.leaves_with_path(state):
        name = f"the carry's leaf {jax.tree_util.keystr(path) or '(root)'}"
        if jnp.shape(leaf)[:1] != (batch_size,):
            raise ValueError(
                f"{name} has shape {jnp.shape(leaf)}, but its first axis must be the "
                f"{batch_size} environments: carry one key, and one of everything, for each"
            )
        if is_key(leaf):
            require_replayable(leaf, name)


def check_fit(env: RLEnv, parts: pure.Split, network_state: ModuleState, env_state: Any) -> Any:
    """Checks, without computing anything, that a network and an environment fit together.

    Returns:
        The types of the environments' states after a step.

    Raises:
        ValueError: If the network cannot take the observations, does not return a
            `PPONetworkOutput`, writes its parameters, gives actions that the environment cannot
            take, or values that do not match the rewards.
    """
    obs = env_state.obs
    answer, written = _attempt(
        lambda: _trace(parts, network_state, obs),
        f"networks cannot take the environment's observations {_types(obs)}",
    )
    if not hasattr(answer, "output"):
        raise ValueError(
            f"networks must return a StatefulModuleOutput, but they return {_types(answer)}"
        )
    output = answer.output
    if not all(hasattr(output, field) for field in OUTPUT_FIELDS):
        raise ValueError(
            f"networks must end in a PPONetworkOutput with {', '.join(OUTPUT_FIELDS)}, but their "
            f"output is {_types(output)}: give actor and critic to a PPOAdapter"
        )
    if not written and answer.rollout_extras is not None:
        _, written = _trace(parts, network_state, obs, answer.rollout_extras)
    if written:
        raise ValueError(
            f"the forward pass writes the parameter {written[0]}: parameters change in PPO's "
            "update only; keep what a step writes in its carry"
        )
    stepped: EnvState = _attempt(
        lambda: jax.eval_shape(jax.vmap(env.step), env_state, output.actions),
        f"env cannot take the network's actions {_types(output.actions)}",
    )
    _check_same(_shapes(output.value_estimates), _shapes(stepped.reward))
    return stepped


def _trace(parts: pure.Split, *arguments: Any) -> tuple[Any, list[str]]:
    """What a network returns, as shapes, and the paths of the parameters that it writes."""

    def call(params: pure.Variables, arguments: Any) -> tuple[pure.Variables, Any]:
        given = parts._replace(params=params)
        after, answer = pure.applied(given, lambda networks: networks(*arguments))
        return after.params, answer

    closed, (_, answer) = jax.make_jaxpr(call, return_shape=True)(parts.params, arguments)
    jaxpr = closed.jaxpr
    paths = [jax.tree_util.keystr(path) for path, _ in jax.tree.leaves_with_path(parts.params)]
    # The parameters are the first arguments, and the first results.
    written = [
        path
        for path, before, after in zip(paths, jaxpr.invars, jaxpr.outvars, strict=False)
        if argument_of(jaxpr, after) is not before
    ]
    return answer, written


def check_values(transitions: Transition) -> None:
    """Checks that there is one value estimate for each reward.

    Raises:
        ValueError: If there is not.
    """
    _check_same(_shapes(transitions.network_output.value_estimates), _shapes(transitions.rewards))


def _check_same(values: Any, rewards: Any) -> None:
    if values != rewards:
        raise ValueError(
            f"the network's value estimates have shapes {values}, but the environment's rewards "
            f"{rewards}: the critic must give one value for each reward"
        )


def _attempt(function: Callable[[], Result], problem: str) -> Result:
    try:
        return function()
    except (TypeError, ValueError, KeyError, IndexError, AttributeError) as error:
        raise ValueError(f"{problem}: {error}") from error


def _shapes(tree: Any) -> Any:
    return jax.tree.map(jnp.shape, tree)


def _types(tree: Any) -> str:
    """A PyTree with its leaves' types, as in `{'pos': float32[8,2]}`."""
    return str(jax.tree.map(_Name, tree)) if tree is not None else "None"


class _Name:
    """Prints as a type without quotes."""

    def __init__(self, leaf: Any) -> None:
        self.leaf = leaf

    def __repr__(self) -> str:
        shape = ",".join(map(str, jnp.shape(self.leaf)))
        return f"{getattr(self.leaf, 'dtype', type(self.leaf).__name__)}[{shape}]"
