"""Verb: Dockerfiles become findings."""
