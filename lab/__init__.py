"""The lab: a real engine, registry, emulator, builder node and base images, with the standard library only."""
