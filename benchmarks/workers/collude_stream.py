"""Ours, from files: two passes that hold one anchor at a time, as the analyst holds uploads.

python -m benchmarks.workers.collude_stream FOLDER
"""

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.workers.timing import measured, say
from collude.analyst.alignment import SpectralAccumulator


class Files(Sequence[Any]):
    """The anchors of a folder, read whenever one is asked for."""

    def __init__(self, folder: str) -> None:
        self._paths = sorted(Path(folder).glob("*.npy"))

    def __getitem__(self, index: Any) -> Any:
        return np.load(self._paths[index], allow_pickle=False)

    def __iter__(self) -> Iterator[Any]:
        return (self[i] for i in range(len(self)))

    def __len__(self) -> int:
        return len(self._paths)


def stream(anchors: Sequence[Any]) -> float:
    """Return a figure to which every rotation contributed; none of them is kept."""
    accumulator = SpectralAccumulator(*anchors[0].shape)
    for anchor in anchors:
        accumulator.add(anchor)
    return sum(float(rotation[0, 0]) for rotation in accumulator.finish(anchors).rotations)


if __name__ == "__main__":
    stream(list(np.random.default_rng(0).standard_normal((3, 9, 8))))
    say(measured(lambda: stream(Files(sys.argv[1])))[1])
