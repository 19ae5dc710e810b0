"""What the numbers belong to: the machine, the versions, the commit, the day."""

import os
import platform
import subprocess
from datetime import UTC, datetime
from importlib.metadata import version
from typing import Any

from benchmarks.framework.environments import ROOT

THREADS = {f"{library}_NUM_THREADS": "1" for library in ("OMP", "OPENBLAS", "MKL")}
"""One BLAS thread a process: two slow this work down, and more cost far more."""
PACKAGES = ("numpy", "grpcio", "protobuf", "cryptography", "torch")


def conditions() -> dict[str, Any]:
    """Return commit, date, machine and versions."""
    return {
        "commit": _git("rev-parse", "--short=12", "HEAD"),
        "changed_since_commit": bool(_git("status", "--porcelain", "--untracked-files=no")),
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "machine": {
            "cpu": cpu_model(),
            "cores": os.cpu_count(),
            "system": f"{platform.system()} {platform.machine()}",
            "blas": blas_kernels(),
            "blas_threads": 1,
        },
        "versions": {"python": platform.python_version(), **installed(PACKAGES)},
    }


def cpu_model() -> str:
    """Return the processor's name for itself."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as lines:
            return next(x.split(":", 1)[1].strip() for x in lines if x.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()


def blas_kernels() -> list[str]:
    """Return each BLAS that numpy loads: name, version, kernel."""
    import numpy as np  # noqa: F401, PLC0415 -- loading it loads its BLAS
    from threadpoolctl import threadpool_info  # noqa: PLC0415 -- sees only what is loaded

    return [
        f"{pool['internal_api']} {pool['version']} {pool.get('architecture', '')}".strip()
        for pool in threadpool_info()
        if pool["user_api"] == "blas"
    ]


def installed(names: tuple[str, ...]) -> dict[str, str]:
    """Return the versions of those that are installed."""
    found = {}
    for name in names:
        try:
            found[name] = version(name)
        except ModuleNotFoundError:
            continue
    return found


def _git(*words: str) -> str | None:
    try:
        run = subprocess.run(["git", *words], check=False, cwd=ROOT, capture_output=True, text=True)
    except OSError:
        return None
    return run.stdout.strip() if run.returncode == 0 else None
