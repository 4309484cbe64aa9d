"""The first room: bytes become text, trees and positions.

Nothing here knows what a class or a key is. `libcst` is imported only when a document is
parsed, so that a file that cannot matter never pays for it.
"""

from flake8_nnx_rng.source.document import Document, SourceError, decode, read_document
from flake8_nnx_rng.source.positions import Positions, Span
from flake8_nnx_rng.source.prefilter import deepest_line, may_define_modules, may_matter

__all__ = [
    "Document",
    "Positions",
    "SourceError",
    "Span",
    "decode",
    "deepest_line",
    "may_define_modules",
    "may_matter",
    "read_document",
]
