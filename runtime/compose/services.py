"""One container for each party, and one for the report: what both ways of starting them share."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

from collude.common.ids import ANALYST, Role, role_of
from collude.common.scenario import Scenario
from collude.runtime.compose.topology import Topology, alias, command_of

Image = Literal["party", "trainer"]
"""A target of the Dockerfile; only `trainer` has torch."""

CONFIG, STATE, TEMPORARY = "/etc/collude", "/var/lib/collude", "/tmp"  # noqa: S108 -- in a container
SITE = "/site"
PARTY_FILE = f"{CONFIG}/party.toml"
REPORT = "report"
USER = 10001
"""User and group that own nothing else; the images run as it unless they are told otherwise."""

HEALTH_EVERY_S = 2
HEALTH = ("python", "-I", "-m", "collude.runtime.compose.health", PARTY_FILE)
STOP_S = 5

_MIB = 2**20
MEMORY: Mapping[Image, int] = {"party": 1024 * _MIB, "trainer": 4096 * _MIB}
PIDS = 256


@dataclass(frozen=True, slots=True)
class Mount:
    """A folder of the site inside a container. `source` is relative to the site."""

    source: str
    target: str
    read_only: bool = False


@dataclass(frozen=True, slots=True)
class Service:
    """One container.

    Attributes:
        name: of the party, and the host name under which others reach it.
        image: which of the images.
        command: what runs in it.
        networks: network -> further names of the container there.
        mounts: what it sees of the site.
        waits_for: services that must be healthy before it starts.
        serves: it has a port, so its health can be asked for.
    """

    name: str
    image: Image
    command: tuple[str, ...]
    networks: Mapping[str, tuple[str, ...]]
    mounts: tuple[Mount, ...]
    waits_for: tuple[str, ...] = ()
    serves: bool = False

    @property
    def memory(self) -> int:
        """Return the most memory that it may take, in bytes."""
        return MEMORY[self.image]


@dataclass(frozen=True, slots=True)
class Plan:
    """All containers of a site and the networks between them.

    Attributes:
        services: in the order of starting.
        networks: network -> its range of addresses, or None where the engine chooses.
        user: `uid:gid` that owns the site's files and runs every container.
    """

    services: tuple[Service, ...]
    networks: Mapping[str, str | None]
    user: str = field(default=f"{USER}:{USER}")


def party_services(scenario: Scenario, topology: Topology) -> Iterator[Service]:
    """Yield the container of each party."""
    for party in topology.parties:
        yield Service(
            name=party,
            image="trainer" if _trains(scenario, party) else "party",
            command=("collude", command_of(topology, party), "--config", PARTY_FILE),
            networks={net: (alias(party, net),) for net in topology.networks_of(party)},
            mounts=(
                Mount(f"parties/{party}/config", CONFIG, read_only=True),
                Mount(f"parties/{party}/state", STATE),
            ),
            waits_for=tuple(topology.peers(party)),
            serves=bool(topology.listens(party)),
        )


def report_service() -> Service:
    """Return the container that waits until the parties have ended, and writes the report.

    It reads what every party left, as whoever made the site can; it is on no network.
    """
    return Service(
        name=REPORT,
        image="trainer",
        command=("sh", "-c", f"cd {SITE} && exec collude collect . --wait"),
        networks={},
        mounts=(Mount(".", SITE),),
    )


def can_report(scenario: Scenario) -> bool:
    """Return whether the report can be written in a container: it needs nothing but the site.

    In a deployment nobody shall see what all the parties hold.
    """
    from_host = scenario.data.path or scenario.auditor.model or scenario.auditor.name == "onnx-face"
    return scenario.simulated and not from_host


def _trains(scenario: Scenario, party: str) -> bool:
    """Return whether a party needs torch: the analyst, and everybody where nothing is uploaded."""
    if party == ANALYST:
        return True
    alone = not scenario.mechanism.traits.uploads
    return alone and role_of(party) is Role.PARTICIPANT
