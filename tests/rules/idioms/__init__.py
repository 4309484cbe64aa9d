"""Sixty idioms of public code that reads, stores or passes RNGs in NNX modules.

The name of each begins with its number. `# NNX101` at the end of a line is what is to be reported
there; an idiom without such a mark is sound. Those that depend on who reaches a draw come twice:
once reached, once not. They are written as `regressions.written_out` reads them.
"""
