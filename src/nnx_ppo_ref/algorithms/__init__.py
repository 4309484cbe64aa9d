"""The way through PPO: rollout, transitions, replay on minibatches, loss, update."""
