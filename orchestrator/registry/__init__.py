"""Door to images: registries, OCI layouts and the docker daemon. The only room that speaks HTTP."""
