"""Spectral alignment against a thin SVD of all anchors side by side, in one run.

    make bench

Both give every participant's rotation from the same anchors, on one BLAS thread, in turn. The
ratio of medians is what counts; seconds belong to the machine. Writes benchmarks/results/.
"""

import json
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from threadpoolctl import threadpool_info, threadpool_limits

from collude.analyst.alignment import align_spectral
from collude.common.geometry import centered_orthonormal_anchor, haar_orthogonal, polar_factor

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "benchmarks" / "results"
REPEATS = 5
NOISE_S = 0.4
"""s = v sqrt(d): the anchor noise v relative to the length of an anchor's columns."""

SIZES = ({"d": 64, "r": 65, "p": 10}, {"d": 400, "r": 401, "p": 10}, {"d": 400, "r": 800, "p": 50})

Rotations = list[np.ndarray]


def noisy_anchors(d: int, r: int, p: int) -> list[np.ndarray]:
    """Return p transformed noisy anchors of shape (r, d)."""
    rng = np.random.default_rng(0)
    A = centered_orthonormal_anchor(r, d, rng)
    noise = NOISE_S / np.sqrt(d)
    return [(A + noise * rng.standard_normal((r, d))) @ haar_orthogonal(d, rng) for _ in range(p)]


def streamed(anchors: list[np.ndarray]) -> Rotations:
    """Return the rotations of the product's estimator."""
    return list(align_spectral(anchors).rotations)


def stacked(anchors: list[np.ndarray]) -> Rotations:
    """Return the rotations from numpy's thin SVD of the r x pd stack and one SVD a block."""
    d = anchors[0].shape[1]
    stack = np.hstack([B - B.mean(axis=0) for B in anchors])
    _, _, right = np.linalg.svd(stack, full_matrices=False)
    return [polar_factor(right[:d, i : i + d].T) for i in range(0, stack.shape[1], d)]


METHODS: dict[str, Callable[[list[np.ndarray]], Rotations]] = {
    "align_spectral": streamed,
    "numpy thin SVD of the stack": stacked,
}


def measure(size: dict[str, int]) -> dict[str, Any]:
    """Return the medians of each method's times in seconds, and how many times faster ours is."""
    anchors = noisy_anchors(**size)
    times: dict[str, list[tuple[float, float]]] = {name: [] for name in METHODS}
    for _ in range(REPEATS):
        for name, call in METHODS.items():
            times[name].append(seconds(call, anchors))
    wall = {name: statistics.median(pair[0] for pair in pairs) for name, pairs in times.items()}
    cpu = {name: statistics.median(pair[1] for pair in pairs) for name, pairs in times.items()}
    ours, theirs = METHODS
    return {
        **size,
        "wall": wall,
        "cpu": cpu,
        "cpu_ratio": cpu[theirs] / cpu[ours],
        "largest_difference": difference(anchors),
    }


def seconds(
    call: Callable[[list[np.ndarray]], Rotations], anchors: list[np.ndarray]
) -> tuple[float, float]:
    """Return the wall and CPU seconds of one call."""
    wall, cpu = time.perf_counter(), time.process_time()
    call(anchors)
    return time.perf_counter() - wall, time.process_time() - cpu


def difference(anchors: list[np.ndarray]) -> float:
    """Return the largest entry by which the two methods' R_0 R_1^T differ: both solve one task."""
    first, second = (call(anchors)[:2] for call in METHODS.values())
    return float(np.abs(first[0] @ first[1].T - second[0] @ second[1].T).max())


def conditions() -> dict[str, object]:
    """Return the commit, machine and versions that the numbers belong to."""
    git = ["git", "describe", "--always", "--dirty"]
    commit = subprocess.run(git, check=False, cwd=ROOT, capture_output=True, text=True)
    return {
        "commit": commit.stdout.strip() or None,
        "machine": platform.platform(),
        "python": platform.python_version(),
        "numpy": version("numpy"),
        "blas": [pool.get("architecture") for pool in threadpool_info()],
    }


def main() -> None:
    """Measure every size, print a line for each, and write all of it."""
    difference(noisy_anchors(**SIZES[0]))  # loads every BLAS, so that the limit holds for all
    with threadpool_limits(limits=1):
        rows = [measure(size) for size in SIZES]
    for row in rows:
        print("d={d} r={r} p={p}: {cpu_ratio:.1f} times less CPU than the stack".format(**row))
    RESULTS.mkdir(exist_ok=True)
    file = RESULTS / "alignment.json"
    file.write_text(json.dumps({**conditions(), "rows": rows}, indent=2) + "\n", encoding="utf-8")
    print(f"written: {file.relative_to(ROOT)}", file=sys.stderr)


if __name__ == "__main__":
    main()
