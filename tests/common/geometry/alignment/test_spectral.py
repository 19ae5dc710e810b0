"""The spectral estimator, in memory and streamed."""

import math
import tracemalloc
from dataclasses import FrozenInstanceError

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from collude.common.errors import UploadRankDeficient
from collude.common.geometry import haar_orthogonal, pair_error, polar_factor
from collude.common.geometry.alignment import SpectralAccumulator, align_spectral


def _gauge_free(rotations):
    """Return R_i R_0^T for all i: the gauge cancels."""
    return np.stack([R_i @ rotations[0].T for R_i in rotations])


def _by_thin_svd(uploads):
    """The estimator as written: leading right singular vectors of the stack, block by block."""
    d = uploads[0].shape[1]
    stack = np.hstack([B - B.mean(axis=0) for B in uploads])
    right = np.linalg.svd(stack, full_matrices=False)[2][:d].T
    return [polar_factor(right[i * d : (i + 1) * d]) for i in range(len(uploads))]


def _streamed(uploads, second_pass):
    accumulator = SpectralAccumulator(*uploads[0].shape)
    for B in uploads:
        accumulator.add(B)
    return accumulator.finish(second_pass)


@pytest.mark.parametrize(("r", "d"), [(4, 4), (0, 0), (3, 0)])
def test_an_impossible_shape_is_refused(r, d):
    with pytest.raises(ValueError, match="r >= d"):
        SpectralAccumulator(r, d)


def test_finishing_without_an_anchor_is_refused():
    with pytest.raises(ValueError, match="at least one"):
        SpectralAccumulator(3, 2).finish([])


@pytest.mark.parametrize("kind", [list, iter], ids=["sequence", "iterator"])
@pytest.mark.parametrize(
    "change",
    [lambda B: B[:-1], lambda B: [*B, B[0]], lambda B: B[::-1]],
    ids=["one missing", "one more", "another order"],
)
def test_a_second_pass_over_other_anchors_is_refused(federate, kind, change):
    uploads = federate(7, 4, 3, s=0.2).uploads
    with pytest.raises(ValueError, match=r"pass|came back|zip|argument"):
        _ = list(_streamed(uploads, kind(change(uploads))).rotations)


def test_uploads_that_hide_each_other_are_refused_together(federate):
    """Each has full rank, but beside a norm of 1e12 the others' directions round away."""
    uploads = federate(7, 4, 3).uploads
    left, _, right = np.linalg.svd(uploads[1] - uploads[1].mean(axis=0), full_matrices=False)
    uploads[1] = 1e12 * (left @ np.diag([1, 1, 1, 1e-12]) @ right)
    with pytest.raises(UploadRankDeficient, match="together") as caught:
        align_spectral(uploads, names=["a", "b", "c"])
    assert caught.value.party == "b"


@pytest.mark.parametrize("r", [13, 48], ids=["r = d + 1", "r = 4 d"])
@pytest.mark.parametrize("s", [0.0, 0.3, 1.0])
def test_it_equals_the_thin_svd_of_the_stack(federate, r, s):
    uploads = federate(r, 12, 5, s=s).uploads
    np.testing.assert_allclose(
        _gauge_free(align_spectral(uploads).rotations),
        _gauge_free(_by_thin_svd(uploads)),
        atol=1e-10,
    )


@pytest.mark.parametrize("r", [9, 32])
def test_without_noise_it_is_exact(federate, r):
    federation = federate(r, 8, 4)
    alignment = align_spectral(federation.uploads)
    assert pair_error(federation.rotations, alignment.rotations) < 1e-12
    X = np.random.default_rng(1).standard_normal((5, 8))
    aligned = [alignment.transform(i, s.apply(X)) for i, s in enumerate(federation.secrets)]
    for rows in aligned[1:]:
        np.testing.assert_allclose(rows, aligned[0], atol=1e-12)


@pytest.mark.parametrize("kind", [list, tuple, iter], ids=["list", "tuple", "iterator"])
def test_streaming_equals_the_estimate_in_memory(federate, kind):
    uploads = federate(20, 9, 6, s=0.4).uploads
    whole, streamed = align_spectral(uploads), _streamed(uploads, kind(uploads))
    np.testing.assert_array_equal(list(streamed.rotations), list(whole.rotations))
    np.testing.assert_array_equal(streamed.means, whole.means)
    assert streamed.residual == pytest.approx(whole.residual, rel=1e-12)
    assert streamed.gap == whole.gap
    assert streamed.participant_noise == whole.participant_noise


def test_lazy_rotations_are_a_sequence(federate):
    uploads = federate(7, 4, 3, s=0.2).uploads
    rotations = _streamed(uploads, uploads).rotations
    assert len(rotations) == 3
    np.testing.assert_array_equal(rotations[-1], rotations[2])
    np.testing.assert_array_equal(rotations[1:], [rotations[1], rotations[2]])
    with pytest.raises(IndexError):
        _ = rotations[3]


def test_a_rotation_is_computed_once_in_memory_and_each_time_in_a_stream(federate):
    uploads = federate(7, 4, 3, s=0.2).uploads
    in_memory, streamed = align_spectral(uploads), _streamed(uploads, uploads)
    assert in_memory.rotations[1] is in_memory.rotations[1]
    assert streamed.rotations[1] is not streamed.rotations[1]


def test_a_list_that_changes_afterwards_changes_nothing(federate):
    uploads = federate(7, 4, 3, s=0.2).uploads
    expected = list(align_spectral(uploads).rotations)
    alignment = align_spectral(uploads)
    uploads.clear()
    np.testing.assert_array_equal(list(alignment.rotations), expected)
    assert 0 < alignment.residual < 1


def test_memory_does_not_grow_with_the_number_of_participants():
    """A thousand anchors of 20 kB, made on demand: the peak stays below twenty of them."""
    r, d, p = 51, 50, 1000

    class OnDemand(list):
        def __len__(self):
            return p

        def __getitem__(self, i):
            if i >= p:
                raise IndexError(i)
            return np.random.default_rng(i).standard_normal((r, d))

        def __iter__(self):
            return (self[i] for i in range(p))

    anchors = OnDemand()
    tracemalloc.start()
    alignment = _streamed_from(anchors, r, d)
    residual, last = alignment.residual, alignment.rotations[p - 1]
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert 0 < residual < 1
    assert last.shape == (d, d)
    assert peak < 20 * r * d * 8 + p * (d * 8 + 400)


def _streamed_from(anchors, r, d):
    accumulator = SpectralAccumulator(r, d)
    for B in anchors:
        accumulator.add(B)
    return accumulator.finish(anchors)


@given(
    seed=st.integers(0, 2**32 - 1),
    d=st.integers(1, 6),
    extra=st.integers(1, 5),
    p=st.integers(2, 5),
    data=st.data(),
)
def test_order_of_participants_and_common_gauge_do_not_matter(seed, d, extra, p, data):
    rng = np.random.default_rng(seed)
    truth = rng.standard_normal((d + extra, d))
    uploads = [
        truth @ haar_orthogonal(d, rng) + 0.05 * rng.standard_normal(truth.shape) for _ in range(p)
    ]
    order = data.draw(st.permutations(range(p)))
    straight = align_spectral(uploads)
    shuffled = align_spectral([uploads[i] for i in order])
    back = [shuffled.rotations[order.index(i)] for i in range(p)]
    np.testing.assert_allclose(_gauge_free(straight.rotations), _gauge_free(back), atol=1e-5)
    assert straight.residual == pytest.approx(shuffled.residual, rel=1e-6, abs=1e-12)


def test_a_translation_of_one_upload_moves_its_mean_only(federate):
    uploads = federate(7, 4, 3, s=0.3).uploads
    before = align_spectral(uploads)
    uploads[1] = uploads[1] + np.arange(4.0)
    after = align_spectral(uploads)
    np.testing.assert_allclose(
        _gauge_free(after.rotations), _gauge_free(before.rotations), atol=1e-9
    )
    np.testing.assert_allclose(after.means[1] - before.means[1], np.arange(4.0), atol=1e-12)
    np.testing.assert_array_equal(after.offset, np.zeros(4))


def test_the_residual_is_the_energy_outside_the_mean(federate):
    uploads = federate(15, 6, 4, s=0.7).uploads
    alignment = align_spectral(uploads)
    aligned = np.stack([alignment.transform(i, B) for i, B in enumerate(uploads)])
    spread = np.sum((aligned - aligned.mean(axis=0)) ** 2)
    energy = sum(np.sum((B - B.mean(axis=0)) ** 2) for B in uploads)
    assert alignment.residual == pytest.approx(spread / energy, rel=1e-10)


def _deviation_of_noise(s, r, d):
    """Return the standard deviation of one participant's estimate of s^2.

    ||Bbar||^2 = d + 2 v <A O, W> + v^2 ||H_r W||^2: the middle term has variance 4 v^2 d, the last
    2 v^4 (r - 1) d.
    """
    return math.hypot(2 * s / (r - 1), s * s * math.sqrt(2 / ((r - 1) * d)))


@pytest.mark.parametrize("r", [101, 200, 400])
@pytest.mark.parametrize("s", [0.2, 1.0, 3.0])
def test_the_noise_estimate_is_right(federate, r, s):
    d, p = 100, 6
    alignment = align_spectral(federate(r, d, p, s=s).uploads)
    deviation = _deviation_of_noise(s, r, d)
    assert alignment.noise**2 == pytest.approx(s * s, abs=3.5 * deviation / math.sqrt(p))
    squares = [noise**2 for noise in alignment.participant_noise]
    assert squares == pytest.approx([s * s] * p, abs=3.5 * deviation)


def test_the_noise_estimate_is_unbiased_and_spreads_as_derived(federate):
    estimates = [
        variance
        for seed in range(100)
        for variance in align_spectral(federate(12, 9, 6, s=0.5, seed=seed).uploads).noise_variances
    ]
    deviation = _deviation_of_noise(0.5, 12, 9)
    assert np.mean(estimates) == pytest.approx(0.25, abs=3.5 * deviation / math.sqrt(600))
    assert np.std(estimates) == pytest.approx(deviation, rel=0.1)


def test_the_noise_of_one_participant_is_told_apart(federate):
    uploads = federate(101, 100, 3, s=0.2).uploads
    uploads[1] = uploads[1] + 0.05 * np.random.default_rng(3).standard_normal((101, 100))
    noise = align_spectral(uploads).participant_noise
    assert noise == pytest.approx([0.2, math.hypot(0.2, 0.5), 0.2], rel=0.1)


def test_the_gap_is_blind_at_one_more_row_and_speaks_with_more(federate):
    assert math.isnan(align_spectral(federate(41, 40, 5, s=0.5).uploads).gap)
    clean, noisy = (align_spectral(federate(160, 40, 5, s=s).uploads) for s in (0.0, 2.0))
    assert clean.gap > 0.999
    assert noisy.gap < 0.1
    assert any("gap" in warning for warning in noisy.warnings)
    assert clean.warnings == ()
    assert clean.expected_pair_error is None


def test_a_high_expected_pair_error_is_warned_of(federate):
    noisy = align_spectral(federate(41, 40, 5, s=1.0).uploads)
    assert noisy.expected_pair_error == pytest.approx(0.875, rel=0.1)
    assert any("pair error" in warning for warning in noisy.warnings)
    assert align_spectral(federate(41, 40, 5, s=0.3).uploads).warnings == ()


def test_one_participant_alone_is_aligned_with_itself(federate):
    alignment = align_spectral(federate(7, 4, 1, s=0.3).uploads)
    assert alignment.residual < 1e-12
    np.testing.assert_allclose(
        alignment.rotations[0] @ alignment.rotations[0].T, np.eye(4), atol=1e-12
    )


def test_the_result_is_frozen_checks_widths_and_shows_no_numbers_of_uploads(federate):
    alignment = align_spectral(federate(7, 4, 2, s=0.3).uploads)
    with pytest.raises(ValueError, match="width 4"):
        alignment.transform(0, np.zeros((2, 5)))
    with pytest.raises(FrozenInstanceError):
        alignment.gap = 0.0
    assert "array" not in repr(alignment)
