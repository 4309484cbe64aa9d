"""The tool as its users meet it: real processes, real hosts."""
