"""Layers and containers that PPO runs twice and that answer the same both times."""
