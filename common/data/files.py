"""A participant's share as a file."""

import zipfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from collude.common.atomic import PRIVATE, npz_bytes, write_atomically
from collude.common.data.share import ARRAY_NAMES, OPTIONAL_NAMES, Share, check_share
from collude.common.errors import DataInvalid, DataUnavailable


def save_share(share: Share, path: str | Path) -> None:
    """Write the share as npz, readable by its owner only; whole or not at all."""
    arrays = {name: getattr(share, name) for name in (*ARRAY_NAMES, *OPTIONAL_NAMES)}
    arrays = {name: array for name, array in arrays.items() if array is not None}
    write_atomically(Path(path), npz_bytes(**arrays), PRIVATE)


def load_share(path: str | Path, party: str) -> Share:
    """Return the checked share in a file that `save_share` or `numpy.savez` wrote.

    Raises:
        DataUnavailable: there is no such file, or it cannot be read.
        DataInvalid: it is truncated, no npz, holds Python objects, or lacks an array.
    """
    arrays = read_arrays(path, ARRAY_NAMES, party, OPTIONAL_NAMES)
    return check_share(Share(**arrays), party)


def read_arrays(
    path: str | Path,
    names: tuple[str, ...],
    party: str | None = None,
    optional: tuple[str, ...] = (),
) -> dict[str, NDArray[Any]]:
    """Return the named arrays of an npz file; Python objects in it are never loaded.

    Those in `optional` are returned if they are there.

    Raises:
        DataUnavailable: there is no such file, or it cannot be read.
        DataInvalid: it is truncated, no npz, holds Python objects, or lacks an array.
    """
    try:
        # Opened here: numpy leaves the file open when it turns out to be no zip archive.
        with Path(path).open("rb") as file, np.load(file, allow_pickle=False) as stored:
            there = [name for name in optional if name in stored.files]
            return {name: stored[name] for name in (*names, *there)}
    except FileNotFoundError:
        raise DataUnavailable("there is no such file", party=party, field=str(path)) from None
    except KeyError as error:
        raise DataInvalid(
            "an array is missing from the file",
            party=party,
            field=str(path),
            expected=", ".join(names),
            hint=error.args[0],
        ) from error
    except (
        ValueError,
        EOFError,
        zipfile.BadZipFile,
        zlib.error,
        AttributeError,
        TypeError,
    ) as error:
        raise DataInvalid(
            "the file is damaged, no npz, or holds Python objects",
            party=party,
            field=str(path),
            expected="an npz file of plain arrays",
            got=error,
        ) from error
    except OSError as error:
        raise DataUnavailable(
            "the file cannot be read", party=party, field=str(path), got=error.strerror
        ) from error
