"""The lab: a real engine, registry, emulator, builder node and base images for demos and tests, standard library only."""
