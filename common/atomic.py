"""Files that are whole or not there."""

import io
import os
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

PRIVATE = 0o600
PUBLIC = 0o644


def write_atomically(path: Path, content: bytes, mode: int = PUBLIC) -> None:
    """Write `content` to `path`: a reader, or a crash, sees the old file or the new one.

    Args:
        path: in a folder that exists.
        content: the whole file.
        mode: permissions of the file.
    """
    partial = path.with_name(f"{path.name}.partial")
    descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode)
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    partial.replace(path)
    sync_folder(path.parent)


def npz_bytes(**arrays: NDArray[np.generic]) -> bytes:
    """Return the arrays as the content of an npz file."""
    buffer = io.BytesIO()
    np.savez(buffer, allow_pickle=False, **arrays)
    return buffer.getvalue()


def sync_folder(folder: Path) -> None:
    """Make the new name of a file last: it is stored in the folder, not in the file."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
