"""The catalogue: one file a rule, from its check to its documentation."""

from flake8_nnx_rng.rules import (
    nnx101,
    nnx102,
    nnx103,
    nnx104,
    nnx105,
    nnx106,
    nnx107,
    nnx108,
    nnx201,
    nnx202,
    nnx203,
    nnx204,
    nnx205,
    nnx206,
    nnx207,
    nnx301,
    nnx302,
    nnx303,
    nnx304,
    nnx401,
    nnx402,
    nnx403,
    nnx404,
    nnx405,
    nnx900,
)
from flake8_nnx_rng.rules.rule import BREACH_MARK, Breach, Rule

CATALOGUE: dict[str, Rule] = {
    module.RULE.code: module.RULE
    for module in (
        nnx101,
        nnx102,
        nnx103,
        nnx104,
        nnx105,
        nnx106,
        nnx107,
        nnx108,
        nnx201,
        nnx202,
        nnx203,
        nnx204,
        nnx205,
        nnx206,
        nnx207,
        nnx301,
        nnx302,
        nnx303,
        nnx304,
        nnx304,
        nnx401,
        nnx402,
        nnx403,
        nnx404,
        nnx405,
        nnx900,
    )
}

__all__ = ["BREACH_MARK", "CATALOGUE", "Breach", "Rule"]
