"""Answers of probes, remembered per node and boot, so that asking again costs nothing for a while."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path

from orchestrator.buildx.probe import Answer

_VERSION = 1
_LARGEST = 1024 * 1024
_MOST = 200
_TEXTS = ("architecture", "kernel", "program", "builder", "boot", "error")


@dataclass(slots=True)
class Memory:
    """Answers by node identity and architecture; `lifetime` and `now` in seconds."""

    path: Path
    now: float
    lifetime: float
    known: dict[str, dict[str, Answer]] = field(default_factory=dict)
    asked: dict[str, float] = field(default_factory=dict)

    def load(self) -> None:
        """Read what is remembered and not too old; a file that cannot be read counts as empty."""
        for identity, entry in _read(self.path).items():
            asked = entry.get("asked")
            if not isinstance(asked, int | float) or not 0 <= self.now - asked <= self.lifetime:
                continue
            answers = entry.get("answers")
            found = [_answer(value) for value in answers] if isinstance(answers, list) else []
            self.known[identity] = {answer.architecture: answer for answer in found if answer is not None}
            self.asked[identity] = float(asked)

    def recall(self, identity: str) -> dict[str, Answer]:
        """The answers of a node by architecture."""
        return dict(self.known.get(identity, {}))

    def keep(self, identity: str, answers: Mapping[str, Answer]) -> None:
        """Remember the answers of a node; a probe that went wrong proves nothing and is not kept."""
        lasting = {name: answer for name, answer in answers.items() if answer.is_decisive}
        if lasting:
            self.known[identity] = lasting
            self.asked[identity] = self.now

    def save(self) -> None:
        """Write everything at once, so that another process never reads half a file; a full disk is no error."""
        newest = sorted(self.asked, key=lambda identity: -self.asked[identity])[:_MOST]
        entries = {
            identity: {
                "asked": self.asked[identity],
                "answers": [asdict(answer) for answer in self.known[identity].values()],
            }
            for identity in newest
        }
        _write(self.path, json.dumps({"version": _VERSION, "nodes": entries}, indent=1))


def _read(path: Path) -> dict[str, dict[str, object]]:
    try:
        with path.open("rb") as stream:
            content = json.loads(stream.read(_LARGEST))
    except (OSError, ValueError, RecursionError):
        return {}
    nodes = content.get("nodes") if isinstance(content, dict) and content.get("version") == _VERSION else None
    return {key: value for key, value in nodes.items() if isinstance(value, dict)} if isinstance(nodes, dict) else {}


def _answer(value: object) -> Answer | None:
    if not isinstance(value, dict) or not isinstance(value.get("seconds"), int | float):
        return None
    texts = {name: str(value.get(name) or "") for name in _TEXTS}
    processor = value.get("processor")
    pairs = processor if isinstance(processor, list) else []
    fields = tuple((str(pair[0]), str(pair[1])) for pair in pairs if isinstance(pair, list) and len(pair) == 2)
    return Answer(**texts, processor=fields, seconds=float(value["seconds"]))


def _write(path: Path, text: str) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile("w", dir=path.parent, delete=False, encoding="utf-8") as stream:
            stream.write(text)
        Path(stream.name).replace(path)
    except OSError:
        return
