"""Door to package indexes: Python's simple pages, and the package lists of Debian and Alpine mirrors."""
