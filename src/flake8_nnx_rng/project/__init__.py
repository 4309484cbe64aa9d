"""The second room: names, classes and their bases, without importing anything."""

from flake8_nnx_rng.project.classes import ClassInfo, Hierarchy, LibraryClass
from flake8_nnx_rng.project.file import SourceFile
from flake8_nnx_rng.project.scopes import Scope
from flake8_nnx_rng.project.symbols import (
    AnnotatedSymbol,
    ClassSymbol,
    ExpressionSymbol,
    ExternalSymbol,
    FunctionSymbol,
    ParameterSymbol,
    Symbol,
    UnknownSymbol,
    dotted_names,
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
    "ParameterSymbol",
    "Scope",
    "SourceFile",
    "Symbol",
    "UnknownSymbol",
    "dotted_names",
    "lookup",
]
