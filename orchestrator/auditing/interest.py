"""A quick look that spares most texts the shell parser: is there a word that any rule could care about?"""

from __future__ import annotations

_WORDS = (
    "amd64", "x86", "x64", "aarch", "arm64", "armv", "armhf", "armel", "-arm", "_arm", "=arm", "i386", "i486", "i586",
    "i686", "ia32", "64bit", "64-bit", "32bit", "linux64", "linux-64", "linux_64", "linux32", "lin64", "gcc64",
    "intel64", "sbsa", "386", "targetarch", "targetplatform", "targetvariant", "uname", "print-arch", "hosttype",
    "arch)", "arch`", "_arch", "-mavx", "-msse", "-mssse", "-mfma", "-mbmi", "-mf16c", "-mpclmul", "-maes", "-m32",
    "-m64", "native", "goamd64", "haswell", "skylake", "znver", "nehalem", "-mpopcnt", "-march", "-mtune", "-mcpu",
    "llvm_targets", "elf64", "elf32", "elf_", "lib32", "multilib", "wine", "mkl", "steam", "swift-", "/pack-v",
    "glibc-", "edge-stable", "llama", "whisper", "ggml", "syslinux", "isolinux", "grub-pc", "msr-tools", "intel",
    "i965", "instantclient", "virtualbox", "target-feature", "target-cpu", "libmfx", "libvpl", "libipp", "memtest",
    "android", "flutter", "commandlinetools", "platform-tools", "sdk-tools", "libx32", "-x32", "-i386", "teamviewer",
    "skypeforlinux", "slack-desktop", "mssql-server", "mysql-shell", "cpuid", "extlinux", "goarch", "musl.cc", "tini",
    "sonar-scanner", "azcopy", "beignet",
)  # fmt: skip
_FLAGS = ("-m", "-xhost", "native", "target-cpu", "target-feature", "llvm_targets", "elf", "goamd64")


def is_interesting(text: str) -> bool:
    """Whether a shell text deserves to be parsed."""
    lower = text.lower()
    return any(word in lower for word in _WORDS)


def may_hold_flags(text: str) -> bool:
    """Whether a text may hold a compiler flag that rules care about."""
    lower = text.lower()
    return any(word in lower for word in _FLAGS)
