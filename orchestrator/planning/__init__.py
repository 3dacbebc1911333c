"""Verb: a fleet becomes a plan."""
