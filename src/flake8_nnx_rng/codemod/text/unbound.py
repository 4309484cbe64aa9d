"""Names that a file reads and nothing binds."""

from __future__ import annotations

import builtins
import symtable
from collections.abc import Iterator


def unbound(text: str) -> frozenset[str]:
    r"""The global names that functions of a file read, and that the file does not have.

    >>> sorted(unbound("import jax\ndef f(x):\n    return jax.vmap(g)(x)"))
    ['g']
    """
    module = symtable.symtable(text, "<file>", "exec")
    own = {symbol.get_name() for symbol in module.get_symbols() if symbol.is_assigned()}
    own |= {symbol.get_name() for symbol in module.get_symbols() if symbol.is_imported()}
    own |= {symbol.get_name() for symbol in module.get_symbols() if symbol.is_namespace()}
    return frozenset(set(_read(module)) - own - set(dir(builtins)))


def _read(table: symtable.SymbolTable) -> Iterator[str]:
    for symbol in table.get_symbols():
        if symbol.is_global() and symbol.is_referenced():
            yield symbol.get_name()
    for child in table.get_children():
        yield from _read(child)
