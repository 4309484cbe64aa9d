"""Tasks in which the network does not see everything."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax
import numpy as np

from nnx_ppo_ref.environments.types import Environment, EnvironmentState
from nnx_ppo_ref.wrappers.wrapper import Wrapper

HIDDEN = "unmasked_obs"
"""Where `info` holds the whole observations, that of the innermost mask last."""


class MaskObservation(Wrapper):
    """Keeps some entries of the observation and hides the others from the network.

    `MaskObservation(cart_pole, keep=(0, 2))` hides the velocities, which only a network with memory
    can recover. The environment itself still finds its whole observation in the state it is given.
    """

    def __init__(self, env: Environment, keep: Sequence[int] | Sequence[str]) -> None:
        """Wraps an environment.

        Args:
            env: An environment whose observation is a `[D]` array or a dict.
            keep: Indices of the entries to keep, or names of the dict's entries.

        Raises:
            ValueError: If nothing is kept, or anything twice.
        """
        if not keep or len(set(keep)) < len(keep):
            raise ValueError(f"keep must name some entries, each once; got {keep!r}")
        super().__init__(env)
        self.keep = tuple(keep)

    def reset(self, rng: jax.Array) -> EnvironmentState:
        """Starts an episode with a key `[]`."""
        return self._masked(self.env.reset(rng))

    def step(self, state: Any, action: Any) -> EnvironmentState:
        """Takes one action in a state of this wrapper."""
        obs, *deeper = state.info[HIDDEN]
        info = {name: value for name, value in state.info.items() if name != HIDDEN}
        if deeper:
            info[HIDDEN] = tuple(deeper)
        return self._masked(self.env.step(state.replace(obs=obs, info=info), action))

    @property
    def observation_size(self) -> Any:
        """Number of entries kept; of a dict, the sizes of the entries kept."""
        sizes = super().observation_size
        return (
            {name: sizes[name] for name in self.keep} if isinstance(sizes, dict) else len(self.keep)
        )

    def _masked(self, state: EnvironmentState) -> EnvironmentState:
        hidden = (state.obs, *state.info.get(HIDDEN, ()))
        return state.replace(obs=self._kept(state.obs), info={**state.info, HIDDEN: hidden})

    def _kept(self, obs: Any) -> Any:
        if isinstance(obs, dict):
            return {name: obs[name] for name in self.keep}
        return obs[np.array(self.keep)]
