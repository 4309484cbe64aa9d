"""The texts of the rules, from the rules' own files."""

from __future__ import annotations

import difflib
import textwrap
from pathlib import Path

from flake8_nnx_rng.rules import BREACH_MARK, CATALOGUE, Rule
from flake8_nnx_rng.source import SourceError

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


def listing(prefix: str = "") -> str:
    """One line for each rule whose code starts with a prefix: code, name, whether it is on."""
    rules = [rule for code, rule in CATALOGUE.items() if code.startswith(prefix.upper())]
    width = max((len(rule.name) for rule in rules), default=0)
    return "\n".join(f"{rule.code}  {rule.name:{width}}  {_on_or_off(rule)}" for rule in rules)


def near(code: str) -> list[str]:
    """The codes that someone may have meant, the likeliest first."""
    return difflib.get_close_matches(code.upper(), CATALOGUE, cutoff=0.8)


def answer(code: str | None) -> str:
    """The text of a rule, or a list of those of a group, or of all.

    Raises:
        LookupError: There is no such rule; the message says which there are.
    """
    if code is None:
        return listing()
    text = explain(code) or (code and listing(code))
    if not text:
        meant = " or ".join(near(code))
        advice = f"did you mean {meant}?" if meant else "`nnx-rng explain` lists them"
        raise LookupError(f"there is no rule {code}; {advice}")
    return text


def pages() -> dict[str, str]:
    """The documentation of all rules as Markdown, by file name: an index and a page for each."""
    rows = [
        f"| [{rule.code}]({rule.code}.md) | {rule.name} | {_on_or_off(rule)} |"
        for rule in CATALOGUE.values()
    ]
    index = ["# Rules", "", "| code | name | by default |", "|---|---|---|", *rows]
    return {"index.md": "\n".join(index) + "\n"} | {
        f"{code}.md": _page(rule) + "\n" for code, rule in CATALOGUE.items()
    }


def write_pages(directory: Path) -> None:
    """Writes the pages of all rules into a directory.

    Raises:
        SourceError: It cannot be written.
    """
    try:
        directory.mkdir(parents=True, exist_ok=True)
        for name, text in pages().items():
            (directory / name).write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        path, problem = str(error.filename or directory), f"cannot be written: {error.strerror}"
        raise SourceError(path, None, problem, "check the path and its permissions") from error


def _on_or_off(rule: Rule) -> str:
    return "on" if rule.by_default else "off"


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
