"""What the vendor table says of a download, in words."""

from __future__ import annotations

from orchestrator.auditing.architectures import ARM64
from orchestrator.auditing.mention import Mention
from orchestrator.auditing.vendors.table import Vendor, vendor_of


def vendor_sentence(mention: Mention) -> tuple[Vendor | None, str]:
    """The vendor of the address, and whether it has a file for the other architecture; empty where nobody knows."""
    vendor = vendor_of(mention.value)
    wanted = mention.wrong_on[0].architecture
    if vendor is None:
        return None, ""
    names = vendor.names(wanted)
    if not names:
        known = f"no {wanted} file of {vendor.name} is known" if wanted == ARM64 else ""
        return vendor, f"; {known} (looked up {vendor.checked})" if known else ""
    called = " or ".join(f"'{name}'" if name else "without a name" for name in names)
    since = f" since {vendor.since}" if vendor.since else ""
    return vendor, f"; {vendor.name} has {wanted} files{since}, called {called}"
