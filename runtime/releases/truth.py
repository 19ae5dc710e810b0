"""What really is so in a simulated run, period by period: whom each handle hides."""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from collude.common.atomic import PRIVATE, npz_bytes, write_atomically
from collude.common.data.files import read_arrays
from collude.common.errors import LocalError, RunDirectoryInvalid
from collude.participant.codef.files import HANDLES, read_handles
from collude.runtime.federation import ReleaseFederation
from collude.runtime.rundir import TRUTH, RunDirectory


def write_truths(run: RunDirectory, federation: ReleaseFederation) -> None:
    """Write each period's persons, and their handles where a silo lived to note them."""
    for period, population in enumerate(federation.populations):
        arrays = {"attributes": population.attributes, "present": population.present}
        handles = _handles(run, federation, period)
        if handles is not None:
            arrays["handles"] = handles
        write_atomically(_path(run, period), npz_bytes(**arrays), PRIVATE)


def persons_behind(
    run: RunDirectory, period: int, handles: tuple[bytes, ...]
) -> NDArray[np.int64] | None:
    """Return the person of each handle, in the order given, or None if nobody knows.

    Raises:
        RunDirectoryInvalid: the truth cannot be read, or does not know a handle.
    """
    path = _path(run, period)
    if not path.exists():
        return None
    try:
        stored = read_arrays(path, (), optional=("handles",))
    except LocalError as error:
        raise RunDirectoryInvalid(error.reason, field=str(path), got=error.got) from error
    if "handles" not in stored:
        return None
    person = {row.tobytes(): number for number, row in enumerate(stored["handles"])}
    if unknown := [handle for handle in handles if handle not in person]:
        raise RunDirectoryInvalid(
            "a handle hides nobody", field=str(path), got=f"{len(unknown)} of {len(handles)}"
        )
    return np.array([person[handle] for handle in handles], dtype=np.int64)


def _handles(
    run: RunDirectory, federation: ReleaseFederation, period: int
) -> NDArray[np.uint8] | None:
    for silo in federation.scenario.participants:
        folder = run.party(silo)
        if (folder / HANDLES).exists():
            try:
                return read_handles(folder, period)
            except LocalError:  # it did not come as far as this period
                continue
    return None


def _path(run: RunDirectory, period: int) -> Path:
    return run.root / TRUTH / f"persons-{period}.npz"
