"""The names that vendors give architectures in their downloads, as data."""
