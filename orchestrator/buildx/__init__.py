"""Door to docker: nodes, builds and emulators. The only room that starts processes."""
