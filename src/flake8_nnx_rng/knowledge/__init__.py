"""The third room: pure tables of what JAX, Flax and nnx-ppo do to keys and streams.

Names are canonical, as `library.canonical` gives them.
"""
