"""A quick look that spares most texts the shell parser: is there a word that any rule could care about?"""

from __future__ import annotations

import re

_WORDS = re.compile(
    r"amd64|x86|x64|aarch|arm64|armv|armhf|i[3-6]86|ia32|64-?bit|32-?bit|linux-?_?64|linux-?_?32|gcc64|intel64|sbsa"
    r"|[^a-z0-9]386[^0-9]|TARGETARCH|TARGETPLATFORM|TARGETVARIANT|uname|print-arch|HOSTTYPE|[Aa]rch[^i]"
    r"|-mavx|-msse|-mfma|-mbmi|-mf16c|-mpclmul|-maes|-m32|-m64|=native|NATIVE|GOAMD64|haswell|skylake|znver|nehalem"
    r"|LLVM_TARGETS|elf64|elf32|lib32|multilib|wine|mkl|steamcmd|swift-|/pack-v|glibc-|google-chrome|edge-stable|llama"
    r"|syslinux|grub-pc|msr-tools|intel|oneapi|i965|multiarch|instantclient|virtualbox|AVX|SSE|cpu_baseline"
    r"|commandlinetools|platform-tools|sdk-tools|android",
    re.IGNORECASE,
)


def is_interesting(text: str) -> bool:
    """Whether a shell text deserves to be parsed."""
    return bool(_WORDS.search(text))


_FLAGS = re.compile(r"-m\w|-xHost|native|NATIVE|target-cpu|target-feature|LLVM_TARGETS|elf|GOAMD64", re.IGNORECASE)


def may_hold_flags(text: str) -> bool:
    """Whether a text may hold a compiler flag that rules care about."""
    return bool(_FLAGS.search(text))
