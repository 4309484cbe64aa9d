"""Which axis counts the envs, and what one env has of a value."""
