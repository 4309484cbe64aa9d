"""A linter for randomness in PPO modules written with Flax NNX.

PPO runs a network twice: the rollout, and the loss that replays it on minibatches. A layer that
draws its noise from the module's own stream sees different noise in the two, and the gradient is
silently wrong. This package finds every such draw.
"""

__version__ = "0.1.0"
