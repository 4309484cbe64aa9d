"""The faces of the linter. They hold no logic: all give the same findings at the same places."""
