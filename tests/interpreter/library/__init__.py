"""The interpreter by itself: the values of expressions and the events of passes."""
