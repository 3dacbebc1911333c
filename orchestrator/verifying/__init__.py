"""Verb: an image and an expectation become findings."""
