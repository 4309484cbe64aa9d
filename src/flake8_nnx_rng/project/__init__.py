"""The second room: names, classes and their bases, without importing anything."""

from flake8_nnx_rng.project.classes import ClassInfo, Hierarchy, LibraryClass, classes_named
from flake8_nnx_rng.project.file import SourceFile
from flake8_nnx_rng.project.project import Project
from flake8_nnx_rng.project.scopes import Scope
from flake8_nnx_rng.project.symbols import (
    AnnotatedSymbol,
    ClassSymbol,
    ExpressionSymbol,
    ExternalSymbol,
    FunctionSymbol,
    ModuleSymbol,
    ParameterSymbol,
    Symbol,
    UnknownSymbol,
    dotted_names,
    imported,
    lookup,
)

__all__ = [
    "AnnotatedSymbol",
    "ClassInfo",
    "ClassSymbol",
    "ExpressionSymbol",
    "ExternalSymbol",
    "FunctionSymbol",
    "Hierarchy",
    "LibraryClass",
    "ModuleSymbol",
    "ParameterSymbol",
    "Project",
    "Scope",
    "SourceFile",
    "Symbol",
    "UnknownSymbol",
    "classes_named",
    "dotted_names",
    "imported",
    "lookup",
]
