"""What may be done to the linter, and what it must not do to its user."""
