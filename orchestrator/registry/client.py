"""Our own registry client (distribution-spec): many hosts, many threads, one set of connections and logins."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager
from copy import copy
from pathlib import Path
from typing import BinaryIO, TypeVar

from orchestrator.core.errors import MabuildError
from orchestrator.core.fleet import RegistrySettings
from orchestrator.core.image import Descriptor, Document, sha256
from orchestrator.core.reference import Reference, is_digest
from orchestrator.core.retry import RetryPolicy
from orchestrator.registry import listing, upload
from orchestrator.registry.authorizer import Authorizer, Need
from orchestrator.registry.blob_stream import Blob
from orchestrator.registry.clock import CLOCK, Clock
from orchestrator.registry.credentials import Credentials
from orchestrator.registry.digest import digest_like, is_computable, require_digest
from orchestrator.registry.errors import DigestError, NotFoundError, RegistryError
from orchestrator.registry.headers import plain_type
from orchestrator.registry.hosts import Endpoint, Hosts
from orchestrator.registry.http import Http
from orchestrator.registry.media import ACCEPTED, media_type_of
from orchestrator.registry.session import POLICY, Call, Session
from orchestrator.registry.wire import LIMITS, Answer, Limits, Traffic

_ACCEPT = (("Accept", ACCEPTED),)
T = TypeVar("T")


class RegistryClient:
    """A store for every registry that references name. Safe for threads; `warn` hears what people should know."""

    def __init__(
        self,
        settings: Iterable[RegistrySettings],
        environment: Mapping[str, str],
        *,
        warn: Callable[[str], None] = lambda _: None,
        limits: Limits = LIMITS,
        policy: RetryPolicy = POLICY,
        clock: Clock = CLOCK,
    ) -> None:
        self._hosts = Hosts(settings)
        self._warn = warn
        self._limits = limits
        self._http = Http(self._hosts, environment, limits=limits, clock=clock)
        self._session = Session(self._http, Authorizer(self._http, Credentials(environment, warn)), policy)
        self.asks_mirrors = True
        self._silent_mirrors: set[str] = set()
        self._answered_mirrors: set[str] = set()

    @property
    def traffic(self) -> Traffic:
        """Requests and bytes of bodies so far, over all hosts."""
        return self._http.traffic

    @property
    def mirrors_used(self) -> tuple[str, ...]:
        """The mirrors that answered in the place of a registry."""
        return tuple(sorted(self._answered_mirrors))

    def without_mirrors(self) -> RegistryClient:
        """The same client, with its connections and counts, for looking at what was just written."""
        client = copy(self)
        client.asks_mirrors = False
        return client

    def close(self) -> None:
        """Close all idle connections."""
        self._http.close()

    # Reading: the Store protocol

    def resolve(self, reference: Reference) -> Descriptor:
        """Digest, size and media type by HEAD; by GET where the registry's HEAD does not tell the digest."""
        reference = reference.or_latest
        return self._first(reference, lambda endpoint: self._resolve(endpoint, reference))

    def manifest(self, reference: Reference) -> Document:
        """A manifest or index, proven by its bytes; at most 4 MiB, as distribution-spec lets registries expect."""
        reference = reference.or_latest
        return self._first(reference, lambda endpoint: self._manifest(endpoint, reference))

    def blob_size(self, repository: Reference, digest: str) -> int:
        """The size of a blob in bytes by HEAD; NotFoundError where there is none."""
        return self._first(repository, lambda endpoint: self._blob_size(endpoint, repository, digest))

    def blob(self, repository: Reference, digest: str) -> AbstractContextManager[BinaryIO]:
        """A blob's bytes, continued by Range when the connection breaks off; the caller checks the digest."""
        return self._first(
            repository, lambda endpoint: Blob(self._session, self._blob_call(endpoint, repository, digest))
        )

    def _resolve(self, endpoint: Endpoint, reference: Reference) -> Descriptor:
        try:
            answer = self._session.answer(self._manifest_call(endpoint, reference, "HEAD"))
        except RegistryError as error:
            if error.status not in {400, 405, 501}:
                raise
            return self._resolve_by_get(endpoint, reference)
        digest, media_type = answer.header("docker-content-digest"), plain_type(answer.header("content-type"))
        if not is_digest(digest) or not media_type:
            return self._resolve_by_get(endpoint, reference)
        if reference.digest and is_computable(digest) and _algorithm(digest) == _algorithm(reference.digest):
            _require_same(reference, digest)
        length = answer.header("content-length")
        size = int(length) if length.isascii() and length.isdigit() else -1
        return Descriptor(media_type, reference.digest or digest, size)

    def _resolve_by_get(self, endpoint: Endpoint, reference: Reference) -> Descriptor:
        document = self._manifest(endpoint, reference)
        return Descriptor(document.media_type, document.digest, len(document.content))

    def _manifest(self, endpoint: Endpoint, reference: Reference) -> Document:
        call = self._manifest_call(endpoint, reference, "GET")
        answer = self._session.answer(call, self._limits.manifest)
        media_type = media_type_of(answer.content, plain_type(answer.header("content-type")))
        digest = _proven_digest(reference, answer)
        return Document(media_type, answer.content, digest)

    def _manifest_call(self, endpoint: Endpoint, reference: Reference, method: str) -> Call:
        path = f"{reference.repository}/manifests/{reference.digest or reference.tag}"
        return Call(_need(endpoint, reference), str(reference), method, path, _ACCEPT)

    def _blob_size(self, endpoint: Endpoint, repository: Reference, digest: str) -> int:
        answer = self._session.answer(self._blob_call(endpoint, repository, digest, "HEAD"))
        length = answer.header("content-length")
        if not (length.isascii() and length.isdigit()):
            with Blob(self._session, self._blob_call(endpoint, repository, digest)) as blob:
                return blob.length
        return int(length)

    def _blob_call(self, endpoint: Endpoint, repository: Reference, digest: str, method: str = "GET") -> Call:
        if not is_digest(digest):
            raise NotFoundError(f"{digest!r} is not a digest; no blob of {repository.name} has it")
        what = f"the blob {digest} of {repository.name}"
        return Call(_need(endpoint, repository), what, method, f"{repository.repository}/blobs/{digest}")

    def _first(self, reference: Reference, action: Callable[[Endpoint], T]) -> T:
        """What the first mirror that can answers, else the registry itself."""
        mirrors = self._hosts.mirrors(reference.registry) if self.asks_mirrors else ()
        for mirror in mirrors:
            if mirror.authority in self._silent_mirrors:
                continue
            try:
                found = action(mirror)
            except NotFoundError:
                continue
            except MabuildError as error:
                self._silent_mirrors.add(mirror.authority)
                self._warn(f"{error}; {mirror.host} is no longer asked in the place of {reference.registry}")
                continue
            self._answered_mirrors.add(mirror.authority)
            return found
        return action(self._hosts.endpoint(reference.registry))

    # Lists: never from a mirror, which may be behind

    def tags(self, repository: Reference) -> tuple[str, ...]:
        """All tags of a repository, page by page."""
        return listing.tags(self._session, _need(self._hosts.endpoint(repository.registry), repository))

    def referrers(self, repository: Reference, digest: str) -> tuple[Descriptor, ...]:
        """What refers to a manifest as its subject, by the referrers API or the tag schema that stands in for it."""
        need = _need(self._hosts.endpoint(repository.registry), repository)
        found = listing.referrers(self._session, need, digest)
        if found is None:
            return listing.tagged_referrers(self, repository, digest)
        return found

    # Writing: the WritableStore protocol and what it needs

    def put_manifest(self, reference: Reference, document: Document) -> str:
        """Put a manifest or index at a tag or digest; gives the digest after the registry confirmed it."""
        reference = reference.or_latest
        name = reference.tag or reference.digest
        if reference.digest:
            require_digest(reference.digest, document.content, f"what is to be put at {reference}")
        path = f"{reference.repository}/manifests/{name}"
        headers = (("Content-Type", document.media_type),)
        call = Call(self._write_need(reference), str(reference), "PUT", path, headers, document.content)
        answer = self._session.answer(call)
        confirmed = answer.header("docker-content-digest")
        if not is_digest(confirmed):
            confirmed = self._resolve(
                self._hosts.endpoint(reference.registry), reference.with_digest(document.digest)
            ).digest
        if confirmed != digest_like(confirmed, document.content):
            raise DigestError(f"{reference.registry} stored {reference} as {confirmed} instead of {document.digest}")
        return document.digest

    def delete_manifest(self, reference: Reference) -> None:
        """Delete a manifest by digest (and with it its tags), or a tag where the registry can do that."""
        path = f"{reference.repository}/manifests/{reference.digest or reference.tag}"
        need = Need(self._hosts.endpoint(reference.registry), reference.repository, "delete")
        self._session.answer(Call(need, str(reference), "DELETE", path))

    def has_blob(self, repository: Reference, digest: str) -> bool:
        """Whether the repository itself has a blob; no mirror is asked."""
        try:
            self._blob_size(self._hosts.endpoint(repository.registry), repository, digest)
        except NotFoundError:
            return False
        return True

    def put_blob(self, repository: Reference, content: bytes) -> str:
        """Upload bytes as a blob unless it is there, and give their digest."""
        digest = sha256(content)
        if not self.has_blob(repository, digest):
            upload.upload(self._session, self._write_need(repository), content, digest)
        return digest

    def put_file(self, repository: Reference, path: Path, digest: str) -> None:
        """Upload a file as the blob of a digest unless it is there; the registry checks the digest."""
        if not self.has_blob(repository, digest):
            upload.upload(self._session, self._write_need(repository), path, digest)

    def mount_blob(self, repository: Reference, digest: str, source: Reference) -> bool:
        """Take a blob over from another repository of the same registry; whether the registry did."""
        endpoint = self._hosts.endpoint(repository.registry)
        need = Need(endpoint, repository.repository, "pull,push", (source.repository,))
        return upload.mount(self._session, need, digest, source.repository)

    def _write_need(self, reference: Reference) -> Need:
        return Need(self._hosts.endpoint(reference.registry), reference.repository, "pull,push")


def _need(endpoint: Endpoint, reference: Reference) -> Need:
    return Need(endpoint, f"{endpoint.prefix}{reference.repository}")


def _proven_digest(reference: Reference, answer: Answer) -> str:
    """The digest of an answer's bytes, held to what was asked for and to what the registry announces."""
    content = answer.content
    if reference.digest:
        require_digest(reference.digest, content, str(reference))
        return reference.digest
    announced = answer.header("docker-content-digest")
    if is_digest(announced) and is_computable(announced):
        require_digest(announced, content, str(reference))
    return sha256(content)


def _require_same(reference: Reference, digest: str) -> None:
    if digest != reference.digest:
        raise DigestError(f"{reference.registry} has {digest} where {reference} was asked for")


def _algorithm(digest: str) -> str:
    return digest.partition(":")[0]
