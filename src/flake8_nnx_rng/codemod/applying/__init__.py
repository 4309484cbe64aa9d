"""From proposals to new contents of files, each one judged."""
