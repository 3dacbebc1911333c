"""Verb: a plan becomes built cells, records and published indexes."""
