"""What a silo leaves in its folder: its book, and in a simulation whom handles hide."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from collude.common.atomic import PRIVATE, npz_bytes, write_atomically
from collude.common.data.files import read_arrays
from collude.common.protocol.release_messages import HANDLE_BYTES

ANSWERS, USED = "answers.txt", "sessions.txt"
HANDLES = "handles.npz"


def write_handles(folder: Path, handles: Mapping[int, Sequence[bytes]]) -> None:
    """Write every person's handle in each period. Simulation only: it is what all depends on."""
    arrays = {
        f"period_{period}": np.frombuffer(b"".join(named), dtype=np.uint8).reshape(-1, HANDLE_BYTES)
        for period, named in handles.items()
    }
    write_atomically(folder / HANDLES, npz_bytes(**arrays), PRIVATE)


def read_handles(folder: Path, period: int) -> NDArray[np.uint8]:
    """Return (n, 16) handles by person, as `write_handles` wrote them.

    Raises:
        DataUnavailable: there is no such file.
        DataInvalid: it cannot be read, or lacks the period.
    """
    name = f"period_{period}"
    return read_arrays(folder / HANDLES, (name,))[name]
