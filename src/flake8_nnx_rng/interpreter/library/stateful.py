"""What a `StatefulModule` does without defining it: it starts with nothing and resets nothing."""

from __future__ import annotations

from flake8_nnx_rng.interpreter.library.handlers import Handler
from flake8_nnx_rng.interpreter.values import Items, Opaque
from flake8_nnx_rng.knowledge import library

HANDLERS: dict[str, Handler] = {
    library.INHERITED[library.INITIALIZE]: lambda it, arguments, node: Items(()),
    library.INHERITED[library.RESET]: lambda it, arguments, node: (
        arguments.get("prev_state", 0) or arguments.rest or Opaque()
    ),
}
