"""Measurements against real peers, all with one command: `make bench`."""
