"""Records as small grey images."""

import base64
import struct
import zlib
from importlib.util import find_spec

import numpy as np
from numpy.typing import NDArray

from collude.common.errors import ExtraMissing

FloatArray = NDArray[np.float64]

FULL = 1.0
"""Pixels run from 0 to this; others are clipped."""


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


def tile(record: FloatArray, shape: tuple[int, int], *, ink: bool = False) -> str:
    """Return one record as a data URI of a PNG with one pixel per value.

    Args:
        record: (height * width,) row by row; values outside 0 and 1 are clipped.
        shape: (height, width).
        ink: 1 is ink on paper; else 0 is black and 1 is white, as in photographs.
    """
    level = np.clip(record, 0.0, FULL)
    light = (FULL - level if ink else level).reshape(shape)
    pixels = np.round(255.0 * light).astype(np.uint8)
    # Grey has one channel, not the three that matplotlib writes: the page is a third as large.
    return data_uri(grey_png(pixels))


def grey_png(pixels: NDArray[np.uint8]) -> bytes:
    """Return a PNG of (height, width) grey pixels.

    Source: PNG specification, sections 5 and 11 (colour type 0, filter type 0).
    """
    height, width = pixels.shape
    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    lines = np.pad(pixels, ((0, 0), (1, 0))).tobytes()  # each begins with its filter's number
    parts = ((b"IHDR", header), (b"IDAT", zlib.compress(lines, 9)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(kind, content) for kind, content in parts)


def _chunk(kind: bytes, content: bytes) -> bytes:
    check = zlib.crc32(kind + content)
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", check)


def data_uri(png: bytes) -> str:
    """Return a PNG as a text that stands in a page in place of an address."""
    return f"data:image/png;base64,{base64.b64encode(png).decode()}"
