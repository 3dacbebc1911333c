"""The rules on packages, in the order of their numbers; each looks at one judged package."""

from typing import Final

from orchestrator.auditing.packages.rule import PackageRule
from orchestrator.auditing.packages.rules.accelerator_only import accelerator_only
from orchestrator.auditing.packages.rules.no_distribution_for_platform import no_distribution_for_platform
from orchestrator.auditing.packages.rules.no_wheel_for_platform import no_wheel_for_platform
from orchestrator.auditing.packages.rules.node_package_without_platform import node_package_without_platform
from orchestrator.auditing.packages.rules.package_not_on_platform import package_not_on_platform

PACKAGE_RULES: Final[tuple[PackageRule, ...]] = (
    no_wheel_for_platform,
    no_distribution_for_platform,
    package_not_on_platform,
    node_package_without_platform,
    accelerator_only,
)
