"""What a Dockerfile installs, and whether every platform has a build of it."""
