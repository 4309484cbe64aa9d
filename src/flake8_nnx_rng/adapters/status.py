"""Exit statuses of the commands."""

CLEAN, FOUND, FAILED, INTERRUPTED = 0, 1, 2, 130
"""Nothing found, something found, something could not be done, Ctrl-C."""
