"""Runs inside a container: says as JSON what a process there can see, write and reach.

python - HOST:PORT ... < probe.py
"""

import importlib.util
import json
import os
import shutil
import socket
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

CONNECT_S = 2.0
TOOLS = ("pip", "pip3", "gcc", "cc", "make", "ld", "apt-get", "git", "protoc")
MODULES = ("pip", "setuptools", "ensurepip")


def reached(address: str) -> str:
    host, _, port = address.rpartition(":")
    try:
        with socket.create_connection((host, int(port)), CONNECT_S):
            return "reached"
    except OSError as error:
        return type(error).__name__


def all_reached(addresses: list[str]) -> dict[str, str]:
    """At once: a name that nobody knows takes the resolver seconds to say so."""
    with ThreadPoolExecutor(len(addresses)) as pool:
        return dict(zip(addresses, pool.map(reached, addresses), strict=True))


def writable() -> list[str]:
    """Every file and folder that this user may write, kernel interfaces aside."""
    found = []
    for folder, folders, files in os.walk("/"):
        folders[:] = [f for f in folders if os.path.join(folder, f) not in {"/proc", "/sys"}]
        found += [path for path in (folder, *(os.path.join(folder, f) for f in files))
                  if os.access(path, os.W_OK) and not Path(path).is_char_device()
                  and not os.path.islink(path)]  # fmt: skip
    return found


def writes(path: str) -> bool:
    try:
        Path(path).write_text("x")
    except OSError:
        return False
    return True


def status() -> dict[str, str]:
    lines = Path("/proc/self/status").read_text().splitlines()
    return {key: value.strip() for key, _, value in (line.partition(":") for line in lines)}


def has_module(name: str) -> bool:
    return importlib.util.find_spec(name) is not None


sys.stdout.write(
    json.dumps({
        "status": status(),
        "uid": os.getuid(),
        "writable": writable(),
        "writes": {
            path: writes(path)
            for path in (
                "/x",
                "/etc/collude/x",
                "/opt/collude/x",
                "/dev/shm/x",
                "/tmp/x",
                "/var/lib/collude/x",
            )
        },
        "reached": all_reached(sys.argv[1:]),
        "environ": Path("/proc/1/environ").read_bytes().decode().split("\0"),
        "forwards": Path("/proc/sys/net/ipv4/ip_forward").read_text().strip(),
        "tools": [tool for tool in TOOLS if shutil.which(tool)],
        "modules": [name for name in MODULES if has_module(name)],
        "torch": has_module("torch"),
        "sees": sorted(str(path) for path in Path("/etc/collude").iterdir()),
    })
)
