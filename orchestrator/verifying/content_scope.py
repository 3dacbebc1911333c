"""Says in sentences what looking inside an image proved, and which files of other architectures may be there."""

from __future__ import annotations

from orchestrator.core.fleet import Level
from orchestrator.verifying.check import reaches
from orchestrator.verifying.evidence import Content, Evidence
from orchestrator.verifying.foreign import foreign_files


def content_proved(evidence: Evidence) -> list[str]:
    """One sentence for the layers, and for each image what it executes and how many binaries fit."""
    sentences = []
    sound = [one for one in evidence.scans.values() if one.is_whole and not one.damage and one.hexdigest]
    if evidence.scans:
        right = sum(scan.hexdigest == scan.digest.partition(":")[2] for scan in sound)
        sentences.append(f"{right} of {len(evidence.scans)} layers that were read have the bytes of their digests")
    for content in evidence.contents:
        sentences += _executed(content)
        if reaches(evidence.expectation.level, Level.FULL) and not content.unread:
            sentences += _binaries(content, evidence.expectation.ignore)
    return sentences


def _executed(content: Content) -> list[str]:
    platform = content.entry.platform
    good = [
        step
        for step in content.steps
        if not step.reason and platform and (step.binary is None or step.binary.suits(platform))
    ]
    if not good:
        return []
    names = ", ".join(dict.fromkeys(step.path for step in good[:4]))
    libraries = {one.path for step in good if step.linking for one in step.linking.libraries}
    loaded = ""
    if libraries:
        loaded = f" and the {len(libraries)} libraries" if len(libraries) > 1 else " and the library"
        loaded += " that they load" if len(good) > 1 else " that it loads"
    return [f"{content.entry.label} executes {names}{loaded}, all for {platform.architecture if platform else ''}"]


def _binaries(content: Content, ignore: tuple[str, ...]) -> list[str]:
    foreign = foreign_files(content, ignore)
    wrong = sum(len(group.paths) for group in foreign.groups)
    exempt = sum(map(len, foreign.exempt.values()))
    fitting = foreign.binaries - wrong - exempt
    sentences = [f"{fitting} of {foreign.binaries} binaries of {content.entry.label} are for its architecture"]
    for reason, paths in sorted(foreign.exempt.items()):
        files = "1 file is" if len(paths) == 1 else f"{len(paths)} files are"
        sentences.append(f"{content.entry.label}: {files} exempt ({reason}), such as /{min(paths)}")
    return sentences
