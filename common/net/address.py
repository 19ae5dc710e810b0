"""Addresses as `host:port`, and files in which a party says where it can be reached."""

import ipaddress
import os
import re
from dataclasses import dataclass
from pathlib import Path

from collude.common.errors import ScenarioInvalid

_MAX_PORT = 65535
_DNS_NAME = re.compile(
    r"(?=.{1,253}$)[A-Za-z0-9_](?:[A-Za-z0-9_-]{0,62})(?:\.[A-Za-z0-9_][A-Za-z0-9_-]{0,62})*"
)
_IN_BRACKETS = re.compile(r"\[(?P<host>[^\[\]]*)\]:(?P<port>[0-9]{1,5})")
_PLAIN = re.compile(r"(?P<host>[^:\[\]]*):(?P<port>[0-9]{1,5})")


@dataclass(frozen=True, slots=True)
class Address:
    """A host (DNS name, IPv4 or IPv6) and a port from 0 to 65535; 0 asks for any free port."""

    host: str
    port: int

    def __str__(self) -> str:
        """Return `host:port`, an IPv6 host in brackets."""
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


def parse_address(text: str, field: str = "address") -> Address:
    """Return the address that a text such as `localhost:7400` or `[::1]:0` names.

    Raises:
        ScenarioInvalid: it names none; `field` says where it stood.
    """
    bracketed = _IN_BRACKETS.fullmatch(text)
    match = bracketed or _PLAIN.fullmatch(text)
    if match and int(match["port"]) <= _MAX_PORT:
        ipv6 = is_ip(match["host"]) and ":" in match["host"]
        if ipv6 if bracketed else is_host(match["host"]):
            return Address(match["host"], int(match["port"]))
    raise ScenarioInvalid(
        "this is no address",
        field=field,
        expected="host:port, with an IPv6 host in brackets and a port up to 65535",
        got=repr(text),
    )


def is_ip(host: str) -> bool:
    """Return whether the host is an IPv4 or IPv6 address."""
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def is_host(host: str) -> bool:
    """Return whether the host is an IP address or can be a DNS name."""
    return is_ip(host) or _DNS_NAME.fullmatch(host) is not None


def write_address(path: Path, address: str) -> None:
    """Write an address so that a reader sees none or all of it."""
    unfinished = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    unfinished.write_text(f"{address}\n", encoding="utf-8")
    unfinished.replace(path)


def read_address(path: Path) -> str | None:
    """Return the address that `write_address` wrote, or None if there is none yet.

    Raises:
        ScenarioInvalid: the file holds something else.
    """
    try:
        text = path.read_text(encoding="utf-8").strip()
    except FileNotFoundError:
        return None
    return str(parse_address(text, field=str(path)))
