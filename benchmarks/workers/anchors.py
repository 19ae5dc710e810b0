"""The anchors that every contender reads, one file each, and what all of them begin with."""

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.workers.timing import measured, say

Arrays = list[np.ndarray[Any, np.dtype[np.float64]]]

_WARM_SHAPE = (3, 9, 8)
"""Anchors of a first call, so that no library is still loading when the clock starts."""


def read(folder: str | Path) -> Arrays:
    """Return the anchors of a folder, in order."""
    return [np.load(path, allow_pickle=False) for path in sorted(Path(folder).glob("*.npy"))]


def centred(anchors: Arrays) -> Arrays:
    """Return the anchors without their means: peers do not centre."""
    return [anchor - anchor.mean(axis=0) for anchor in anchors]


def run(method: Callable[[Arrays], Sequence[Any]]) -> None:
    """Measure a method on the folder named first; save what it returns to the file named second."""
    anchors = read(sys.argv[1])
    method(list(np.random.default_rng(0).standard_normal(_WARM_SHAPE)))
    result, figures = measured(lambda: method(anchors))
    if len(sys.argv) > 2:
        np.save(sys.argv[2], np.stack(result))
    say(figures)
