"""What a participant keeps in its own folder."""

from collections.abc import Collection
from pathlib import Path

from collude.common.atomic import PRIVATE, npz_bytes, write_atomically
from collude.common.data.files import read_arrays
from collude.common.protocol.messages import ColluderDisclosure

DISCLOSABLE = "disclosable.npz"
EVERYTHING = ("records", "transform", "anchor", "noise")
_ARRAYS = ("records", "rotation", "translation", "anchor", "noise")
_FIELD_OF = {"rotation": "transform", "translation": "transform"}


def write_disclosable(folder: Path, told: ColluderDisclosure) -> None:
    """Write all that this participant could disclose later; simulation mode only."""
    arrays = {name: value for name in _ARRAYS if (value := getattr(told, name)) is not None}
    write_atomically(folder / DISCLOSABLE, npz_bytes(**arrays), PRIVATE)


def read_disclosable(folder: Path, party: str, fields: Collection[str]) -> ColluderDisclosure:
    """Return what a participant of a recorded run discloses, limited to `fields`.

    Args:
        folder: the participant's own folder.
        party: its name, for errors.
        fields: of `records`, `transform`, `anchor`, `noise`.

    Raises:
        DataUnavailable: the run left nothing; deployments never do.
        DataInvalid: the file cannot be read.
    """
    stored = read_arrays(folder / DISCLOSABLE, (), party, optional=_ARRAYS)
    wanted = {array for array in _ARRAYS if _FIELD_OF.get(array, array) in fields}
    return ColluderDisclosure(**{n: stored.get(n) if n in wanted else None for n in _ARRAYS})
