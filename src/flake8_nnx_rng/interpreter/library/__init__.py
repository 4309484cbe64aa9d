"""What the functions of JAX, Flax, Python and the host mean, by canonical name.

`externals` looks a name up; each of the other files keeps a table of handlers or one family of
functions.
"""
