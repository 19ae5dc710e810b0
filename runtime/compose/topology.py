"""Who takes part, who serves what, who calls whom: everything else about a site follows from it."""

import ipaddress
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from collude.common.errors import ScenarioInvalid
from collude.common.ids import ANALYST, ATTACKER, COORDINATOR, Role, role_of
from collude.common.scenario import Scenario

Field = Literal["listen", "disclosure_listen"]
"""The key of the party file that says where a port is."""

PORTS: Mapping[Field, int] = {"listen": 7400, "disclosure_listen": 7401}
"""Ports inside containers; every container has all of them to itself."""

Subnets = ipaddress.IPv4Network
LARGE_SITE = 24
"""With more networks than this the engine's own address pools may run out (31 by default)."""
OWN_SUBNETS = Subnets("10.213.0.0/16")
_PREFIX = 28


@dataclass(frozen=True, slots=True)
class Link:
    """One party calls another, on a network that both are on.

    Attributes:
        caller: who opens the connection.
        callee: who serves.
        field: the port of the callee, by its key in the party file.
        network: where.
    """

    caller: str
    callee: str
    field: Field
    network: str


@dataclass(frozen=True, slots=True)
class Topology:
    """The parties of a site, in the order in which they are started, and every link.

    Two parties share a network only if a link says so, and a party serves a port only on the
    networks of the links to it.

    Attributes:
        parties: names.
        colluders: those of them that disclose.
        links: who may call whom; there is no other way from one party to another.
    """

    parties: tuple[str, ...]
    colluders: frozenset[str]
    links: tuple[Link, ...]

    @property
    def networks(self) -> dict[str, tuple[str, ...]]:
        """Return network -> the parties on it."""
        members: dict[str, dict[str, None]] = {}
        for link in self.links:
            members.setdefault(link.network, {}).update({link.caller: None, link.callee: None})
        return {network: tuple(names) for network, names in members.items()}

    def networks_of(self, party: str) -> tuple[str, ...]:
        """Return the networks that a party is on."""
        return tuple(net for net, members in self.networks.items() if party in members)

    def peers(self, party: str) -> dict[str, str]:
        """Return whom a party calls -> `host:port`, the host being the other's service name."""
        return {
            link.callee: f"{link.callee}:{PORTS[link.field]}"
            for link in self.links
            if link.caller == party
        }

    def listens(self, party: str) -> dict[Field, str]:
        """Return key of the party file -> where the party serves, one address for each network."""
        found: dict[Field, dict[str, None]] = {}
        for link in self.links:
            if link.callee == party:
                address = f"{alias(party, link.network)}:{PORTS[link.field]}"
                found.setdefault(link.field, {})[address] = None
        return {field: ",".join(addresses) for field, addresses in found.items()}

    def reaches(self, party: str) -> frozenset[str]:
        """Return the other parties on any network of a party."""
        around = {
            name for members in self.networks.values() if party in members for name in members
        }
        return frozenset(around - {party})

    def subnets(self, pool: Subnets | None = None) -> dict[str, str]:
        """Return network -> its own range of addresses; empty where the engine may choose.

        Args:
            pool: where to take them from; None leaves small sites to the engine.

        Raises:
            ScenarioInvalid: the pool has no room for so many networks.
        """
        names = list(self.networks)
        if pool is None and len(names) <= LARGE_SITE:
            return {}
        chosen = pool or OWN_SUBNETS
        room = 2 ** max(0, _PREFIX - chosen.prefixlen)
        if chosen.prefixlen > _PREFIX or room < len(names):
            raise ScenarioInvalid(
                "the range of addresses is too small for the networks of this site",
                field="--subnets",
                expected=f"room for {len(names)} networks of {2 ** (32 - _PREFIX)} addresses",
                got=str(chosen),
            )
        ranges = zip(names, chosen.subnets(new_prefix=_PREFIX), strict=False)
        return {name: str(subnet) for name, subnet in ranges}


def alias(party: str, network: str) -> str:
    """Return the name that stands for a party's address on one network, for itself to bind to."""
    return f"{party}.{network}"


def command_of(topology: Topology, party: str) -> str:
    """Return the `collude` command that runs a party."""
    if party in topology.colluders:
        return "colluder"
    return role_of(party).value


def topology_of(scenario: Scenario) -> Topology:
    """Return the topology of a scenario."""
    servers = _servers(scenario)
    attacked = _is_attacked(scenario)
    told = _tellers(scenario) if attacked else ()
    parties = (*servers, *scenario.participants, *((ATTACKER,) if attacked else ()))
    return Topology(
        parties=parties,
        colluders=frozenset(scenario.collusion.colluders),
        links=(*_mail(servers, scenario.participants), *_disclosures(told)),
    )


def _servers(scenario: Scenario) -> tuple[str, ...]:
    """Return those who serve mail to all participants; answers about persons need no analyst."""
    coordinator = (COORDINATOR,) if scenario.codef.enabled else ()
    analyst = () if scenario.releases else (ANALYST,)
    return (*coordinator, *analyst)


def _is_attacked(scenario: Scenario) -> bool:
    if scenario.releases:
        return bool(scenario.collusion.attacks)
    wanted = bool(scenario.collusion.attacks) and scenario.discloses
    return wanted and scenario.mechanism.traits.uploads


def _tellers(scenario: Scenario) -> tuple[str, ...]:
    """Return whom the attacker calls: those who disclose, or all who answer about persons."""
    if scenario.releases:
        return scenario.participants
    return (ANALYST, *scenario.collusion.colluders)


def _mail(servers: Sequence[str], participants: Sequence[str]) -> Iterator[Link]:
    for participant in participants:
        for server in servers:
            yield Link(participant, server, "listen", f"with-{participant}")


def _disclosures(told: Sequence[str]) -> Iterator[Link]:
    for party in told:
        field: Field = "listen" if role_of(party) is Role.PARTICIPANT else "disclosure_listen"
        yield Link(ATTACKER, party, field, f"tells-{party}")
