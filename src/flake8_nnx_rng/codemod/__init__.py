"""From findings to a plan for a whole class to edits; all or nothing per class."""
