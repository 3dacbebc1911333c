"""mabuild plans, builds, publishes and proves container images for amd64 and arm64."""

__version__ = "0.1.0"
