"""Faces that nobody has, drawn from numbers: for scale, for tests, and for pictures to show.

A person is a few numbers (widths, tones, hair, glasses, beard) and a smooth texture of its own;
a picture of it adds a pose, a smile, a light and a texture. Coordinates run from -1 to 1, x to
the right and y down. Nothing here is learned from pictures of people.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]

SIDE = 64

_RANGES: Mapping[str, tuple[float, float]] = MappingProxyType({
    "skin": (0.52, 0.8),
    "hair": (0.05, 0.5),
    "wall": (0.25, 0.45),
    "width": (0.58, 0.76),
    "height": (0.84, 0.98),
    "hairline": (-0.66, -0.3),
    "sides": (0.02, 0.24),
    "eyes_apart": (0.24, 0.34),
    "eyes_y": (-0.18, -0.02),
    "eye": (0.1, 0.15),
    "brow_y": (0.15, 0.23),
    "brow": (0.03, 0.07),
    "tilt": (-0.2, 0.15),
    "nose": (0.24, 0.4),
    "nose_width": (0.09, 0.17),
    "mouth_y": (0.44, 0.6),
    "mouth": (0.2, 0.34),
    "lips": (0.1, 0.3),
})
"""What makes a person, and the range that each number is drawn from, evenly."""

GLASSES, BEARD = 0.3, 0.3
"""Shares of people with glasses and with a beard."""
_EDGE = 22.0
"""Steepness of an edge: about three pixels wide."""
_OWN_TEXTURE, _TEXTURE = 0.06, 0.025
_DECAY = 1.6
"""A texture's amplitude falls with frequency to this power."""


@dataclass(frozen=True, eq=False, repr=False)
class Drawn:
    """Pictures of one person.

    Attributes:
        pictures: (k, SIDE * SIDE) in [0, 1], row by row; 1 is white.
        smiles: (k,) from -1 to 1; above 0 the mouth smiles.
        glasses: whether the person wears them, on every picture.
    """

    pictures: FloatArray
    smiles: FloatArray
    glasses: bool


def draw_person(rng: np.random.Generator, pictures: int) -> Drawn:
    """Return so many pictures of one new person; all its numbers come from the generator."""
    person = {name: float(rng.uniform(*ends)) for name, ends in _RANGES.items()}
    glasses, beard = bool(rng.random() < GLASSES), bool(rng.random() < BEARD)
    own = _OWN_TEXTURE * _texture(rng, 1)
    turn, nod, smile, light = rng.uniform(-1.0, 1.0, size=(4, pictures, 1, 1))
    bright = rng.uniform(0.92, 1.08, size=(pictures, 1, 1))
    face = _Face(person, turn, nod)
    canvas = face.head(light)
    canvas = face.eyes(canvas)
    canvas = face.nose(canvas)
    canvas = face.beard(canvas) if beard else canvas
    canvas = face.mouth(canvas, smile)
    canvas = face.glasses(canvas) if glasses else canvas
    canvas += face.inside() * own + _TEXTURE * _texture(rng, pictures)
    flat = np.clip(bright * canvas, 0.0, 1.0).reshape(pictures, SIDE * SIDE)
    return Drawn(flat, smile.ravel(), glasses)


@cache
def _grid() -> tuple[FloatArray, FloatArray]:
    axis = (np.arange(SIDE) + 0.5) / SIDE * 2.0 - 1.0
    y, x = np.meshgrid(axis, axis, indexing="ij")
    return x, y


@cache
def _falling() -> FloatArray:
    """Return (SIDE, SIDE / 2 + 1) amplitudes that fall with frequency; 0 for the mean."""
    frequency = np.hypot(np.fft.fftfreq(SIDE)[:, None], np.fft.rfftfreq(SIDE)[None, :]) * SIDE
    amplitude: FloatArray = np.zeros_like(frequency)
    np.power(frequency, -_DECAY, out=amplitude, where=frequency > 0)
    return amplitude


def _texture(rng: np.random.Generator, count: int) -> FloatArray:
    """Return (count, SIDE, SIDE) smooth random fields of mean 0 and variance 1."""
    noise = np.fft.rfft2(rng.standard_normal((count, SIDE, SIDE)))
    fields = np.fft.irfft2(noise * _falling(), s=(SIDE, SIDE))
    made: FloatArray = fields / fields.std(axis=(1, 2), keepdims=True)
    return made


def _soft(level: FloatArray) -> FloatArray:
    """Return 1 where the level is well above 0, 0 where it is well below."""
    made: FloatArray = 1.0 / (1.0 + np.exp(-np.clip(_EDGE * level, -40.0, 40.0)))
    return made


def _blend(canvas: FloatArray, tone: FloatArray | float, where: FloatArray) -> FloatArray:
    blended: FloatArray = canvas + where * (tone - canvas)
    return blended


class _Face:
    """The parts of one person's face, in k poses at once; arrays are (k, SIDE, SIDE)."""

    def __init__(self, person: Mapping[str, float], turn: FloatArray, nod: FloatArray) -> None:
        x, y = _grid()
        self._p = person
        self._x, self._y = x - 0.05 * turn, y - 0.05 - 0.03 * nod
        # Features move further than the head when it turns: they stand in front of its axis.
        self._fx, self._fy = self._x - 0.09 * turn, self._y - 0.03 * nod

    def inside(self) -> FloatArray:
        p = self._p
        jaw = 1.0 + 0.18 * np.maximum(self._y, 0.0)
        return _soft(1.0 - np.hypot(self._x * jaw / p["width"], self._y / p["height"]))

    def head(self, light: FloatArray) -> FloatArray:
        p = self._p
        wide, high = p["width"] + p["sides"], p["height"] + 0.12
        hair = _soft(1.0 - np.hypot(self._x / wide, (self._y + 0.06) / high))
        hair *= _soft(0.3 - self._y)
        round_ = 0.3 * (self._x / p["width"]) ** 2 + 0.12 * (self._y / p["height"]) ** 2
        skin = p["skin"] * (1.0 + 0.28 * light * self._fx - 0.5 * round_)
        neck = _soft(0.3 - np.abs(self._x)) * _soft(self._y - 0.5)
        canvas = np.broadcast_to(np.float64(p["wall"]), self._x.shape)
        canvas = _blend(canvas, 0.8 * skin, neck)
        canvas = _blend(_blend(canvas, p["hair"], hair), skin, self.inside())
        fringe = self.inside() * _soft(p["hairline"] - self._fy + 0.12 * np.abs(self._fx))
        return _blend(canvas, p["hair"], fringe)

    def eyes(self, canvas: FloatArray) -> FloatArray:
        p = self._p
        for side in (-1.0, 1.0):
            x, y = self._fx - side * p["eyes_apart"], self._fy - p["eyes_y"]
            socket = np.exp(-((x / 0.2) ** 2) - ((y / 0.13) ** 2))
            canvas = canvas * (1.0 - 0.22 * socket)
            canvas = _blend(canvas, 0.88, 0.75 * _soft(1.0 - np.hypot(x / p["eye"], y / 0.065)))
            canvas = _blend(canvas, 0.06, _soft(1.0 - np.hypot(x / 0.055, y / 0.06)))
            brow = y + p["brow_y"] + p["tilt"] * side * x
            canvas = _blend(canvas, p["hair"], _soft(1.0 - np.hypot(x / 0.17, brow / p["brow"])))
        return canvas

    def nose(self, canvas: FloatArray) -> FloatArray:
        p = self._p
        y = self._fy - p["eyes_y"]
        ridge = np.exp(-((self._fx / 0.05) ** 2)) * _soft(y - 0.05) * _soft(p["nose"] - y)
        canvas = canvas * (1.0 + 0.14 * ridge)
        under = np.hypot(self._fx / p["nose_width"], (y - p["nose"]) / 0.035)
        return _blend(canvas, 0.45 * p["skin"], 0.7 * _soft(1.0 - under))

    def mouth(self, canvas: FloatArray, smile: FloatArray) -> FloatArray:
        p = self._p
        width = p["mouth"] * (1.0 + 0.22 * smile)
        bend = self._fy - p["mouth_y"] + 0.15 * smile * ((self._fx / width) ** 2 - 0.4)
        lips = _soft(1.0 - np.hypot(self._fx / width, bend / 0.09))
        canvas = _blend(canvas, p["skin"] - p["lips"], 0.8 * lips)
        teeth = np.maximum(smile, 0.0) * _soft(
            1.0 - np.hypot(self._fx / (0.8 * width), bend / 0.035)
        )
        line = (1.0 - np.maximum(smile, 0.0)) * _soft(1.0 - np.hypot(self._fx / width, bend / 0.02))
        return _blend(_blend(canvas, 0.92, teeth), 0.15, line)

    def beard(self, canvas: FloatArray) -> FloatArray:
        p = self._p
        low = _soft(self._fy - p["mouth_y"] + 0.16 - 0.5 * self._fx**2)
        bare = np.exp(-((self._fx / 0.2) ** 2) - (((self._fy - p["mouth_y"]) / 0.1) ** 2))
        return _blend(canvas, 0.2 + 0.5 * p["hair"], 0.8 * low * self.inside() * (1.0 - bare))

    def glasses(self, canvas: FloatArray) -> FloatArray:
        p = self._p
        bridge = _soft(0.12 - np.abs(self._fx)) * _soft(0.03 - np.abs(self._fy - p["eyes_y"]))
        frames = bridge
        for side in (-1.0, 1.0):
            x, y = self._fx - side * p["eyes_apart"], self._fy - p["eyes_y"] - 0.02
            frames = np.maximum(frames, _soft(0.13 - np.abs(np.hypot(x / 0.22, y / 0.19) - 1.0)))
        return _blend(canvas, 0.1, 0.85 * frames)
