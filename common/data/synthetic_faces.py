"""A population that does not exist: drawn faces with identities, up to the paper's scale.

The population is one and the same for everybody: person k has the same numbers in every run,
whatever its size, so growing it changes nobody. Pictures of large populations stand in a file
without a name, which is gone when the process ends, and are read from there piece by piece.
"""

import tempfile
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from collude.common.data.dataset import Dataset, People, PublicRecords
from collude.common.data.face_drawing import SIDE, draw_person
from collude.common.encoding import encode
from collude.common.errors import ScenarioInvalid
from collude.common.randomness import generator_from_bytes, hkdf
from collude.common.scenario.sections import Data

PEOPLE_EACH, PICTURES_EACH = 5, 10
PUBLIC_PEOPLE = 40
"""At least so many; as many as one participant has, where that is more."""
LABELS = ("Smiling", "Eyeglasses")
IN_MEMORY = 64 * 1024 * 1024
"""Pictures of more bytes than this stand in a file."""

FloatArray = NDArray[np.float64]


def load_synthetic_faces(settings: Data) -> Dataset:
    """Return `people` each for every participant, and public people beside.

    Each person has `images_per_person` pictures; the first is its reserved reference.

    Raises:
        ScenarioInvalid: there is no such label.
    """
    label = settings.label or LABELS[0]
    if label not in LABELS:
        raise ScenarioInvalid(
            "the data set has no such label",
            field="data.label",
            expected=" or ".join(LABELS),
            got=label,
        )
    each = settings.people or PEOPLE_EACH
    pictures = settings.images_per_person or PICTURES_EACH
    public, private = max(PUBLIC_PEOPLE, each), each * settings.participants
    shown = _Population(1, public, pictures)
    hidden = _Population(1 + public, private, pictures)
    return Dataset(
        name="synthetic-faces",
        records=hidden.records,
        labels=hidden.labels[label],
        credit="drawn by this program; no such people exist",
        synthetic=True,
        image_shape=(SIDE, SIDE),
        people=People(
            identities=hidden.identities,
            reserved=np.tile(np.arange(pictures) == 0, private),
            public=PublicRecords(shown.records, shown.identities),
        ),
        label_note="known to the program that drew the faces",
    )


class _Population:
    """People `first` to `first + people - 1`, each on `pictures` consecutive rows.

    Attributes:
        records: (people * pictures, SIDE * SIDE), in memory or mapped from a file.
        identities: (people * pictures,).
        labels: label -> (people * pictures,) of 0 and 1.
    """

    def __init__(self, first: int, people: int, pictures: int) -> None:
        numbers = range(first, first + people)
        self.identities = np.repeat(np.fromiter(numbers, dtype=np.int64), pictures)
        self.records = _room(people * pictures)
        self.labels = {label: np.zeros(people * pictures, dtype=np.int64) for label in LABELS}
        for rows, number in zip(_slices(people, pictures), numbers, strict=True):
            drawn = draw_person(_stream(number), pictures)
            self.records[rows] = drawn.pictures
            self.labels["Smiling"][rows] = drawn.smiles > 0.0
            self.labels["Eyeglasses"][rows] = drawn.glasses


def _slices(people: int, pictures: int) -> Iterator[slice]:
    return (slice(k * pictures, (k + 1) * pictures) for k in range(people))


def _stream(person: int) -> np.random.Generator:
    return generator_from_bytes(hkdf(b"collude/synthetic-faces/1", encode("person", person)))


def _room(rows: int) -> FloatArray:
    """Return an array for so many pictures; a large one is mapped from a nameless file."""
    shape = (rows, SIDE * SIDE)
    if rows * SIDE * SIDE * np.dtype(np.float64).itemsize <= IN_MEMORY:
        return np.empty(shape)
    with tempfile.TemporaryFile(prefix="collude-faces-") as file:
        # The map keeps the file alive after it was closed.
        mapped: FloatArray = np.memmap(file, dtype=np.float64, mode="w+", shape=shape)
        return mapped
