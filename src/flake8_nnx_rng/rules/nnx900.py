"""NNX900: something could not be analysed. It has no check of its own: the lint reports it."""

from __future__ import annotations

from flake8_nnx_rng.rules.rule import Rule

RULE = Rule(
    code="NNX900",
    name="not-analysed",
    observable=(),
    what="""
Says which class or file could not be analysed: a base class that does not resolve, a forward pass
too long to follow, syntax that libcst does not know, nesting too deep.
""",
    why="""
Silence about such a class means nothing. Name a base that cannot be found with
`--nnx-rng-base=dotted.name`, or with `--nnx-rng-sampler` if it is an action sampler.
""",
    instead="Make the base known, or simplify the code.",
    fix_safety="None.",
    invalid=(),
    valid=(),
    by_default=False,
)
