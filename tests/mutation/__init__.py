"""Sound modules of nnx-ppo and of the reference, broken in every known way, before both judges."""
