"""Other files of a project whose code belongs to classes that are rewritten."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import libcst as cst

from flake8_nnx_rng.codemod.envs.references import stands_for
from flake8_nnx_rng.codemod.planning.view import View
from flake8_nnx_rng.project import ClassInfo, SourceFile


def with_relatives(view: View, classes: Sequence[ClassInfo]) -> View:
    """The view with the files of bases and subclasses, and of what the classes' faults reach."""
    paths = set(heirs(view, classes))
    for cls in classes:
        bases = (base for base in view.hierarchy.mro(cls) if isinstance(base, ClassInfo))
        files = {base.scope.file for base in bases}
        files |= {breach.site.file for _, breach in view.breaches(cls)}
        paths |= {path for file in files if view.neighbours.may_be_edited(path := view.path(file))}
    return view.widened(paths)


def family_of(cls: ClassInfo, broken: Iterable[ClassInfo], view: View) -> list[ClassInfo]:
    """Those of the broken classes that change with one, itself included, in the order of the files.

    They share a place that breaks a rule, or one derives from the other.
    """
    left = list(broken)
    places = {one: {breach.site.node for _, breach in view.breaches(one)} for one in (cls, *left)}
    found, pending = {cls}, [cls]
    while pending:
        one = pending.pop()
        mro = view.hierarchy.mro
        for other in left:
            is_kin = one in mro(other) or other in mro(one)
            if other not in found and (is_kin or places[one] & places[other]):
                found.add(other)
                pending.append(other)
    return [one for one in left if one in found]


def heirs(view: View, classes: Iterable[ClassInfo]) -> Iterator[Path]:
    """The other files with classes that derive from some classes, by whatever steps."""
    names = {cls.node.name.value for cls in classes}
    wanted = set(classes)
    done: set[Path] = {view.project.resolver.path}
    while True:
        found = {
            cls: path
            for path, file in view.neighbours.naming(names)
            if path not in done
            for cls in file.classes
            if not wanted.isdisjoint(view.hierarchy.mro(cls))
        }
        if not found:
            return
        yield from dict.fromkeys(found.values())
        done |= set(found.values())
        names |= {cls.node.name.value for cls in found}


def user(definition: cst.FunctionDef | cst.ClassDef, view: View) -> Path | None:
    """A file outside of a view that imports a function or class."""
    name = definition.name.value
    for path, file in view.neighbours.naming({name}):
        if file not in view.files and _imports(definition, file):
            return path
    return None


def _imports(definition: cst.FunctionDef | cst.ClassDef, file: SourceFile) -> bool:
    """Whether a file has a name for a definition of another one, or reads it off its module."""
    if any(stands_for(cst.Name(name), definition, file.scope) for name in file.scope.bindings):
        return True
    pending: list[cst.CSTNode] = [file.module]
    while pending:
        node = pending.pop()
        pending.extend(node.children)
        if not isinstance(node, cst.Attribute) or node.attr.value != definition.name.value:
            continue
        if stands_for(node, definition, file.scope):
            return True
    return False
