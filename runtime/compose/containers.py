"""The containers of one run, started and watched through the engine's API."""

import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from collude.common.errors import DeadlineExceeded, PartyFailed
from collude.runtime.compose.document import (
    IPC,
    LOGGING,
    SECURITY,
    SYSCTLS,
    TEMPORARY_OPTIONS,
    health_times,
)
from collude.runtime.compose.images import Images
from collude.runtime.compose.services import HEALTH, PIDS, STOP_S, TEMPORARY, Plan, Service

if TYPE_CHECKING:
    from docker import DockerClient
    from docker.models.containers import Container

POLL_S = 0.1
HEALTHY_S = 120.0
"""Seconds for a party to start and serve."""
LABEL = "collude.run"
_NANOSECONDS = 1_000_000_000
_BY_SIGNAL = 128
_HEALTHY = "healthy"


class Containers:
    """Networks and containers of a plan. Leaving the `with` block takes all of them away."""

    def __init__(
        self, client: "DockerClient", plan: Plan, site: Path, images: Images, logs: Path
    ) -> None:
        """Make nothing yet.

        Args:
            client: the engine, on this machine: it mounts folders of the site.
            plan: what to start.
            site: the folder of the site.
            images: the names of what the containers run; the engine has them.
            logs: where to leave what each said, as `NAME.stderr`.
        """
        self._client, self._plan, self._images = client, plan, images
        self._site, self._logs = site.absolute(), logs
        self._prefix = f"collude-{time.time_ns():x}"
        self._services = {service.name: service for service in plan.services}
        self._made: dict[str, Container] = {}
        self._networks: dict[str, Any] = {}

    def __enter__(self) -> "Containers":
        """Make the networks."""
        try:
            for name, subnet in self._plan.networks.items():
                self._networks[name] = self._network(name, subnet)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        """Stop what still runs, keep what each said, and take everything away."""
        alive = [made for name, made in self._made.items() if self.code(name) is None]
        for made in alive:  # all are told first, and share the time that they have
            _try(made.unpause)
            _try(made.kill, signal="SIGTERM")
        for made in alive:
            _try(made.stop, timeout=STOP_S)
        for name, made in self._made.items():
            _try(self._keep_words, name)
            _try(made.remove, force=True)
        for network in self._networks.values():
            _try(network.remove)
        self._made, self._networks = {}, {}

    def start(self, name: str) -> None:
        """Start one container; whom it waits for must be there."""
        service = self._services[name]
        first, *others = service.networks
        made = self._client.containers.create(**self._settings(service, first))
        self._made[name] = made
        for network in others:
            self._networks[network].connect(made, aliases=self._aliases(service, network))
        made.start()

    def start_all(self, names: Iterable[str] | None = None) -> None:
        """Start several in the order of the plan, each when those it waits for are healthy.

        Raises:
            PartyFailed: one that is waited for has ended.
            DeadlineExceeded: one that is waited for does not serve in time.
        """
        wanted = set(self._services if names is None else names)
        for service in self._plan.services:
            if service.name in wanted:
                for other in service.waits_for:
                    self.until_healthy(other)
                self.start(service.name)

    def until_healthy(self, name: str) -> None:
        """Wait until a party answers that it serves.

        Raises:
            PartyFailed: it has ended.
            DeadlineExceeded: it does not serve in time.
        """
        end = time.monotonic() + HEALTHY_S
        while self.health(name) != _HEALTHY:
            code = self.code(name)
            if code is not None:
                raise PartyFailed(
                    "ended before it served",
                    party=name,
                    got=f"exit status {code}",
                    hint=self._last_words(name),
                )
            if time.monotonic() > end:
                raise DeadlineExceeded(
                    "does not serve", party=name, expected=f"within {HEALTHY_S:g} s"
                )
            time.sleep(POLL_S)

    def health(self, name: str) -> str | None:
        """Return what the engine last found out: `starting`, `healthy`, `unhealthy` or None."""
        state = self._state(name)
        found: str | None = state.get("Health", {}).get("Status")
        return found

    def code(self, name: str) -> int | None:
        """Return the exit status of a container, negative for a signal; None while it runs."""
        state = self._state(name)
        if state["Running"] or state["Status"] == "created":
            return None
        code: int = state["ExitCode"]
        return -(code - _BY_SIGNAL) if code > _BY_SIGNAL and not _own(code) else code

    def codes(self) -> dict[str, int]:
        """Return the exit status of those that have ended."""
        found = {name: self.code(name) for name in self._made}
        return {name: code for name, code in found.items() if code is not None}

    def wait(self, each: Callable[[], None] = lambda: None) -> dict[str, int]:
        """Wait until all have ended and return the exit status of each; `each` hears every look."""
        while len(codes := self.codes()) < len(self._made):
            each()
            time.sleep(POLL_S)
        return codes

    def container(self, name: str) -> "Container":
        """Return one container, for whoever wants to look into it or harm it."""
        return self._made[name]

    def cut_off(self, name: str) -> None:
        """Take a party off all its networks."""
        for network in self._services[name].networks:
            self._networks[network].disconnect(self._made[name])

    def reconnect(self, name: str) -> None:
        """Put a party back on its networks, under its names."""
        service = self._services[name]
        for network in service.networks:
            self._networks[network].connect(
                self._made[name], aliases=self._aliases(service, network)
            )

    def _network(self, name: str, subnet: str | None) -> Any:  # the SDK has no types
        from docker.types import IPAMConfig, IPAMPool  # noqa: PLC0415 -- an optional extra

        ranges = IPAMConfig(pool_configs=[IPAMPool(subnet=subnet)]) if subnet else None
        return self._client.networks.create(
            f"{self._prefix}-{name}",
            driver="bridge",
            internal=True,
            ipam=ranges,
            labels={LABEL: self._prefix},
        )

    @staticmethod
    def _aliases(service: Service, network: str) -> list[str]:
        return [service.name, *service.networks[network]]

    def _settings(self, service: Service, first: str) -> dict[str, Any]:
        endpoint = self._client.api.create_endpoint_config(aliases=self._aliases(service, first))
        network = self._networks[first].name
        settings = {
            "image": self._images.name(service.image),
            "command": list(service.command),
            "name": f"{self._prefix}-{service.name}",
            "hostname": service.name,
            "user": self._plan.user,
            "read_only": True,
            "tmpfs": {TEMPORARY: TEMPORARY_OPTIONS},
            "cap_drop": ["ALL"],
            "security_opt": SECURITY,
            "ipc_mode": IPC,
            "sysctls": SYSCTLS,
            "log_config": {"Type": LOGGING["driver"], "Config": LOGGING["options"]},
            "mem_limit": service.memory,
            "pids_limit": PIDS,
            "volumes": [self._volume(m.source, m.target, m.read_only) for m in service.mounts],
            "network": network,
            "networking_config": {network: endpoint},
            "labels": {LABEL: self._prefix},
        }
        return settings | ({"healthcheck": _health()} if service.serves else {})

    def _volume(self, source: str, target: str, read_only: bool) -> str:  # noqa: FBT001 -- private
        return f"{self._site / source}:{target}:{'ro' if read_only else 'rw'}"

    def _state(self, name: str) -> dict[str, Any]:
        made = self._made[name]
        made.reload()
        state: dict[str, Any] = made.attrs["State"]
        return state

    def _keep_words(self, name: str) -> None:
        (self._logs / f"{name}.stderr").write_bytes(self._made[name].logs())

    def _last_words(self, name: str) -> str | None:
        lines = self._made[name].logs(tail=20).decode("utf-8", "replace").strip().splitlines()
        return lines[-1][:500] if lines else None


def _own(code: int) -> bool:
    """Return whether a party itself ends with this status; a shell's 128 + 2 is our 130."""
    return code == _BY_SIGNAL + 2


def _health() -> dict[str, Any]:
    times = health_times()
    nanoseconds = {k: v * _NANOSECONDS for k, v in times.items() if k != "retries"}
    return {"test": ["CMD", *HEALTH], "retries": times["retries"], **nanoseconds}


def _try(do: Callable[..., object], *args: object, **options: object) -> None:
    """Do one step of clearing away; the next ones are done whatever the engine says to it."""
    import docker  # noqa: PLC0415 -- an optional extra

    try:
        do(*args, **options)
    except (docker.errors.DockerException, OSError):
        return
