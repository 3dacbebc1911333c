"""Sentences and fixes that several rules on packages share."""

from __future__ import annotations

from collections.abc import Iterable

from orchestrator.auditing.packages.known import Accelerator, accelerator_of
from orchestrator.core.finding import Edit, Fix
from orchestrator.core.packages import Availability, Ecosystem, Offer, Package


def named(package: Package) -> str:
    """A package as its manager writes it."""
    separator = "==" if package.ecosystem is Ecosystem.PYTHON else "="
    return f"{package.name}{separator}{package.version}" if package.version else package.name


def platforms(offers: Iterable[Offer]) -> str:
    """The platforms of offers, for a sentence."""
    return " and ".join(str(one.platform) for one in offers)


def reasons(offers: Iterable[Offer]) -> str:
    """Why there is no build, each reason once."""
    return "; ".join(dict.fromkeys(one.reason for one in offers if one.reason))


def unbuilt_accelerator(package: Package) -> Accelerator | None:
    """The accelerator of a Python package that some platform other than amd64 has no build of; else None."""
    if package.ecosystem is not Ecosystem.PYTHON:
        return None
    lacking = any(
        one.verdict in {Availability.NONE, Availability.SOURCE} and one.platform.architecture != "amd64"
        for one in package.offers
    )
    # The index may be that of an accelerator: then the files say so where the version does not.
    known = accelerator_of(package.name, " ".join((package.version, *(one.file for one in package.offers))))
    return known if known is not None and (lacking or _never(package, known)) else None


def _never(package: Package, known: Accelerator) -> bool:
    """Whether nobody could be asked, but the table says that there is none."""
    is_unknown = any(
        one.verdict is Availability.UNKNOWN and one.platform.architecture == "arm64" for one in package.offers
    )
    return known.arm64 == "never" and is_unknown


def newer_version(package: Package) -> Fix | None:
    """The change to the next version that is built everywhere; not safe, for other platforms get it as well."""
    place = package.remedy_place
    if not package.remedy:
        return None
    title = f"take {package.name}=={package.remedy}, the next version that is built for all platforms"
    edit = Edit(place.line, place.column, place.end_line, place.end_column, package.remedy)
    return Fix(title, (edit,) if place.line else (), safe=False)
