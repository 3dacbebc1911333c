"""Brings the lab up: looks at what is there, does only what is missing, and says each thing that it did."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from lab import bases, emulator
from lab.busybox import busybox_layers
from lab.debian import Apt, Package, available, foreign_architecture, is_root
from lab.engine import existing_engine, has_containerd_store
from lab.errors import LabError
from lab.network import Bridge
from lab.nodes import create_builder, create_container_builder, has_builder
from lab.packages import emulator_package, engine_packages, on_path, other_packages
from lab.process import run
from lab.registries import USUAL_PORT, free_port
from lab.setting import BUILDER, Decisions, Lab

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from lab.home import Home

WITHOUT_ANYTHING = """\
Either start docker (with buildx) for this user, or run this as root on Debian 12 or 13,
where the lab installs and starts an engine of its own."""

WITHOUT_EMULATOR = "register an emulator (qemu-user with binfmt_misc, flags POCF), or run this as root on Debian"


@dataclass(frozen=True, slots=True)
class Teller:
    """Says what was done and how long it took."""

    say: Callable[[str], None]

    @contextmanager
    def step(self, what: str) -> Iterator[None]:
        start = time.monotonic()
        yield
        self.say(f"lab: {what} ({time.monotonic() - start:.1f} s)")


class Packages:
    """Debian's packages, asked for only when something is missing."""

    def __init__(self, home: Home, teller: Teller) -> None:
        self.home = home
        self.teller = teller

    @cached_property
    def apt(self) -> Apt:
        if not available():
            raise LabError("this needs Debian's packages, and only root can have them here", hint=WITHOUT_ANYTHING)
        apt = Apt.prepare(self.home.apt)
        with self.teller.step("package lists fetched"):
            apt.refresh()
        return apt

    def release(self, codename: str) -> Apt:
        """Another release from the same mirror."""
        apt = self.apt.for_release(codename, self.home.root / f"apt-{codename}")
        apt.refresh()
        return apt

    def install(self, what: str, packages: tuple[Package, ...]) -> None:
        if packages:
            apt = self.apt
            with self.teller.step(f"{what} installed: {' '.join(each.name for each in packages)}"):
                apt.install(packages)


def bring_up(home: Home, say: Callable[[str], None]) -> Lab:
    """Everything, in the order in which it is needed; idempotent."""
    home.make()
    lab = Lab(home, decide(home))
    lab.save()  # so that `down` knows what to stop, however far this comes
    with ThreadPoolExecutor(max_workers=3) as pool:
        raised = raise_own if lab.decisions.own_engine else join_existing
        lab = raised(lab, Teller(say), pool)
    lab.save()
    return lab


def decide(home: Home) -> Decisions:
    """Keep earlier decisions while they hold: our engine runs, or the other one still answers."""
    try:
        known = Lab.load(home)
    except LabError:
        known = Lab(home, Decisions(port=0, own_engine=True))
    decisions = known.decisions
    if not known.registry.runs(known.engine_environment):
        decisions = replace(decisions, port=free_port(decisions.port or USUAL_PORT))
    if decisions.own_engine and known.engine.daemon.pid:
        return decisions
    if existing_engine({}):
        return replace(decisions, own_engine=False, remote=has_containerd_store({}))
    if not available():
        raise LabError("no docker with buildx answers here, and none can be installed", hint=WITHOUT_ANYTHING)
    return replace(decisions, own_engine=True, remote=True)


def raise_own(lab: Lab, teller: Teller, pool: ThreadPoolExecutor) -> Lab:
    """An engine of our own on this machine."""
    packages = Packages(lab.home, teller)
    start_registry_if_installed(lab, teller)
    provide_emulator(lab.home, packages, teller)
    making = begin_debian(lab, packages, pool)
    packages.install("engine, buildx, registry", (*engine_packages(on_path), *other_packages(on_path)))
    start_registry_if_installed(lab, teller)
    lab = start_engine(lab, teller)
    start_node(lab, teller)
    provide_small(lab, packages, teller)
    finish_debian(lab, making, teller)
    return lab


def start_registry_if_installed(lab: Lab, teller: Teller) -> None:
    if on_path("docker-registry") and not lab.registry.runs({}):
        with teller.step(f"registry started on {lab.registry.host}"):
            lab.registry.start(lab.engine_environment)


def start_engine(lab: Lab, teller: Teller) -> Lab:
    if lab.engine.daemon.pid and lab.engine.answers():
        return lab
    bridge = Bridge(lab.decisions.bridge)
    if not bridge.exists():
        bridge = Bridge.claim()
    lab = replace(lab, decisions=replace(lab.decisions, bridge=bridge.number))
    with teller.step("engine started"):
        lab.engine.daemon.stop()
        lab.engine.start()
    lab.save()
    return lab


def start_node(lab: Lab, teller: Teller) -> None:
    if not lab.node.daemon.pid:
        with teller.step("remote node started"):
            lab.node.start()
    if not has_builder(BUILDER, lab.home.buildx):
        with teller.step(f"builder {BUILDER} created"):
            create_builder(BUILDER, {f"{BUILDER}0": lab.node.endpoint}, lab.environment)


def provide_emulator(home: Home, packages: Packages, teller: Teller) -> None:
    foreign = foreign_architecture()
    if not on_path("mount"):
        packages.install("mount", (Package("mount"),))  # not essential in Debian: the smallest systems lack it
    emulator.mount_table()
    if not emulator.interpreter(foreign):  # tests register it in other ways, also where another one works already
        packages.install("emulator", (emulator_package(packages.apt.codename),))
    if emulator.ready(foreign):
        return
    with teller.step(f"emulator for {foreign} registered"):
        emulator.register(foreign)
        home.emulator.write_text(foreign)


def begin_debian(lab: Lab, packages: Packages, pool: ThreadPoolExecutor) -> tuple[bases.Debians, ...]:
    """Empty when the registry has it already."""
    if lab.registry.answers() and not bases.lacking(lab.registry.host, (bases.DEBIAN,)):
        return ()
    return (bases.Debians.begin(pool, packages.release(bases.RELEASE), lab.home.bases),)


def finish_debian(lab: Lab, making: tuple[bases.Debians, ...], teller: Teller) -> None:
    for each in making:
        with teller.step("Debian base of both platforms made and pushed"):
            bases.push_debian(lab.registry.host, each.layers(lab.home.bases))


def provide_small(lab: Lab, packages: Packages, teller: Teller) -> None:
    if bases.lacking(lab.registry.host, bases.SMALL):
        with teller.step("busybox base of both platforms made and pushed"):
            layers = busybox_layers(packages.release(bases.RELEASE), lab.home.bases)
            bases.push_small(lab.registry.host, layers)


def join_existing(lab: Lab, teller: Teller, pool: ThreadPoolExecutor) -> Lab:
    """The engine that this machine has; only what it lacks is added."""
    packages = Packages(lab.home, teller)
    if available():
        packages.install("registry", other_packages(on_path))
    if not lab.registry.runs({}):
        with teller.step(f"registry started on {lab.registry.host}"):
            lab.registry.start({})
    if f"linux/{foreign_architecture()}" not in node_platforms():
        provide_foreign_platform(lab.home, packages, teller)
    if lab.decisions.remote:
        start_node(lab, teller)
    elif not has_builder(BUILDER, lab.home.buildx):
        with teller.step(f"builder {BUILDER} created"):
            create_container_builder(BUILDER, lab.registry.host, lab.environment)
    return provide_bases_to_existing(lab, packages, teller, pool)


def provide_foreign_platform(home: Home, packages: Packages, teller: Teller) -> None:
    if not is_root():
        raise LabError(f"this engine cannot run {foreign_architecture()} programs", hint=WITHOUT_EMULATOR)
    provide_emulator(home, packages, teller)


def provide_bases_to_existing(lab: Lab, packages: Packages, teller: Teller, pool: ThreadPoolExecutor) -> Lab:
    if not bases.lacking(lab.registry.host, bases.SMALL):
        return lab
    with teller.step("public base images looked for"):
        public = bases.can_pull(lab.environment)
    if public:
        with teller.step("small base images copied"):
            bases.copy_small(lab.registry.host, lab.environment)
        return replace(lab, decisions=replace(lab.decisions, bases_made=False))
    if not available():
        raise LabError("no public registry answers, and only root can make base images", hint=WITHOUT_ANYTHING)
    making = begin_debian(lab, packages, pool)
    provide_small(lab, packages, teller)
    finish_debian(lab, making, teller)
    with teller.step("base images loaded into the engine"):
        bases.load_where_from_finds_them(lab.registry.host, {})
    return lab


def node_platforms() -> str:
    return run(["docker", "buildx", "inspect", "--bootstrap", "default"], environment={"BUILDX_BUILDER": ""})
