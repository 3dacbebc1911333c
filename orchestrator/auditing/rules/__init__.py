"""All rules. Of two that report the same place the one that stands first wins: specific ones before general ones."""

from typing import Final

from orchestrator.auditing.rule import Rule
from orchestrator.auditing.rules.architecture_argument_default import architecture_argument_default
from orchestrator.auditing.rules.architecture_constant import architecture_constant
from orchestrator.auditing.rules.architecture_map_incomplete import architecture_map_incomplete
from orchestrator.auditing.rules.architecture_map_wrong import architecture_map_wrong
from orchestrator.auditing.rules.architecture_specific_image import architecture_specific_image
from orchestrator.auditing.rules.base_lacks_platform import base_lacks_platform
from orchestrator.auditing.rules.build_output_path import build_output_path
from orchestrator.auditing.rules.build_platform_argument_default import build_platform_argument_default
from orchestrator.auditing.rules.checksum_of_one_architecture import checksum_of_one_architecture
from orchestrator.auditing.rules.cmake_processor import cmake_processor
from orchestrator.auditing.rules.conda_installer import conda_installer
from orchestrator.auditing.rules.configure_host import configure_host
from orchestrator.auditing.rules.copied_binary_architecture import copied_binary_architecture
from orchestrator.auditing.rules.copied_emulator import copied_emulator
from orchestrator.auditing.rules.dotnet_runtime import dotnet_runtime
from orchestrator.auditing.rules.download_architecture import download_architecture
from orchestrator.auditing.rules.download_architecture_implied import download_architecture_implied
from orchestrator.auditing.rules.final_stage_on_build_platform import final_stage_on_build_platform
from orchestrator.auditing.rules.foreign_architecture import foreign_architecture
from orchestrator.auditing.rules.from_platform_argument_default import from_platform_argument_default
from orchestrator.auditing.rules.from_platform_constant import from_platform_constant
from orchestrator.auditing.rules.go_architecture import go_architecture
from orchestrator.auditing.rules.java_home import java_home
from orchestrator.auditing.rules.kernel_or_assembler_architecture import kernel_or_assembler_architecture
from orchestrator.auditing.rules.library_path import library_path
from orchestrator.auditing.rules.llvm_targets import llvm_targets
from orchestrator.auditing.rules.loader_path import loader_path
from orchestrator.auditing.rules.native_build_on_build_platform import native_build_on_build_platform
from orchestrator.auditing.rules.npm_platform_package import npm_platform_package
from orchestrator.auditing.rules.package_file_architecture import package_file_architecture
from orchestrator.auditing.rules.package_manager_platform_flag import package_manager_platform_flag
from orchestrator.auditing.rules.package_source_architecture import package_source_architecture
from orchestrator.auditing.rules.package_suffix import package_suffix
from orchestrator.auditing.rules.platform_argument_default import platform_argument_default
from orchestrator.auditing.rules.platform_argument_undeclared import platform_argument_undeclared
from orchestrator.auditing.rules.platform_on_stage_reference import platform_on_stage_reference
from orchestrator.auditing.rules.probe_on_build_platform import probe_on_build_platform
from orchestrator.auditing.rules.redundant_target_platform import redundant_target_platform
from orchestrator.auditing.rules.repository_path_architecture import repository_path_architecture
from orchestrator.auditing.rules.rust_target import rust_target
from orchestrator.auditing.rules.single_platform_digest import single_platform_digest
from orchestrator.auditing.rules.toolchain_host import toolchain_host
from orchestrator.auditing.rules.tuned_to_the_build_machine import tuned_to_the_build_machine
from orchestrator.auditing.rules.vendor_library_directory import vendor_library_directory
from orchestrator.auditing.rules.vendor_name_mismatch import vendor_name_mismatch
from orchestrator.auditing.rules.wheel_architecture import wheel_architecture
from orchestrator.auditing.rules.x86_flags import x86_flags
from orchestrator.auditing.rules.x86_only_package import x86_only_package
from orchestrator.auditing.rules.zig_target import zig_target

RULES: Final[tuple[Rule, ...]] = (
    from_platform_constant,
    from_platform_argument_default,
    final_stage_on_build_platform,
    native_build_on_build_platform,
    architecture_specific_image,
    single_platform_digest,
    base_lacks_platform,
    redundant_target_platform,
    platform_on_stage_reference,
    platform_argument_default,
    build_platform_argument_default,
    platform_argument_undeclared,
    architecture_argument_default,
    probe_on_build_platform,
    foreign_architecture,
    architecture_map_wrong,
    package_source_architecture,
    wheel_architecture,
    package_manager_platform_flag,
    conda_installer,
    dotnet_runtime,
    npm_platform_package,
    repository_path_architecture,
    toolchain_host,
    package_file_architecture,
    package_suffix,
    x86_only_package,
    go_architecture,
    rust_target,
    zig_target,
    configure_host,
    llvm_targets,
    cmake_processor,
    kernel_or_assembler_architecture,
    x86_flags,
    tuned_to_the_build_machine,
    loader_path,
    library_path,
    java_home,
    checksum_of_one_architecture,
    copied_emulator,
    download_architecture,
    download_architecture_implied,
    vendor_library_directory,
    build_output_path,
    copied_binary_architecture,
    architecture_constant,
    architecture_map_incomplete,
    vendor_name_mismatch,
)
