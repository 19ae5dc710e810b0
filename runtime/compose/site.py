"""Making a site: what every party is handed, and the compose file over it."""

import os
import shutil
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import tomli_w

from collude.common.atomic import PRIVATE, write_atomically
from collude.common.errors import RunDirectoryExists
from collude.common.scenario import Scenario
from collude.common.scenario.document import as_document
from collude.runtime.compose.document import compose_document, compose_text
from collude.runtime.compose.images import Images
from collude.runtime.compose.layout import FORMAT, INDEX, Site, is_site
from collude.runtime.compose.services import (
    STATE,
    USER,
    Plan,
    can_report,
    party_services,
    report_service,
)
from collude.runtime.compose.topology import PORTS, Subnets, Topology, topology_of
from collude.runtime.federation import Federation
from collude.runtime.json_files import write_json
from collude.runtime.party_files import PARTY, write_party_file, write_party_folders
from collude.runtime.rundir import RunDirectory

_OWNER_ONLY = 0o700


@dataclass(frozen=True, slots=True)
class SiteOptions:
    """How to make a site.

    Attributes:
        force: replace an existing site, and nothing else.
        user: `uid:gid` of the containers; None is whoever calls, or the images' own for root.
        subnets: the range that the networks are taken from; None leaves it to the engine.
        report: add the container that writes the report, where the scenario allows it.
    """

    force: bool = False
    user: str | None = None
    subnets: Subnets | None = None
    report: bool = True


def write_site(
    federation: Federation, root: Path, images: Images, options: SiteOptions | None = None
) -> Plan:
    """Make a site and return the plan of its containers.

    Args:
        federation: who takes part, with records, seeds and keys.
        root: the folder to make.
        images: what the containers run.
        options: how; None is the defaults.

    Raises:
        RunDirectoryExists: something is there already, and `force` was not given or what is
            there is no site.
        ScenarioInvalid: the range of addresses is too small.
    """
    chosen = options or SiteOptions()
    topology = topology_of(federation.scenario)
    plan = plan_of(federation.scenario, topology, chosen)
    _make_room(root, force=chosen.force)
    site = Site(root)
    _write_parties(federation, topology, site)
    write_atomically(site.scenario, _scenario_text(federation.scenario).encode(), PRIVATE)
    write_atomically(site.compose, compose_text(compose_document(plan, images)).encode())
    write_json(
        root / INDEX,
        {
            "format": FORMAT,
            "scenario": federation.scenario.scenario.name,
            "mode": federation.scenario.scenario.mode,
            "parties": list(topology.parties),
            "images": images.tag,
            "user": plan.user,
        },
    )
    _hand_over(root, plan.user)
    return plan


def plan_of(scenario: Scenario, topology: Topology, options: SiteOptions) -> Plan:
    """Return the containers and networks of a scenario.

    Raises:
        ScenarioInvalid: the range of addresses is too small.
    """
    report = (report_service(),) if options.report and can_report(scenario) else ()
    subnets = topology.subnets(options.subnets)
    return Plan(
        services=(*party_services(scenario, topology), *report),
        networks={name: subnets.get(name) for name in topology.networks},
        user=options.user or own_user(),
    )


def own_user() -> str:
    """Return `uid:gid` of whoever calls: a container then writes files that belong to them.

    root's containers run as the images' own user instead.
    """
    return f"{os.getuid()}:{os.getgid()}" if os.getuid() else f"{USER}:{USER}"


def _make_room(root: Path, *, force: bool) -> None:
    if root.exists() or root.is_symlink():
        empty = root.is_dir() and not root.is_symlink() and not any(root.iterdir())
        if not force or root.is_symlink() or not (empty or is_site(root)):
            raise RunDirectoryExists(
                "the output directory exists",
                field=str(root),
                hint="Choose another --out, or replace a site with --force",
            )
        shutil.rmtree(root)
    root.mkdir(parents=True)


def _write_parties(federation: Federation, topology: Topology, site: Site) -> None:
    everyone = RunDirectory(site.root)
    write_party_folders(federation, everyone)
    for party in topology.parties:
        path = write_party_file(federation, everyone, party, topology.peers(party))
        document = tomllib.loads(path.read_text(encoding="utf-8"))
        document["party"] = _in_a_container(document["party"], topology, party)
        path.write_text(tomli_w.dumps(document), encoding="utf-8")
        _split(site, party, set(_named(document)))
    for folder in (site.root / "parties").iterdir():
        if folder.name not in topology.parties:  # in the roster, but without a part in this run
            shutil.rmtree(folder)


def _in_a_container(section: dict[str, Any], topology: Topology, party: str) -> dict[str, Any]:
    """Return the section `party` of a party file, with a container's paths and addresses."""
    outside = {"transcript_dir", "log_file", *PORTS}
    inside = {key: value for key, value in section.items() if key not in outside}
    if party in topology.colluders:
        # Nobody asks it in this run, but it opens its port; the loopback is nobody else's.
        inside["listen"] = f"127.0.0.1:{PORTS['listen']}"
    return inside | {"state_dir": STATE} | dict(topology.listens(party))


def _named(document: dict[str, Any]) -> Iterator[str]:
    """Yield every string in a party file: those that are files beside it are handed read-only."""
    for section in document.values():
        for value in section.values():
            if isinstance(value, str):
                yield value


def _split(site: Site, party: str, named: set[str]) -> None:
    """Put what the party file names into `config`, the rest where the party finds its own."""
    folder = site.root / "parties" / party
    files = [path for path in folder.iterdir() if path.is_file()]
    for made in (folder, site.config(party), site.state(party)):
        made.mkdir(mode=_OWNER_ONLY, exist_ok=True)
        made.chmod(_OWNER_ONLY)
    for path in files:
        handed = path.name == PARTY or path.name in named
        target = site.config(party) if handed else site.state(party)
        path.chmod(PRIVATE)
        path.rename(target / path.name)


def _scenario_text(scenario: Scenario) -> str:
    """Return the scenario, its files by their full paths."""
    document = as_document(scenario)
    for section, key in (("data", "path"), ("auditor", "model")):
        table = cast("dict[str, Any]", document[section])
        if table.get(key):
            table[key] = str(Path(table[key]).absolute())
    return tomli_w.dumps(document)


def _hand_over(root: Path, user: str) -> None:
    """Give everything to the user that the containers run as, if that is somebody else."""
    uid, _, gid = user.partition(":")
    if os.getuid() or int(uid) == os.getuid():
        return
    for path in (root, *root.rglob("*")):
        os.chown(path, int(uid), int(gid or uid), follow_symlinks=False)
