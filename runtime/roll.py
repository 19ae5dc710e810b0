"""Who is who in a simulated run, as a file of `truth/`: for scoring, never for a party."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from collude.common.atomic import PRIVATE, npz_bytes, write_atomically
from collude.common.data import Dataset
from collude.common.data.files import read_arrays
from collude.common.data.split import uploaded_identities
from collude.common.errors import LocalError, RunDirectoryInvalid
from collude.common.scenario import Scenario
from collude.runtime.rundir import TRUTH, RunDirectory

FILE = "people.npz"


@dataclass(frozen=True, eq=False, repr=False)
class Roll:
    """The people of a run.

    Attributes:
        references: (k, d) the record of each participant's person that was kept back.
        reference_ids: (k,) who that is.
        public_ids: (m,) who is on each public record.
        image_shape: (height, width) of a raw record, if it is a picture.
    """

    references: NDArray[np.float64]
    reference_ids: NDArray[np.int64]
    public_ids: NDArray[np.int64]
    image_shape: tuple[int, int] | None


def roll_of(dataset: Dataset, scenario: Scenario) -> Roll | None:
    """Return the roll, None for a data set that knows nobody.

    Only people of whom a participant holds records are in it.
    """
    people = dataset.people
    if people is None:
        return None
    held = np.unique(np.concatenate(list(uploaded_identities(people, scenario).values())))
    kept = people.reserved & np.isin(people.identities, held)
    return Roll(
        references=np.asarray(dataset.records[kept]),
        reference_ids=people.identities[kept],
        public_ids=people.public.identities,
        image_shape=dataset.image_shape,
    )


def write_roll(run: RunDirectory, roll: Roll) -> None:
    """Write the roll to the run's truth."""
    arrays: dict[str, Any] = {k: v for k, v in vars(roll).items() if v is not None}
    write_atomically(_path(run), npz_bytes(**arrays), PRIVATE)


def read_roll(run: RunDirectory) -> Roll | None:
    """Return what `write_roll` wrote, None if it wrote nothing.

    Raises:
        RunDirectoryInvalid: it is there and cannot be read.
    """
    path = _path(run)
    if not path.exists():
        return None
    names = ("references", "reference_ids", "public_ids")
    try:
        stored = read_arrays(path, names, optional=("image_shape",))
    except LocalError as error:
        raise RunDirectoryInvalid(
            error.reason, field=str(path), expected=error.expected, got=error.got
        ) from error
    shape = stored.pop("image_shape", None)
    return Roll(**stored, image_shape=None if shape is None else (int(shape[0]), int(shape[1])))


def _path(run: RunDirectory) -> Path:
    return run.root / TRUTH / FILE
