"""How keys get into a state, out of it and back."""
