"""Environments around environments; module by module, the paths are nnx-ppo's."""

from nnx_ppo_ref.wrappers.episode_wrapper import EpisodeWrapper
from nnx_ppo_ref.wrappers.mask_observation import MaskObservation
from nnx_ppo_ref.wrappers.reward_scaling_wrapper import RewardScalingWrapper

__all__ = ["EpisodeWrapper", "MaskObservation", "RewardScalingWrapper"]
