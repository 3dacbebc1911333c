"""Says where in an image something comes from: which layer, which instruction made it, who shares it."""

from __future__ import annotations

import re

from orchestrator.verifying.evidence import Entry, Evidence

_NOISE = re.compile(r"^/bin/sh -c (?:#\(nop\)\s*)?|\s*# buildkit\s*$|^RUN (?:\|\d+ (?:\S+=\S* )*)?/bin/sh -c ")
_LONGEST = 100


def made_by(entry: Entry, layer: int) -> str:
    """The instruction that made a layer, as the image's history tells it; empty where it does not."""
    steps = entry.config.layer_steps() if entry.config else ()
    if len(steps) != len(entry.layers) or not 0 <= layer < len(steps):
        return ""
    text = " ".join(steps[layer].split())
    return _NOISE.sub(lambda match: "RUN " if match[0].startswith("RUN") else "", text)


def layer_name(entry: Entry, layer: int) -> str:
    """A layer's place, and its instruction where that is known."""
    step = made_by(entry, layer)
    step = step if len(step) <= _LONGEST else f"{step[: _LONGEST - 1]}…"
    return f"layer {layer + 1} of {len(entry.layers)}" + (f" ({step})" if step else "")


def sharers(evidence: Evidence, entry: Entry, layer: int) -> tuple[str, ...]:
    """The platforms of another architecture that have the same layer."""
    own = entry.platform
    return tuple(
        other.label
        for other in evidence.sharing(entry.layer_digests[layer])
        if other.platform and own and other.platform.architecture != own.architecture
    )


def cause_of(evidence: Evidence, entry: Entry, layers: tuple[int, ...], *, is_base: bool) -> str:
    """Where wrong files come from, in words."""
    if is_base and len(layers) > 1:
        where = f"the base: layers {layers[0] + 1} to {layers[-1] + 1} of {len(entry.layers)}"
    elif is_base and len(entry.layers) > 1:
        where = f"the base: {layer_name(entry, layers[0])}"
    else:
        where = layer_name(entry, layers[0])
    sharing = dict.fromkeys(label for layer in layers for label in sharers(evidence, entry, layer))
    return f"{where}; {', '.join(sharing)} has the same" if sharing else where
