"""The first room: bytes become text, trees and positions; names become files.

Nothing here knows what a class or a key is. `libcst` is imported only when a document is
parsed, so that a file that cannot matter never pays for it.
"""

from flake8_nnx_rng.source.bindings import STAR, Outline, joined
from flake8_nnx_rng.source.disk import DIRECTORY, Disk, fingerprint
from flake8_nnx_rng.source.document import Document, SourceError, decode, read_bytes, read_document
from flake8_nnx_rng.source.edits import Edit, applied, collide, in_order
from flake8_nnx_rng.source.imports import Definition, Found, Outside, Place, Resolver
from flake8_nnx_rng.source.original import Original
from flake8_nnx_rng.source.paths import behind_links, exists, is_directory
from flake8_nnx_rng.source.positions import Positions, Span
from flake8_nnx_rng.source.prefilter import deepest_line, may_define_modules, may_matter
from flake8_nnx_rng.source.relevance import derives_from_marked, imports_a_base
from flake8_nnx_rng.source.roots import Roots, absolute, find_roots

__all__ = [
    "DIRECTORY",
    "STAR",
    "Definition",
    "Disk",
    "Document",
    "Edit",
    "Found",
    "Original",
    "Outline",
    "Outside",
    "Place",
    "Positions",
    "Resolver",
    "Roots",
    "SourceError",
    "Span",
    "absolute",
    "applied",
    "behind_links",
    "collide",
    "decode",
    "deepest_line",
    "derives_from_marked",
    "exists",
    "find_roots",
    "fingerprint",
    "imports_a_base",
    "in_order",
    "is_directory",
    "joined",
    "may_define_modules",
    "may_matter",
    "read_bytes",
    "read_document",
]
