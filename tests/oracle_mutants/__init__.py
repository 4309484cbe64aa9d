"""The oracle is broken on purpose, and its own tests must notice."""
