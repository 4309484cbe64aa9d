"""The heart: abstract interpretation of a module's forward pass.

It follows values through the code and emits events; it reports nothing. Start reading at
`passes`, then `engine`; what each construct means is in the tables of `expressions`,
`statements`, `attributes` and `calls`; what library functions mean is in `library`.
"""

from flake8_nnx_rng.interpreter.events import (
    Advanced,
    CalledChild,
    Constructed,
    Drew,
    DrewOnHost,
    Escaped,
    Event,
    ReadPart,
    Returned,
    Site,
    Wrote,
)
from flake8_nnx_rng.interpreter.passes import Audit, audit

__all__ = [
    "Advanced",
    "Audit",
    "CalledChild",
    "Constructed",
    "Drew",
    "DrewOnHost",
    "Escaped",
    "Event",
    "ReadPart",
    "Returned",
    "Site",
    "Wrote",
    "audit",
]
