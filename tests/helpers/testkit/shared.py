"""Things that are expensive to make and that many tests look at: made once for all workers."""

import fcntl
import os
from collections.abc import Callable
from pathlib import Path


def once(factory, name: str, make: Callable[[Path], None]) -> Path:
    """Return a folder that `make` has filled, by whichever worker came first.

    Args:
        factory: pytest's tmp_path_factory.
        name: of the folder.
        make: fills the folder; if it fails, the next who asks tries again.
    """
    base = factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        base = base.parent
    folder, done = base / name, base / f"{name}.done"
    with (base / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not done.exists():
            folder.mkdir(exist_ok=True)
            make(folder)
            done.touch()
    return folder
