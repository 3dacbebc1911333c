"""Importing: compose and bake files become a manifest, and what cannot be carried over is listed."""
