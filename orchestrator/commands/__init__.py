"""Commands: each module joins readers, doors and verbs into one command and returns an exit code."""
