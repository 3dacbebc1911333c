"""The checks of `mabuild verify`: one file each, listed once here."""

from typing import Final

from orchestrator.verifying.check import Check
from orchestrator.verifying.checks.attestation_dangling import attestation_dangling
from orchestrator.verifying.checks.attestation_parity import attestation_parity
from orchestrator.verifying.checks.attestation_subject_mismatch import attestation_subject_mismatch
from orchestrator.verifying.checks.blob_missing import blob_missing
from orchestrator.verifying.checks.config_platform_mismatch import config_platform_mismatch
from orchestrator.verifying.checks.digest_mismatch import digest_mismatch
from orchestrator.verifying.checks.entry_without_platform import entry_without_platform
from orchestrator.verifying.checks.manifest_missing import manifest_missing
from orchestrator.verifying.checks.media_type_mismatch import media_type_mismatch
from orchestrator.verifying.checks.nested_list import nested_list
from orchestrator.verifying.checks.not_a_list import not_a_list
from orchestrator.verifying.checks.platform_duplicate import platform_duplicate
from orchestrator.verifying.checks.platform_missing import platform_missing
from orchestrator.verifying.checks.platform_name import platform_name
from orchestrator.verifying.checks.platform_unexpected import platform_unexpected
from orchestrator.verifying.checks.size_mismatch import size_mismatch
from orchestrator.verifying.checks.tag_moved import tag_moved

CHECKS: Final[tuple[Check, ...]] = (
    platform_missing,
    platform_unexpected,
    platform_duplicate,
    entry_without_platform,
    not_a_list,
    platform_name,
    nested_list,
    manifest_missing,
    digest_mismatch,
    size_mismatch,
    media_type_mismatch,
    blob_missing,
    config_platform_mismatch,
    attestation_dangling,
    attestation_subject_mismatch,
    attestation_parity,
    tag_moved,
)
