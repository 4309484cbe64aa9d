"""From which streams a sample may come that the replay gets back."""

from __future__ import annotations

from flake8_nnx_rng.interpreter import Advanced, Drew
from flake8_nnx_rng.interpreter.values import Key, Stream
from flake8_nnx_rng.rules.origin import OWN


def what_spoils(event: Drew | Advanced) -> str | None:
    """Why a sample may not come from a stream though the replay gets it back; None if it may."""
    source, path = event.source, event.source.path or ""
    if isinstance(source, Stream) and source.copied:
        return f"every step draws the same from a copy; draw from {path} itself"
    if isinstance(event, Advanced) and event.restarts:
        return "every step draws the same after it; let the stream go on"
    if event.site.traced and not isinstance(source, Key):
        return "a stream raises TraceContextError in a function that JAX traces; draw outside of it"
    if isinstance(source, Stream) and path and not path.startswith(OWN):
        return "PPO does not thread a stream that is not the module's; keep it in the module"
    return None
