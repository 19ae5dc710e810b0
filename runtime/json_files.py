"""JSON as it stands on disk: valid for every reader, written whole."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from collude.common.atomic import write_atomically
from collude.common.errors import RunDirectoryInvalid


def write_json(path: Path, value: object) -> None:
    """Write `value` as JSON, whole or not at all. NaN and infinity become null."""
    text = json.dumps(jsonable(value), indent=2, allow_nan=False)
    write_atomically(path, f"{text}\n".encode())


def read_json(path: Path) -> dict[str, object]:
    """Return the object in a JSON file.

    Raises:
        RunDirectoryInvalid: the file is missing, unreadable, or no JSON object.
    """
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise RunDirectoryInvalid("a file is missing", field=str(path)) from None
    except (OSError, ValueError) as error:
        raise RunDirectoryInvalid(
            "a file cannot be read", field=str(path), expected="a JSON object", got=error
        ) from error
    if not isinstance(value, dict):
        raise RunDirectoryInvalid(
            "a file cannot be read",
            field=str(path),
            expected="a JSON object",
            got=type(value).__name__,
        )
    return value


def jsonable(value: object) -> object:
    """Return `value` made of JSON types only.

    numpy numbers and arrays become numbers and lists; NaN and infinity, which JSON lacks,
    become None; anything else that JSON lacks becomes its text.
    """
    if isinstance(value, np.generic | np.ndarray):
        return jsonable(value.tolist())
    if isinstance(value, Mapping):
        return {str(key): jsonable(item) for key, item in value.items()}
    if isinstance(value, float):
        return value if np.isfinite(value) else None
    if value is None or isinstance(value, str | int):
        return value
    if isinstance(value, Sequence | set | frozenset):
        return [jsonable(item) for item in value]
    return str(value)
