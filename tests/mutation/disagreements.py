"""Mutants about which linter and oracle disagree although the rule exists, each with its cause."""

DISAGREEMENTS: dict[str, str] = {}
"""By a mutant's name, or by a fault's name for every module."""
