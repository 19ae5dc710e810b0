"""The compose file of a plan, in the part of the format that Compose v2 and 1.29.2 both read."""

from typing import Any

import yaml

from collude.common.errors import ScenarioInvalid
from collude.runtime.compose.images import Images
from collude.runtime.compose.layout import COMPOSE
from collude.runtime.compose.services import (
    HEALTH,
    HEALTH_EVERY_S,
    PIDS,
    STOP_S,
    TEMPORARY,
    Plan,
    Service,
)

HEADER = """\
# Made by `collude compose`. In this folder:
#
#     docker compose up      starts all parties; ends when all have ended
#     docker compose ps -a   how each ended: 0 fine, 2 bad input, 3 it failed or was refused,
#                            130 it was asked to stop, 137 it was killed
#     docker compose down    takes containers and networks away
#
# The report is then run/report.html. A site is for one run: make another for the next.
"""

TEMPORARY_OPTIONS = "size=64m,noexec,nosuid,nodev"
SECURITY = ["no-new-privileges:true"]
LOGGING = {"driver": "json-file", "options": {"max-size": "10m", "max-file": "2"}}
"""What a party says takes no more of the disk than this; its JSON log is in its own folder."""
IPC = "none"
"""No shared memory with anybody, and no /dev/shm to write to."""
SYSCTLS = {"net.ipv4.ip_forward": "0"}
"""A party on several networks is no way from one to another."""

Document = dict[str, Any]


def compose_document(plan: Plan, images: Images) -> Document:
    """Return the compose file's content."""
    return {
        "services": {each.name: _service(each, plan, images) for each in plan.services},
        "networks": {name: _network(subnet) for name, subnet in plan.networks.items()},
    }


class _Plain(yaml.SafeDumper):  # type: ignore[misc]  # PyYAML has no types
    """Writes equal values out: references between them make a file hard to read and to change."""

    def ignore_aliases(self, _data: object) -> bool:
        """Say yes for everything."""
        return True


def compose_text(document: Document) -> str:
    """Return the compose file."""
    text = yaml.dump(document, Dumper=_Plain, sort_keys=False, width=100, default_flow_style=False)
    return f"{HEADER}{text}"


def parse_compose(text: str, origin: str = COMPOSE) -> Document:
    """Return what a compose file holds.

    Raises:
        ScenarioInvalid: it is no YAML, or holds no table.
    """
    try:
        found = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise ScenarioInvalid(f"{origin}: not YAML", field="compose file", got=error) from error
    if not isinstance(found, dict):
        raise ScenarioInvalid(f"{origin}: holds no table", field="compose file")
    return found


def health_times() -> dict[str, int]:
    """Return seconds between questions, for one answer, and until a failure counts; and how many.

    A party that never answers is unhealthy after a minute, and those who wait for it are told.
    """
    return {"interval": HEALTH_EVERY_S, "timeout": 5, "start_period": 60, "retries": 5}


def _service(service: Service, plan: Plan, images: Images) -> Document:
    made: Document = {
        "image": images.name(service.image),
        "build": {
            "context": str(images.context),
            "target": service.image,
            "args": {"BASE": images.base, "VERSION": images.tag},
        },
        "command": list(service.command),
        "user": plan.user,
        "read_only": True,
        "tmpfs": [f"{TEMPORARY}:{TEMPORARY_OPTIONS}"],
        "cap_drop": ["ALL"],
        "security_opt": SECURITY,
        "ipc": IPC,
        "mem_limit": service.memory,
        "pids_limit": PIDS,
        "logging": LOGGING,
        "stop_grace_period": f"{STOP_S}s",
        "volumes": [_mount(m.source, m.target, read_only=m.read_only) for m in service.mounts],
    }
    if service.networks:
        # The host's name is on every network of its own; compose adds the service's name.
        made["hostname"] = service.name
        made["sysctls"] = SYSCTLS
        made["networks"] = {net: {"aliases": list(a)} for net, a in service.networks.items()}
    else:
        made["network_mode"] = "none"
    if service.serves:
        made["healthcheck"] = _health()
    if service.waits_for:
        made["depends_on"] = {name: {"condition": "service_healthy"} for name in service.waits_for}
    return made


def _mount(source: str, target: str, *, read_only: bool) -> str:
    return f"./{source}:{target}{':ro' if read_only else ''}"


def _health() -> Document:
    times = health_times()
    seconds = {k: f"{v}s" for k, v in times.items() if k != "retries"}
    return {"test": ["CMD", *HEALTH], **seconds, "retries": times["retries"]}


def _network(subnet: str | None) -> Document:
    made: Document = {"internal": True}
    if subnet is not None:
        made["ipam"] = {"config": [{"subnet": subnet}]}
    return made
