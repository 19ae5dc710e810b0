"""The part of the compose format that sites use, as a table: what 1.29.2 and v2 both take.

Not the whole format: a key that is not here is refused, whether some compose knows it or not.
"""

from collections.abc import Iterator, Mapping
from typing import Any

_BY_NAME = "*"
_OPTIONAL = "?"

Shape = Any
"""A type, a list of one shape, or a table: key -> shape, `*` for any key, `?` before optional."""

SERVICE: Mapping[str, Shape] = {
    "image": str,
    "build": {"context": str, "target": str, "args": {_BY_NAME: str}},
    "command": [str],
    "user": str,
    "read_only": bool,
    "tmpfs": [str],
    "cap_drop": [str],
    "security_opt": [str],
    "ipc": str,
    "mem_limit": int,
    "pids_limit": int,
    "logging": {"driver": str, "options": {_BY_NAME: str}},
    "stop_grace_period": str,
    "volumes": [str],
    "?hostname": str,
    "?sysctls": {_BY_NAME: str},
    "?networks": {_BY_NAME: {"aliases": [str]}},
    "?network_mode": str,
    "?healthcheck": {
        "test": [str],
        "interval": str,
        "timeout": str,
        "start_period": str,
        "retries": int,
    },
    "?depends_on": {_BY_NAME: {"condition": str}},
}
DOCUMENT: Mapping[str, Shape] = {
    "services": {_BY_NAME: SERVICE},
    "networks": {_BY_NAME: {"internal": bool, "?ipam": {"config": [{"subnet": str}]}}},
}


def problems(value: object, shape: Shape = DOCUMENT, place: str = "") -> Iterator[tuple[str, str]]:
    """Yield (place, what is wrong there) for everything that has not the shape."""
    if isinstance(shape, Mapping):
        yield from _table(value, shape, place)
    elif isinstance(shape, list):
        if not isinstance(value, list):
            yield place, "is no list"
            return
        for index, item in enumerate(value):
            yield from problems(item, shape[0], f"{place}[{index}]")
    elif type(value) is not shape:
        yield place, f"is no {shape.__name__}"


def _table(value: object, shape: Mapping[str, Shape], place: str) -> Iterator[tuple[str, str]]:
    if not isinstance(value, dict):
        yield place, "is no table"
        return
    for key in shape:
        if key != _BY_NAME and not key.startswith(_OPTIONAL) and key not in value:
            yield _below(place, key), "is missing"
    for key, item in value.items():
        inner = shape.get(key, shape.get(f"{_OPTIONAL}{key}", shape.get(_BY_NAME)))
        if inner is None:
            yield _below(place, key), "is unknown"
        else:
            yield from problems(item, inner, _below(place, key))


def _below(place: str, key: object) -> str:
    return f"{place}.{key}" if place else str(key)
