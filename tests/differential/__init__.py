"""Modules are composed from tables, then read, run, rewritten and run again.

What the linter says of each is held against what the oracle sees. `python -m differential` in
`tests` (or `make proof`) does it for thousands from one seed.
"""
