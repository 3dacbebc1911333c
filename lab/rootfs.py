"""Real Debian systems, unpacked by the machine's own dpkg, so that only maintainer scripts are emulated."""

from __future__ import annotations

import hashlib
import os
import shutil
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from lab.debian import machine_architecture
from lab.images import Layer, pack
from lab.process import pipe, run

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from lab.debian import Apt

RECIPE = "1"  # counted up when what is made changes
PACKAGES = ("?essential", "apt", "ca-certificates", "usr-is-merged")
LEFT_OUT = ("/usr/share/doc/*", "/usr/share/man/*", "/usr/share/locale/*", "/usr/share/info/*")
MERGED = {"amd64": ("bin", "sbin", "lib", "lib64"), "arm64": ("bin", "sbin", "lib")}
LOCAL_AUTHORITIES = Path("/usr/local/share/ca-certificates")
SCRIPTS = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C", "DEBIAN_FRONTEND": "noninteractive"}
APT_SETTINGS = """\
Acquire::Check-Valid-Until "false";
Acquire::Languages "none";
Acquire::Retries "3";
APT::Install-Recommends "true";
DPkg::Post-Invoke { "rm -f /var/cache/apt/archives/*.deb /var/cache/apt/*.bin || true"; };
"""


def recipe_key(apt: Apt) -> str:
    """Eight digits that change with the mirror, the packages and the way of making."""
    authorities = sorted(path.read_bytes() for path in LOCAL_AUTHORITIES.glob("*.crt"))
    parts = [RECIPE, *(source.line() for source in apt.sources), *PACKAGES, proxy_settings()]
    return hashlib.sha256("\n".join(parts).encode() + b"".join(authorities)).hexdigest()[:8]


def proxy_settings() -> str:
    """The proxy of the machine's apt, as lines of an apt configuration."""
    shown = run(["apt-config", "dump", "--format", "%f=%v%n", "Acquire"])
    wanted = ("Acquire::http::Proxy", "Acquire::https::Proxy")
    pairs = [line.partition("=") for line in shown.splitlines()]
    return "".join(f'{name} "{value}";\n' for name, _, value in pairs if name in wanted and value)


def debian_layer(
    apt: Apt, architecture: str, folder: Path, *, certificates_of: Callable[[], Path] | None = None
) -> Layer:
    """Make, or find again, the layer of a small Debian; its root folder stays until `clean`."""
    file = folder / f"debian-{apt.codename}-{architecture}-{recipe_key(apt)}.tar.gz"
    if file.exists():
        return Layer.load(file)
    root = root_folder(folder, architecture)
    make_root(apt, architecture, root, certificates_of)
    return pack(root, file, leave_out=("./dev/*", "./var/cache/apt/archives/*.deb", "./var/log/*.log"))


def root_folder(folder: Path, architecture: str) -> Path:
    return folder / f"root-{architecture}"


def clean(folder: Path) -> None:
    for pattern in ("root-*", "packages-*"):
        for path in folder.glob(pattern):
            shutil.rmtree(path, ignore_errors=True)


def make_root(apt: Apt, architecture: str, root: Path, certificates_of: Callable[[], Path] | None) -> None:
    downloads = root.with_name(f"packages-{architecture}")
    archives = apt.download(PACKAGES, architecture, downloads)
    shutil.rmtree(root, ignore_errors=True)
    _lay_out(root, architecture)
    _extract(archives, root)
    _prepare(root, architecture)
    _configure(archives, root, certificates_of)
    _settle(apt, root)
    shutil.rmtree(downloads)


def _lay_out(root: Path, architecture: str) -> None:
    for name in ("dev", "proc", "sys", "tmp", "etc"):
        (root / name).mkdir(parents=True)
    for name in MERGED[architecture]:
        (root / "usr" / name).mkdir(parents=True)
        (root / name).symlink_to(f"usr/{name}")


def _extract(archives: Sequence[Path], root: Path) -> None:
    """All files first: the first maintainer script needs a shell and a C library."""
    unpack = ["tar", "-x", "-C", str(root), "--keep-directory-symlink", *(f"--exclude=.{name}" for name in LEFT_OUT)]
    for archive in archives:
        pipe(["dpkg-deb", "--fsys-tarfile", str(archive)], unpack)


def _prepare(root: Path, architecture: str) -> None:
    database = root / "var/lib/dpkg"
    for name in ("info", "updates"):
        (database / name).mkdir(parents=True, exist_ok=True)
    for name in ("status", "available"):
        (database / name).touch()
    for name in ("passwd", "group"):
        shutil.copy(root / "usr/share/base-passwd" / f"{name}.master", root / "etc" / name)
    settings = root / "etc/dpkg/dpkg.cfg.d/slim"
    settings.parent.mkdir(parents=True, exist_ok=True)
    settings.write_text("".join(f"path-exclude {pattern}\n" for pattern in LEFT_OUT))
    os.mknod(root / "dev/null", 0o20666, os.makedev(1, 3))
    (root / "dev/null").chmod(0o666)
    if architecture != machine_architecture():
        run(["dpkg", f"--root={root}", "--add-architecture", architecture])


def _configure(archives: Sequence[Path], root: Path, certificates_of: Callable[[], Path] | None) -> None:
    words = ["dpkg", f"--root={root}", "--force-depends", "--force-confnew", "--force-unsafe-io"]
    words += [f"--path-exclude={pattern}" for pattern in LEFT_OUT]
    run([*words, "--unpack", *map(str, archives)], environment=SCRIPTS)
    with _certificates_from(certificates_of, root):
        run([*words, "--configure", "--pending"], environment=SCRIPTS)
    (root / "var/lib/dpkg/arch").unlink(missing_ok=True)


@contextmanager
def _certificates_from(other: Callable[[], Path] | None, root: Path) -> Iterator[None]:
    """Take the certificates that another root made of the same package: the same, and 18 s quicker than emulated."""
    authorities = root / LOCAL_AUTHORITIES.relative_to("/")
    authorities.mkdir(parents=True, exist_ok=True)
    if other is None:
        for path in LOCAL_AUTHORITIES.glob("*.crt"):
            shutil.copy(path, authorities)
        yield
        return
    program = root / "usr/sbin/update-ca-certificates"
    program.rename(program.with_suffix(".real"))
    program.symlink_to("/bin/true")
    yield
    program.unlink()
    program.with_suffix(".real").rename(program)
    for name in ("etc/ssl/certs", str(LOCAL_AUTHORITIES.relative_to("/"))):
        shutil.copytree(other() / name, root / name, symlinks=True, dirs_exist_ok=True)


def _settle(apt: Apt, root: Path) -> None:
    """What a container needs beside the packages: the machine's mirror, and no services started by packages."""
    (root / "etc/apt/sources.list").write_text("".join(f"{source.line()}\n" for source in apt.sources))
    (root / "etc/apt/apt.conf.d/lab").write_text(APT_SETTINGS + proxy_settings())
    policy = root / "usr/sbin/policy-rc.d"
    policy.write_text("#!/bin/sh\nexit 101\n")
    policy.chmod(0o755)
