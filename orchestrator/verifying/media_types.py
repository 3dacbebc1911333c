"""The media types of layers and old manifests that clients know."""

from __future__ import annotations

from orchestrator.core.image import DOCKER_SCHEMA1, DOCKER_SCHEMA1_SIGNED

SCHEMA1 = frozenset({DOCKER_SCHEMA1, DOCKER_SCHEMA1_SIGNED})
DOCKER_ZSTD = "application/vnd.docker.image.rootfs.diff.tar.zstd"
_OCI = "application/vnd.oci.image.layer"
LAYER_TYPES = frozenset(
    {
        *(f"{_OCI}.v1.tar{packing}" for packing in ("", "+gzip", "+zstd")),
        *(f"{_OCI}.nondistributable.v1.tar{packing}" for packing in ("", "+gzip", "+zstd")),
        "application/vnd.docker.image.rootfs.diff.tar",
        "application/vnd.docker.image.rootfs.diff.tar.gzip",
        "application/vnd.docker.image.rootfs.foreign.diff.tar.gzip",
        DOCKER_ZSTD,
    }
)
