"""nnx-ppo's names for the algorithm, at the place where nnx-ppo has them."""

from nnx_ppo_ref.algorithms.advantages import gae
from nnx_ppo_ref.algorithms.initial import new_training_state
from nnx_ppo_ref.algorithms.loss import ppo_loss
from nnx_ppo_ref.algorithms.step import ppo_step
from nnx_ppo_ref.algorithms.training import default_config, train_ppo

__all__ = ["default_config", "gae", "new_training_state", "ppo_loss", "ppo_step", "train_ppo"]
