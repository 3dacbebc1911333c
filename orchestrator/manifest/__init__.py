"""Reader: YAML manifests become a fleet, or errors that name file, line and column."""
