"""Commands: each module joins readers, doors and verbs into one command and returns an exit code."""

from typing import Final

COMMANDS: Final[dict[str, str]] = {
    "audit": "Find architecture that is hard-coded in Dockerfiles and in the scripts that they run.",
    "plan": "Show the order, the node and the mode of every service on every platform, and why.",
    "build": "Build all platforms side by side, and move a tag only when all of them are there.",
    "publish": "Join what several machines built, verify it, and move the tags.",
    "rollback": "Put tags back to the digests that a journal says they had.",
    "verify": "Prove a pushed image: platforms, digests, and the architecture of what is inside.",
    "nodes": "Show the builder nodes: what each runs natively and what it emulates.",
    "packages": "Name what images install that has no build for the other architecture.",
    "doctor": "Say whether this machine can build all platforms, and what mends it.",
    "init": "Write a first manifest for the Dockerfiles, compose and bake files of a repository.",
    "import": "Make a manifest of a compose or bake file, and list what could not be carried over.",
    "schema": "Print the JSON Schema of manifests, for editors.",
}
