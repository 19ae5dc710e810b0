"""A peer's own virtual environment, from benchmarks/peers/<name>.txt; never the product's."""

import hashlib
import json
import subprocess
import sys
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PEERS = ROOT / "benchmarks" / "peers"
ENVIRONMENTS = ROOT / ".venv-bench"
INSTALL_SECONDS = 900


class PeerMissing(Exception):
    """A peer's environment could not be made; the message says why, in one line."""


@cache
def python_of(peer: str | None) -> Path:
    """Return the interpreter of a peer's environment, made now if need be; None is the product.

    Raises:
        PeerMissing: it cannot be installed.
    """
    if peer is None:
        return Path(sys.executable)
    requirements = PEERS / f"{peer}.txt"
    if not requirements.is_file():
        raise PeerMissing(f"there is no {requirements.name} in benchmarks/peers")
    folder = ENVIRONMENTS / peer
    python, stamp = folder / "bin" / "python", folder / "collude-peer"
    key = hashlib.sha256(requirements.read_bytes() + sys.version.encode()).hexdigest()
    if not stamp.is_file() or stamp.read_text(encoding="utf-8") != key:
        print(f"installing {peer}", file=sys.stderr)
        _run(sys.executable, "-m", "venv", "--clear", str(folder))
        _run(
            str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check",
            "--requirement", str(requirements),
        )  # fmt: skip
        stamp.write_text(key, encoding="utf-8")  # last: an interrupted installation starts anew
    return python


def _run(*command: str) -> None:
    try:
        run = subprocess.run(
            command, check=False, capture_output=True, text=True, timeout=INSTALL_SECONDS
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise PeerMissing(str(error)) from error
    if run.returncode:
        lines = [line for line in run.stderr.splitlines() if line.strip()]
        raise PeerMissing(lines[-1] if lines else f"pip ended with {run.returncode}")


def versions_in(peer: str | None) -> dict[str, str]:
    """Return what is installed in an environment, name to version.

    Raises:
        PeerMissing: it cannot be installed.
    """
    command = [str(python_of(peer)), "-m", "pip", "list", "--format=json"]
    listing = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return {package["name"]: package["version"] for package in json.loads(listing)}
