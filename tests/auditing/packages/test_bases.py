"""What names of base images say of Python, C library and release."""

from __future__ import annotations

import pytest

from orchestrator.auditing.packages.bases import environment_of


@pytest.mark.parametrize(
    ("image", "python", "libc", "release"),
    [
        ("python:3.12-slim-bookworm", "3.12", "glibc 2.36", "debian bookworm"),
        ("docker.io/library/python:3.9.18-bullseye", "3.9", "glibc 2.31", "debian bullseye"),
        ("python:3.13-alpine3.20", "3.13", "musl 1.2", "alpine 3.20"),
        ("python:3.11-alpine", "3.11", "musl 1.2", "alpine "),
        ("python:3", "3.14", "glibc 2.41", "debian trixie"),
        ("python", "3.14", "glibc 2.41", "debian trixie"),
        ("python:3.12-slim@sha256:" + "0" * 64, "3.12", "glibc 2.41", "debian trixie"),
        ("debian:12", "3.11", "glibc 2.36", "debian bookworm"),
        ("debian:bookworm-slim", "3.11", "glibc 2.36", "debian bookworm"),
        ("debian:12.7-slim", "3.11", "glibc 2.36", "debian bookworm"),
        ("ubuntu:22.04", "3.10", "glibc 2.35", "ubuntu jammy"),
        ("ubuntu", "3.12", "glibc 2.39", "ubuntu noble"),
        ("nvidia/cuda:12.4.1-cudnn-runtime-ubuntu22.04", "3.10", "glibc 2.35", "ubuntu jammy"),
        ("nvcr.io/nvidia/cuda:12.8.0-base-ubuntu24.04", "3.12", "glibc 2.39", "ubuntu noble"),
        ("ghcr.io/astral-sh/uv:python3.12-bookworm-slim", "3.12", "glibc 2.36", "debian bookworm"),
        ("ghcr.io/astral-sh/uv:0.5-python3.13-alpine", "3.13", "musl 1.2", "alpine "),
        ("public.ecr.aws/lambda/python:3.12", "3.12", "glibc 2.34", "amazon 2023"),
        ("registry.access.redhat.com/ubi9/python-312:latest", "3.12", "glibc 2.34", "rhel 9"),
        ("almalinux:8", "3.6", "glibc 2.28", "rhel 8"),
        ("alpine:3.19", "3.11", "musl 1.2", "alpine 3.19"),
        ("node:22-bookworm-slim", "3.11", "glibc 2.36", "debian bookworm"),
        ("gcr.io/distroless/python3-debian12", "3.11", "glibc 2.36", "debian bookworm"),
    ],
)
def test_known_images(image: str, python: str, libc: str, release: str) -> None:
    found = environment_of(image)
    major, minor = found.libc_version
    assert found.python == python
    assert f"{found.libc} {major}.{minor}" == libc
    assert f"{found.distribution} {found.release}" == release


def test_what_is_guessed_is_said() -> None:
    assert environment_of("ghcr.io/acme/base:1").assumed == ("glibc 2.36", "Python 3.12")
    assert environment_of("python:3.12-slim").assumed == ("debian trixie",)
    assert environment_of("python:3.12-slim-bookworm").assumed == ()
