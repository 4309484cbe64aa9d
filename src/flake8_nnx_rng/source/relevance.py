"""Decides whether a file without any marker may still matter: by the bases of its classes.

The bases are followed through the project's files by `ast` alone.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator
from pathlib import Path

from flake8_nnx_rng.source.bindings import STAR, imports_of, joined
from flake8_nnx_rng.source.imports import KNOWN_PACKAGES, Definition, Outside, Resolver
from flake8_nnx_rng.source.prefilter import may_matter, statements


def imports_a_base(tree: ast.Module) -> bool:
    """Whether the base of any class may come from a file of the project: the first, cheap test.

    It may not if every name in it is a builtin, a class of the file or from a known package.
    """
    used: set[str] = set()
    harmless = set(dir(builtins))
    suspect: set[str] = set()
    for statement in statements(tree):
        if isinstance(statement, ast.ClassDef):
            harmless.add(statement.name)
            for base in statement.bases:
                used.update(node.id for node in ast.walk(base) if isinstance(node, ast.Name))
        for name, origins in imports_of(statement).items():
            is_known = all(origin.partition(".")[0] in KNOWN_PACKAGES for origin in origins)
            (harmless if is_known else suspect).add(name)
    return not used <= harmless - suspect


def derives_from_marked(resolver: Resolver, markers: tuple[str, ...]) -> bool:
    """Whether the base of a class, or a base of that, comes from a file with a marker.

    Args:
        resolver: Finds names in the files of the project, and knows the one that is linted.
        markers: Substrings without any of which a file cannot name a base class that counts.
    """
    own = resolver.path
    pending = [(own, name) for name in resolver.own_outline.bases]
    seen = set(pending)
    while pending:
        file, name = pending.pop()
        for found in _origins(resolver, file, name):
            if isinstance(found, Outside):
                if may_matter(found.name, markers):
                    return True
                continue
            place = (found.file, found.name)
            if found.file != own and place not in seen:
                document = resolver.document(found.file)
                if document is not None and may_matter(document.text, markers):
                    return True
            if place not in seen:
                seen.add(place)
                pending.append(place)
    return False


def _origins(resolver: Resolver, file: Path, name: str) -> Iterator[Definition | Outside]:
    """Where a dotted name that a file uses may come from, nested scopes taken together."""
    outline = resolver.outline(file)
    if outline is None:
        return
    top, _, rest = name.partition(".")
    names = [joined(origin, rest) if rest else origin for origin in outline.imported.get(top, ())]
    if top not in outline.imported and top not in outline.made_of:
        starred = [joined(module, name) for module in outline.imported.get(STAR, ())]
        names += resolver.starred(starred, file)
    for full in names:
        for found in resolver.find(full, file):
            if isinstance(found, (Definition, Outside)):
                yield found
    yield from (Definition(file, part) for part in outline.made_of.get(top, ()))
