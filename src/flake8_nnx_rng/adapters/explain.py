"""A rule's text, from the rule's own file."""

from __future__ import annotations

import textwrap

from flake8_nnx_rng.rules import BREACH_MARK, CATALOGUE, Rule

_SECTIONS = (
    ("What it does", "what"),
    ("Why is this bad?", "why"),
    ("Use instead", "instead"),
    ("Fix safety", "fix_safety"),
)


def explain(code: str) -> str | None:
    """The documentation of a rule as Markdown, or None if there is no such rule."""
    rule = CATALOGUE.get(code.upper())
    return None if rule is None else _page(rule)


def _page(rule: Rule) -> str:
    parts = [f"# {rule.code}: {rule.name}"]
    if rule.observable:
        parts.append(f"Protects: {', '.join(rule.observable)}.")
    if not rule.by_default:
        parts.append(f"Off by default; on with `extend-select = {rule.code}`.")
    for title, attribute in _SECTIONS:
        parts.append(f"## {title}\n\n{getattr(rule, attribute).strip()}")
        if attribute == "why":
            parts.extend(_code("Example", rule.invalid))
        if attribute == "instead":
            parts.extend(_code(None, rule.valid))
    parts.append("## References\n\n" + "\n".join(f"- {line}" for line in rule.references))
    return "\n\n".join(parts)


def _code(title: str | None, examples: tuple[str, ...]) -> list[str]:
    heading = [f"## {title}"] if title and examples else []
    blocks = [
        f"```python\n{textwrap.dedent(code).replace(f'  {BREACH_MARK}', '').rstrip()}\n```"
        for code in examples
    ]
    return heading + blocks
