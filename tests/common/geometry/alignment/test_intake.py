"""Bad uploads: every estimator refuses each by the party's name and keeps nothing of it."""

import numpy as np
import pytest

from collude.common.errors import UploadRejected
from collude.common.geometry.alignment import (
    SpectralAccumulator,
    accept_anchor,
    accept_records,
    align_power,
    align_spectral,
    align_to_reference,
)

ESTIMATORS = {
    "reference": align_to_reference,
    "spectral": align_spectral,
    "power": align_power,
}
NAMES = ["participant-0", "participant-1", "participant-2", "participant-3"]
R, D = 9, 5


def _with(value):
    def spoil(B):
        spoilt = B.copy()
        spoilt[3, 2] = value
        return spoilt

    return spoil


SPOILT = {
    "nan": (_with(np.nan), "non-finite", "NONFINITE"),
    "inf": (_with(-np.inf), "non-finite", "NONFINITE"),
    "overflow": (_with(1e200), "too large", "RANGE"),
    "other r": (lambda B: B[:-1], "rows r", "SHAPE"),
    "other d": (lambda B: B[:, :-1], "columns d", "SHAPE"),
    "constant column": (
        lambda B: np.column_stack([B[:, :4], np.ones(R)]),
        "rank-deficient",
        "RANK",
    ),
    "constant column of 1e13": (
        lambda B: np.column_stack([B[:, :4], np.full(R, 1e13 + 0.1)]),
        "rank-deficient",
        "RANK",
    ),
    "too small": (lambda B: (B - B.mean(axis=0)) * 1e-150, "too small", "RANGE"),
    "repeated column": (lambda B: np.column_stack([B[:, :4], B[:, 0]]), "rank-deficient", "RANK"),
    "all zero": (np.zeros_like, "rank-deficient", "RANK"),
    "rank one": (lambda B: np.outer(B[:, 0], np.arange(1.0, D + 1)), "rank-deficient", "RANK"),
    "vector": (lambda B: B.ravel(), "matrix", "TYPE"),
    "complex": (lambda B: B.astype(complex), "matrix", "TYPE"),
    "text": (lambda B: B.astype(str), "matrix", "TYPE"),
    "objects": (lambda B: B.astype(object), "matrix", "TYPE"),
}


def _assert_told(error, party, field, code):
    assert (error.party, error.field, error.code) == (party, field, f"E-UPLOAD-{code}")
    assert error.expected
    assert error.got
    assert error.next_step


@pytest.mark.parametrize("estimator", ESTIMATORS.values(), ids=ESTIMATORS)
@pytest.mark.parametrize("bad", [0, 2])
@pytest.mark.parametrize(("spoil", "reason", "code"), SPOILT.values(), ids=SPOILT)
def test_a_bad_anchor_is_refused_by_name(federate, estimator, bad, spoil, reason, code):
    uploads = federate(R, D, 4, s=0.2).uploads
    uploads[bad] = spoil(uploads[bad])
    with pytest.raises(UploadRejected, match=reason) as caught:
        estimator(uploads, names=NAMES)
    _assert_told(caught.value, f"participant-{bad}", "anchor", code)
    with pytest.raises(UploadRejected) as unnamed:
        estimator(uploads)
    assert unnamed.value.party == f"#{bad}"


@pytest.mark.parametrize("estimator", ESTIMATORS.values(), ids=ESTIMATORS)
@pytest.mark.parametrize("rows", [D, D - 1, 1, 0])
def test_too_few_rows_are_refused_even_if_all_agree(federate, estimator, rows):
    uploads = [B[:rows] for B in federate(R, D, 3).uploads]
    with pytest.raises(UploadRejected, match="r <= d") as caught:
        estimator(uploads)
    assert caught.value.party == "#0"


@pytest.mark.parametrize("estimator", ESTIMATORS.values(), ids=ESTIMATORS)
def test_no_upload_and_a_wrong_number_of_names_are_errors_of_the_caller(federate, estimator):
    with pytest.raises(ValueError, match="at least one"):
        estimator([])
    with pytest.raises(ValueError, match="names"):
        estimator(federate(R, D, 3).uploads, names=NAMES)


@pytest.mark.parametrize(("spoil", "reason", "code"), SPOILT.values(), ids=SPOILT)
def test_the_accumulator_refuses_alike_and_is_unchanged(federate, spoil, reason, code):
    uploads = federate(R, D, 4, s=0.2).uploads
    touched, untouched = SpectralAccumulator(R, D), SpectralAccumulator(R, D)
    for B in uploads:
        with pytest.raises(UploadRejected, match=reason) as caught:
            touched.add(spoil(B), name="participant-7")
        _assert_told(caught.value, "participant-7", "anchor", code)
        touched.add(B)
        untouched.add(B)
    np.testing.assert_array_equal(
        touched.finish(uploads).rotations, untouched.finish(uploads).rotations
    )


def test_the_accumulator_numbers_parties_without_a_name(federate):
    accumulator = SpectralAccumulator(R, D)
    uploads = federate(R, D, 2).uploads
    accumulator.add(uploads[0])
    with pytest.raises(UploadRejected) as caught:
        accumulator.add(np.zeros((R, D)))
    assert caught.value.party == "#1"


def test_no_value_of_an_upload_enters_the_error():
    B = np.random.default_rng(0).standard_normal((R, D))
    B[0, 0] = np.nan
    with pytest.raises(UploadRejected) as caught:
        accept_anchor(B, None, "participant-1")
    shown = str(caught.value)
    assert not any(f"{abs(value):.4g}" in shown for value in B.ravel()[1:])


def test_an_ill_conditioned_but_full_rank_anchor_is_accepted(federate):
    """Condition number 1e8: its Gram matrix alone could not tell it from a singular one."""
    B = federate(R, D, 1).uploads[0]
    left, _, right = np.linalg.svd(B - B.mean(axis=0), full_matrices=False)
    accept_anchor(left @ np.diag([1, 1, 1, 1, 1e-8]) @ right, None, "participant-0")
    with pytest.raises(UploadRejected, match="rank-deficient"):
        accept_anchor(left @ np.diag([1, 1, 1, 1, 1e-17]) @ right, None, "participant-0")


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32, ">f8"])
def test_memory_order_and_real_type_do_not_matter(federate, order, dtype):
    uploads = [B.astype(np.float32).astype(np.float64) for B in federate(R, D, 3, s=0.3).uploads]
    plain = align_spectral(uploads)
    other = align_spectral([np.asarray(B, dtype=dtype, order=order) for B in uploads])
    np.testing.assert_array_equal(plain.rotations, other.rotations)


@pytest.mark.parametrize(
    ("records", "reason", "code"),
    [
        (np.zeros((0, D)), "zero rows", "EMPTY"),
        (np.zeros((3, D + 1)), "another width", "SHAPE"),
        (np.full((3, D), np.nan), "non-finite", "NONFINITE"),
        (np.full((3, D), 1e300), "too large", "RANGE"),
        (np.zeros(D), "matrix", "TYPE"),
        (np.zeros((2, D), dtype=bool), "matrix", "TYPE"),
    ],
)
def test_bad_records_are_refused_by_name(records, reason, code):
    with pytest.raises(UploadRejected, match=reason) as caught:
        accept_records(records, D, "participant-4")
    _assert_told(caught.value, "participant-4", "records", code)


def test_one_row_of_records_is_enough():
    assert accept_records(np.ones((1, D), dtype=np.float32), D, "x").dtype == np.float64
