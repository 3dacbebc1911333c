"""The kinds of nodes that buildx knows; a new one is a file here and a line in this table."""

from typing import Final

from orchestrator.buildx.drivers import docker, docker_container, kubernetes, remote
from orchestrator.buildx.drivers.driver import Driver

DRIVERS: Final[dict[str, Driver]] = {
    driver.name: driver for driver in (docker.DRIVER, docker_container.DRIVER, remote.DRIVER, kubernetes.DRIVER)
}
