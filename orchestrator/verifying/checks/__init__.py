"""The checks of `mabuild verify`: one file each, listed once here."""

from typing import Final

from orchestrator.verifying.check import Check
from orchestrator.verifying.checks.attestation_dangling import attestation_dangling
from orchestrator.verifying.checks.attestation_parity import attestation_parity
from orchestrator.verifying.checks.attestation_subject_mismatch import attestation_subject_mismatch
from orchestrator.verifying.checks.base_of_other_platform import base_of_other_platform
from orchestrator.verifying.checks.blob_missing import blob_missing
from orchestrator.verifying.checks.built_under_emulation import built_under_emulation
from orchestrator.verifying.checks.config_parity import config_parity
from orchestrator.verifying.checks.config_platform_mismatch import config_platform_mismatch
from orchestrator.verifying.checks.digest_mismatch import digest_mismatch
from orchestrator.verifying.checks.entry_without_platform import entry_without_platform
from orchestrator.verifying.checks.entrypoint_architecture import entrypoint_architecture
from orchestrator.verifying.checks.entrypoint_missing import entrypoint_missing
from orchestrator.verifying.checks.file_architecture import file_architecture
from orchestrator.verifying.checks.files_differ import files_differ
from orchestrator.verifying.checks.instruction_set_level import instruction_set_level
from orchestrator.verifying.checks.interpreter_missing import interpreter_missing
from orchestrator.verifying.checks.layer_count_or_diff_id import layer_count_or_diff_id
from orchestrator.verifying.checks.layer_digest_mismatch import layer_digest_mismatch
from orchestrator.verifying.checks.library_missing import library_missing
from orchestrator.verifying.checks.manifest_missing import manifest_missing
from orchestrator.verifying.checks.media_type_mismatch import media_type_mismatch
from orchestrator.verifying.checks.media_type_risk import media_type_risk
from orchestrator.verifying.checks.nested_list import nested_list
from orchestrator.verifying.checks.not_a_list import not_a_list
from orchestrator.verifying.checks.package_database_architecture import package_database_architecture
from orchestrator.verifying.checks.platform_duplicate import platform_duplicate
from orchestrator.verifying.checks.platform_missing import platform_missing
from orchestrator.verifying.checks.platform_name import platform_name
from orchestrator.verifying.checks.platform_unexpected import platform_unexpected
from orchestrator.verifying.checks.run_failed import run_failed
from orchestrator.verifying.checks.run_proves_nothing import run_proves_nothing
from orchestrator.verifying.checks.same_content import same_content
from orchestrator.verifying.checks.size_mismatch import size_mismatch
from orchestrator.verifying.checks.size_outlier import size_outlier
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
    layer_digest_mismatch,
    layer_count_or_diff_id,
    media_type_risk,
    config_platform_mismatch,
    same_content,
    base_of_other_platform,
    built_under_emulation,
    entrypoint_architecture,
    file_architecture,
    interpreter_missing,
    entrypoint_missing,
    instruction_set_level,
    package_database_architecture,
    library_missing,
    attestation_dangling,
    attestation_subject_mismatch,
    attestation_parity,
    config_parity,
    files_differ,
    size_outlier,
    run_failed,
    run_proves_nothing,
    tag_moved,
)
