"""Records as small grey images."""

import base64
import io
from importlib.util import find_spec

import numpy as np
from numpy.typing import NDArray

from collude.common.errors import ExtraMissing

FloatArray = NDArray[np.float64]

DARKEST = 1.0
"""Pixels run from 0, paper, to this, ink; others are clipped."""


def require_matplotlib() -> None:
    """Do nothing if figures can be drawn.

    Raises:
        ExtraMissing: matplotlib is not installed.
    """
    if find_spec("matplotlib") is None:
        raise ExtraMissing(
            "the report's figures need matplotlib, which is not installed",
            field="report",
            hint='Install the extra "demo": pip install "collude[demo]"',
        )


def tile(record: FloatArray, shape: tuple[int, int]) -> str:
    """Return one record as a data URI of a PNG with one pixel per value, ink on paper.

    Args:
        record: (height * width,) row by row; values outside 0 and 1 are clipped.
        shape: (height, width).
    """
    from matplotlib.image import imsave  # noqa: PLC0415 -- slow to import, an optional extra

    buffer = io.BytesIO()
    pixels = np.clip(record, 0.0, DARKEST).reshape(shape)
    imsave(buffer, pixels, cmap="gray_r", vmin=0.0, vmax=DARKEST, format="png")
    return data_uri(buffer.getvalue())


def data_uri(png: bytes) -> str:
    """Return a PNG as a text that stands in a page in place of an address."""
    return f"data:image/png;base64,{base64.b64encode(png).decode()}"
