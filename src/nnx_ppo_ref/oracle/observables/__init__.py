"""One file for each observable: a function from the evidence to a result."""
