"""Reader: a Dockerfile becomes instructions, stages and scopes with exact positions."""
