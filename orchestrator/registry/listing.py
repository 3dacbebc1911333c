"""Lists that registries give page by page: tags, and what refers to a manifest."""

from __future__ import annotations

import json
from dataclasses import replace
from urllib.parse import urlsplit

from orchestrator.core.image import OCI_INDEX, Descriptor, Document
from orchestrator.core.reference import Reference, is_tag
from orchestrator.registry.authorizer import Need
from orchestrator.registry.errors import MalformedError, NotFoundError, RegistryError
from orchestrator.registry.headers import next_link
from orchestrator.registry.media import parse_index
from orchestrator.registry.session import Call, Session
from orchestrator.registry.store import Store
from orchestrator.registry.wire import Answer, joined

_MOST_PAGES = 200
_PAGE = 1000


def tags(session: Session, need: Need) -> tuple[str, ...]:
    """All tags of a repository."""
    call = Call(need, f"{need.endpoint.host}/{need.repository}", "GET", f"{need.repository}/tags/list?n={_PAGE}")
    found: dict[str, None] = {}
    for answer in _pages(session, call):
        found.update(dict.fromkeys(_read_tags(answer, call.what)))
    return tuple(found)


def referrers(session: Session, need: Need, digest: str) -> tuple[Descriptor, ...] | None:
    """The entries of the referrers API; None where the registry does not have it."""
    what = f"the referrers of {digest}"
    call = Call(need, what, "GET", f"{need.repository}/referrers/{digest}", (("Accept", OCI_INDEX),))
    found: list[Descriptor] = []
    try:
        for answer in _pages(session, call):
            found += parse_index(Document.of(OCI_INDEX, answer.content)).manifests
    except NotFoundError:
        return None
    except RegistryError as error:
        if error.status != 405:
            raise
        return None
    return tuple(found)


def tagged_referrers(store: Store, repository: Reference, digest: str) -> tuple[Descriptor, ...]:
    """The entries of the index that stands at the tag made of the digest (distribution-spec, referrers tag schema)."""
    algorithm, _, value = digest.partition(":")
    tag = f"{algorithm[:32]}-{value[:64]}"
    if not is_tag(tag):
        return ()
    try:
        return parse_index(store.manifest(repository.with_tag(tag))).manifests
    except NotFoundError:
        return ()


def _pages(session: Session, call: Call) -> list[Answer]:
    answers: list[Answer] = []
    while len(answers) < _MOST_PAGES:
        answer = session.answer(call, session.http.limits.manifest)
        answers.append(answer)
        link = next_link(answer.header("link"))
        if not link:
            return answers
        url = joined(answer.url, link)
        if urlsplit(url)[:2] != urlsplit(answer.url)[:2]:
            raise RegistryError(f"{call.need.endpoint.authority} continues {call.what} at another host")
        call = replace(call, path=url)
    raise RegistryError(f"{call.what} has more than {_MOST_PAGES} pages")


def _read_tags(answer: Answer, what: str) -> list[str]:
    try:
        found = json.loads(answer.content)
    except (ValueError, RecursionError) as error:
        raise MalformedError(f"the list of tags of {what} is not JSON") from error
    names = found.get("tags") if isinstance(found, dict) else None
    return [name for name in names if isinstance(name, str) and is_tag(name)] if isinstance(names, list) else []
