"""What wrappers have in common."""

from __future__ import annotations

from typing import Any

from nnx_ppo_ref.environments.types import Environment


class Wrapper:
    """An environment around another one, of the same sizes unless it says otherwise.

    It is hashed by identity and never changes: it may be a static argument of `jit`.
    """

    def __init__(self, env: Environment) -> None:
        """Wraps an environment."""
        self.env = env

    @property
    def observation_size(self) -> Any:
        """Size of the observation, as the wrapped environment gives it."""
        return self.env.observation_size  # type: ignore[attr-defined] # no part of the protocol

    @property
    def action_size(self) -> Any:
        """Size of the action, as the wrapped environment gives it."""
        return self.env.action_size  # type: ignore[attr-defined] # no part of the protocol
