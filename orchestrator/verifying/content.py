"""Reads what is inside the images: every distinct layer once, all of them or only as many as the entry point needs."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import replace

from orchestrator.core.fleet import Level
from orchestrator.core.image import Descriptor
from orchestrator.registry.errors import NotFoundError
from orchestrator.verifying.cache import VerdictCache
from orchestrator.verifying.entrypoint import Step, trace
from orchestrator.verifying.evidence import Content, Entry, Evidence, Fault, Part
from orchestrator.verifying.filesystem import FileMap, LowerLayerNeededError
from orchestrator.verifying.media_types import LAYER_TYPES
from orchestrator.verifying.scan import LayerScan, scan_layer
from orchestrator.verifying.source import Source, attempt

LOOKED_INTO = frozenset({"linux", "android", "freebsd"})


class LayerReader:
    """Scans layers, each once however many images and threads ask for it; what fails is kept as a fault."""

    def __init__(self, source: Source, cache: VerdictCache) -> None:
        self._source = source
        self._cache = cache
        self._lock = threading.Lock()
        self._running: dict[str, Future[LayerScan | None]] = {}
        self._entries = 0
        self._faults: dict[str, tuple[Fault, ...]] = {}

    @property
    def scans(self) -> dict[str, LayerScan]:
        """The layers that were read."""
        done = {digest: future.result() for digest, future in self._running.items() if future.done()}
        return {digest: scan for digest, scan in done.items() if scan is not None}

    @property
    def faults(self) -> tuple[Fault, ...]:
        """What could not be read, and why."""
        return tuple(fault for faults in self._faults.values() for fault in faults)

    def scan(self, layer: Descriptor) -> LayerScan | None:
        """A layer's files; None where it could not be read."""
        with self._lock:
            future = self._running.get(layer.digest)
            is_mine = future is None
            if future is None:
                future = self._running[layer.digest] = Future()
        if is_mine:
            self._fulfil(future, layer)
        return future.result()

    def _fulfil(self, future: Future[LayerScan | None], layer: Descriptor) -> None:
        try:
            future.set_result(self._read(layer))
        except BaseException as error:
            future.set_exception(error)
            raise

    def _read(self, layer: Descriptor) -> LayerScan | None:
        scan, faults = attempt(Part.LAYER, layer.digest, "", lambda: self._fetch(layer))
        self._faults[layer.digest] = faults
        return self._within_bounds(scan) if scan is not None else None

    def _fetch(self, layer: Descriptor) -> LayerScan:
        """What is remembered of a layer that is still there, else what its bytes say."""
        known = self._cache.get(layer)
        if known is not None:
            if not self._source.has_blob(layer.digest):
                raise NotFoundError("")
            return known
        with self._source.open(layer.digest) as read:
            scan = scan_layer(read, layer.digest, layer.size, self._source.means.limits)
        self._cache.put(layer, scan)
        self._source.memory.see(layer.digest)
        return scan

    def _within_bounds(self, scan: LayerScan) -> LayerScan:
        """Keep the files of a layer only while all layers together stay within what memory may hold."""
        with self._lock:
            self._entries += len(scan.entries)
            if self._entries <= self._source.means.limits.image_entries:
                return scan
        return replace(scan, entries=(), problems=(*scan.problems, "has files beyond the number that is kept"))


def read_contents(source: Source, evidence: Evidence, cache: VerdictCache) -> Evidence:
    """The evidence with what is inside, as deep as its level asks for; layers that are not there become faults."""
    reader = LayerReader(source, cache)
    images = [entry for entry in asked_for(evidence) if entry.config and _can_be_looked_into(entry)]
    if evidence.expectation.level is Level.FULL:
        source.map(reader.scan, _distinct_layers(asked_for(evidence)))
        contents = source.map(lambda entry: _whole(entry, reader.scan), images)
    else:
        contents = source.map(lambda entry: _top_down(entry, reader.scan), images)
    scans = reader.scans
    return replace(
        evidence,
        scans=scans,
        contents=tuple(contents),
        blobs={**evidence.blobs, **dict.fromkeys(scans, True)},
        faults=(*evidence.faults, *reader.faults),
    )


def asked_for(evidence: Evidence) -> tuple[Entry, ...]:
    """The images of the wanted platforms, all where none are named: layers of others are not fetched."""
    wanted = evidence.expectation.platforms
    return tuple(entry for entry in evidence.images if not wanted or entry.platform in wanted)


def _can_be_looked_into(entry: Entry) -> bool:
    return entry.platform is not None and entry.platform.os in LOOKED_INTO


def _distinct_layers(images: tuple[Entry, ...]) -> list[Descriptor]:
    """The layers of some images, each once, the largest first so that none of them is left for the end."""
    layers = {layer.digest: layer for entry in images for layer in entry.layers if is_readable(layer)}
    return sorted(layers.values(), key=lambda layer: -layer.size)


def is_readable(layer: Descriptor) -> bool:
    """Whether a layer is of a kind that can be looked into, and is kept where the image is."""
    return layer.media_type in LAYER_TYPES and not layer.urls


def _whole(entry: Entry, scan: Callable[[Descriptor], LayerScan | None]) -> Content:
    """The image with all its layers."""
    files, unread = FileMap(), []
    for number, layer in enumerate(entry.layers):
        found = scan(layer) if is_readable(layer) else None
        if found is None or not found.is_whole:
            unread.append(layer.digest)
        if found is not None:
            files.put_layer(number, found.entries)
    return Content(entry, files, _steps(entry, files), tuple(unread))


def _top_down(entry: Entry, scan: Callable[[Descriptor], LayerScan | None]) -> Content:
    """The image with its upper layers only, as many as it takes to know what is executed."""
    known: list[tuple[int, LayerScan]] = []
    unread: list[str] = []
    for number in range(len(entry.layers) - 1, -1, -1):
        layer = entry.layers[number]
        found = scan(layer) if is_readable(layer) else None
        if found is None or not found.is_whole:
            unread.append(layer.digest)
        known = [(number, found), *known] if found is not None else known
        files = _together(known, is_partial=number > 0)
        try:
            return Content(entry, files, _steps(entry, files), tuple(unread))
        except LowerLayerNeededError:
            continue
    return Content(entry, FileMap(), (), tuple(unread))


def _together(known: list[tuple[int, LayerScan]], *, is_partial: bool) -> FileMap:
    files = FileMap(is_partial=is_partial)
    for number, scan in known:
        files.put_layer(number, scan.entries)
    return files


def _steps(entry: Entry, files: FileMap) -> tuple[Step, ...]:
    return trace(entry.config, files) if entry.config else ()
