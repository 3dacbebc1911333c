"""Nouns: the values that every room speaks in. Standard library only."""
