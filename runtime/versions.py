"""What a result depends on beside the scenario: versions and the BLAS kernel."""

import platform
from importlib import metadata
from typing import Any

from threadpoolctl import threadpool_info

_PACKAGES = ("collude", "numpy", "scipy", "torch", "grpcio", "scikit-learn")


def versions() -> dict[str, str | None]:
    """Return the installed versions by package, None for what is not installed.

    Read from the packages' metadata: nothing is imported.
    """
    return {"python": platform.python_version()} | {name: _version(name) for name in _PACKAGES}


def blas_kernels() -> list[dict[str, object]]:
    """Return each linear-algebra library this process has loaded, with its kernel.

    The bytes of a matrix product differ between kernels, so equal digests are promised only
    between runs with equal kernels.
    """
    return [
        {
            "library": info.get("internal_api"),
            "version": info.get("version"),
            "kernel": info.get("architecture"),
        }
        for info in _libraries()
        if info.get("user_api") == "blas"
    ]


def _libraries() -> list[dict[str, Any]]:
    """Return what is loaded; nothing where the locale cannot spell where it lies."""
    try:
        return list(threadpool_info())
    except UnicodeError:
        return []


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None
