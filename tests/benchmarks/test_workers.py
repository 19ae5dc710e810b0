"""The contenders do the work that they are compared on, and the clock sees what they use."""

from pathlib import Path

import numpy as np
import pytest

from benchmarks.workers import (
    collude_aligned,
    collude_rotations,
    collude_stream,
    numpy_stack,
    scipy_gpa,
    scipy_one_shot,
)
from benchmarks.workers.anchors import read
from benchmarks.workers.timing import measured
from collude.common.geometry import centered_orthonormal_anchor, haar_orthogonal


@pytest.fixture
def anchors():
    """Three anchors without noise: each method must bring all onto one."""
    rng = np.random.default_rng(5)
    A = centered_orthonormal_anchor(12, 6, rng)
    return [A @ haar_orthogonal(6, rng) + rng.standard_normal(6) for _ in range(3)]


@pytest.mark.parametrize(
    "method", [collude_aligned.aligned, scipy_gpa.aligned, scipy_one_shot.aligned]
)
def test_what_is_aligned_lies_together(method, anchors):
    first, *others = method(anchors)
    assert np.linalg.norm(first) == pytest.approx(np.sqrt(6))
    for other in others:
        np.testing.assert_allclose(other, first, atol=1e-10)


def test_the_stack_gives_the_same_rotations(anchors):
    ours, stack = (
        method(anchors) for method in (collude_rotations.rotations, numpy_stack.rotations)
    )
    for mine, theirs in zip(ours, stack, strict=True):
        np.testing.assert_allclose(mine @ ours[0].T, theirs @ stack[0].T, atol=1e-10)


def test_a_stream_from_files_is_the_same_alignment(tmp_path, anchors):
    for i, anchor in enumerate(anchors):
        np.save(tmp_path / f"{i}.npy", anchor)
    np.testing.assert_array_equal(read(tmp_path), anchors)
    assert collude_stream.stream(collude_stream.Files(str(tmp_path))) == pytest.approx(
        sum(R[0, 0] for R in collude_rotations.rotations(anchors)), rel=1e-9
    )


@pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="no peak without /proc")
def test_the_clock_sees_work_and_the_peak_of_what_was_freed():
    def work():
        np.ones(8 * 2**20)  # 64 MiB, written and dropped
        return sum(i * i for i in range(200_000))

    result, figures = measured(work)
    assert result == sum(i * i for i in range(200_000))
    assert figures["peak"] > 60 * 2**20
    assert figures["cpu"] > 0
    assert figures["wall"] > 0
    assert measured(lambda: None)[1]["peak"] < 30 * 2**20
