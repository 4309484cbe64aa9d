"""Code that was not written for this linter."""
