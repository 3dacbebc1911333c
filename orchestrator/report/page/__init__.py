"""One self-contained HTML page about a build: nothing on it comes from elsewhere."""
