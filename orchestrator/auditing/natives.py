"""Commands that make machine code for the machine that they run on, unless they are told another one."""

from __future__ import annotations

from orchestrator.auditing.outputs import UNKNOWN, Command

_LANGUAGES = {
    "cabal": ("build", "install", "v2-build", "v2-install"),
    "cargo": ("build", "b", "install", "rustc", "auditable", "chef", "leptos"),
    "crystal": ("build",),
    "deno": ("compile",),
    "dub": ("build",),
    "dune": ("build",),
    "go": ("build", "install"),
    "mix": ("release",),
    "nim": ("c", "cpp", "compile"),
    "nimble": ("build", "install"),
    "shards": ("build",),
    "stack": ("build", "install"),
    "swift": ("build",),
    "tinygo": ("build",),
    "zig": ("build", "build-exe", "cc", "c++"),
}
"""Programs that do many things, and the words with which they compile."""
_COMPILERS = frozenset(
    {"c++", "cc", "clang", "clang++", "dmd", "g++", "gcc", "gfortran", "ghc", "ldc2", "native-image", "nexe", "nuitka",
     "nuitka3", "nvcc", "ocamlopt", "pyinstaller", "rustc"}
)  # fmt: skip
BUILD_TOOLS = frozenset({"cmake", "configure", "gmake", "make", "meson", "ninja", "node-gyp"})
_NEUTRAL_GOALS = frozenset(
    {"bundle", "check", "clean", "deps", "dependencies", "docs", "download", "fmt", "format", "frontend", "gen",
     "generate", "html", "install-deps", "lint", "mod", "node_modules", "proto", "protos", "setup", "test", "tidy",
     "ui", "vendor", "web"}
)  # fmt: skip
"""Goals of a makefile that hardly ever compile machine code."""
_TELLS_TARGET = {
    "cargo": ("--target",),
    "rustc": ("--target",),
    "zig": ("-target", "-Dtarget", "--target"),
    "swift": ("--triple", "--swift-sdk", "--destination"),
    "deno": ("--target",),
    "tinygo": ("-target",),
    "clang": ("--target", "-target"),
    "clang++": ("--target", "-target"),
    "nim": ("--cpu",),
    "crystal": ("--target", "--cross-compile"),
    "ldc2": ("-mtriple", "--mtriple"),
    "dub": ("--arch", "-a"),
    "configure": ("--host",),
    "cmake": ("-DCMAKE_TOOLCHAIN_FILE", "-DCMAKE_SYSTEM_PROCESSOR", "-DCMAKE_C_COMPILER", "--toolchain"),
    "meson": ("--cross-file",),
    "make": ("CC", "ARCH", "TARGET", "GOARCH", "CROSS_COMPILE", "TARGETARCH", "HOST"),
}
_TELLS_BY_VARIABLE = {
    "go": ("GOARCH",),
    "cargo": ("CARGO_BUILD_TARGET",),
    "make": ("CC", "GOARCH", "CARGO_BUILD_TARGET", "CROSS_COMPILE"),
    "configure": ("CC",),
    "cmake": ("CC", "CMAKE_TOOLCHAIN_FILE"),
    "meson": ("CC",),
}


def native_build(command: Command) -> str:
    """What a command compiles for its own machine, in words such as `cargo build`; empty where it does not."""
    name = "make" if command.name == "gmake" else command.name
    if _tells_target(name, command):
        return ""
    if name in _LANGUAGES:
        verb = _verb(name, command)
        return f"{name} {verb}" if verb in _LANGUAGES[name] else ""
    if name in _COMPILERS:
        return name if _links(name, command) else ""
    if name in BUILD_TOOLS and _builds(name, command):
        return name
    return _dotnet(command) if name == "dotnet" else _java(name, command)


def _verb(name: str, command: Command) -> str:
    """The first word that is no option; toolchains of cargo (`+nightly`) do not count."""
    operands = [word for word in command.operands if not word.startswith("+")]
    first = operands[0] if operands else ""
    if name == "cargo" and first == "chef":
        return "chef" if "cook" in operands else ""
    if name == "cargo" and first == "auditable":
        return "auditable" if "build" in operands or "install" in operands else ""
    return first


def _tells_target(name: str, command: Command) -> bool:
    for option in _TELLS_TARGET.get(name, ()):
        if any(word == option or word.startswith((f"{option}=", f"{option}:")) for word in command.arguments):
            return True
    return any(command.lookup(variable) is not None for variable in _TELLS_BY_VARIABLE.get(name, ()))


def _links(name: str, command: Command) -> bool:
    """Whether a compiler makes something; asking for its version, or only preprocessing, does not."""
    if name in {"pyinstaller", "nuitka", "nuitka3", "native-image", "nexe"}:
        return bool(command.operands)
    return bool(command.operands) and not any(
        word in {"-E", "--version", "-v", "-dumpmachine"} for word in command.arguments
    )


def _builds(name: str, command: Command) -> bool:
    words = command.operands
    if name == "cmake":
        return "--build" in command.arguments or "--install" in command.arguments
    if name == "meson":
        return "compile" in words or "install" in words
    if name == "node-gyp":
        return "rebuild" in words or "build" in words
    if name == "configure":
        return False
    goals = [word for word in words if "=" not in word and UNKNOWN not in word and not word.isdigit()]
    return not goals or not all(_is_neutral(goal) for goal in goals)


def _is_neutral(goal: str) -> bool:
    return any(part in _NEUTRAL_GOALS for part in goal.replace("_", "-").replace(".", "-").replace("/", "-").split("-"))


def _dotnet(command: Command) -> str:
    """A portable publish runs anywhere; a self-contained or ahead-of-time one is for one architecture."""
    words = command.arguments
    if "publish" not in words or any(
        word in {"-r", "-a", "--runtime", "--arch", "--use-current-runtime", "--ucr"}
        or word.startswith(("--arch=", "--runtime=", "-p:RuntimeIdentifier"))
        for word in words
    ):
        return ""
    joined = " ".join(words).lower()
    contained = "--self-contained" in words and "--self-contained false" not in joined
    return "dotnet publish" if contained or "publishaot=true" in joined or "publishsinglefile=true" in joined else ""


def _java(name: str, command: Command) -> str:
    joined = " ".join(command.arguments)
    if name in {"mvn", "mvnw"} and ("native:compile" in joined or "-Pnative" in command.arguments):
        return f"{name} -Pnative"
    if name in {"gradle", "gradlew"} and "nativeCompile" in joined:
        return f"{name} nativeCompile"
    return ""
