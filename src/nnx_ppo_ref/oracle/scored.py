"""Where in an output the sampled actions are."""

from __future__ import annotations

from typing import Any

import jax

from nnx_ppo_ref.oracle.interpret import Value, is_value

Named = list[tuple[str, Value]]


def actions(output: Any) -> Named:
    """Actions with their paths: of network outputs and of samplers' dicts."""
    return _parts(output, ("actions", "action"))


def scores(output: Any) -> Named:
    """Log-likelihoods with their paths."""
    return _parts(output, ("loglikelihoods", "log_likelihood"))


def _parts(output: Any, fields: tuple[str, str]) -> Named:
    found: Named = []
    for path, node in jax.tree_util.tree_flatten_with_path(output, is_leaf=_is_scored)[0]:
        if not _is_scored(node):
            continue
        name = fields[1] if isinstance(node, dict) else fields[0]
        part = node[name] if isinstance(node, dict) else getattr(node, name)
        if any(map(_is_scored, jax.tree.leaves(part, is_leaf=_is_scored))):
            found += _parts(part, fields)
            continue
        for inner, value in jax.tree_util.tree_flatten_with_path(part, is_leaf=is_value)[0]:
            keys = jax.tree_util.keystr(path), jax.tree_util.keystr(inner)
            found.append((f"output{keys[0]}.{name}{keys[1]}", value))
    return found


def _is_scored(node: Any) -> bool:
    if isinstance(node, dict):
        return {"action", "log_likelihood"} <= node.keys()
    return not is_value(node) and all(
        hasattr(node, name) for name in ("actions", "loglikelihoods", "value_estimates")
    )
