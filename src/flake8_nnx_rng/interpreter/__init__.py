"""The heart: abstract interpretation of a module's forward pass.

It follows values through the code and emits events; it reports nothing. Start reading at
`passes`, then `engine`; what each construct means is in the tables of `expressions`,
`statements`, `attributes` and `calls`; what library functions mean is in `library`.
"""

from flake8_nnx_rng.interpreter.events import (
    Advanced,
    CalledChild,
    Constructed,
    Defaulted,
    Derived,
    Drew,
    DrewOnHost,
    Escaped,
    Event,
    MappedOver,
    ReadPart,
    Returned,
    Reused,
    Site,
    Use,
    Wrote,
)
from flake8_nnx_rng.interpreter.implementations import Chosen, chosen_implementations
from flake8_nnx_rng.interpreter.passes import Audit, Auditor, audit, carries_keys

__all__ = [
    "Advanced",
    "Audit",
    "Auditor",
    "CalledChild",
    "Chosen",
    "Constructed",
    "Defaulted",
    "Derived",
    "Drew",
    "DrewOnHost",
    "Escaped",
    "Event",
    "MappedOver",
    "ReadPart",
    "Returned",
    "Reused",
    "Site",
    "Use",
    "Wrote",
    "audit",
    "carries_keys",
    "chosen_implementations",
]
