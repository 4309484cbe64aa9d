"""One file for each kind of fault: what a rewrite makes of it."""
