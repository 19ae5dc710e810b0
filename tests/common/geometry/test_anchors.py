"""The anchor and the checks that every participant makes."""

import numpy as np
import pytest

from collude.common.errors import AnchorInvalid
from collude.common.geometry import centered_orthonormal_anchor, check_anchor

RNG_SEED = 11


def _anchor(r=9, d=5):
    return centered_orthonormal_anchor(r, d, np.random.default_rng(RNG_SEED))


@pytest.mark.parametrize(("r", "d"), [(4, 4), (3, 4), (1, 1), (5, 0), (5, -1)])
def test_too_few_rows_are_refused(r, d):
    with pytest.raises(ValueError, match="r >= d"):
        centered_orthonormal_anchor(r, d, np.random.default_rng(0))


@pytest.mark.parametrize(
    ("spoil", "reason"),
    [
        (lambda A: A[0], "not a matrix"),
        (lambda A: A.astype(complex), "not a matrix"),
        (lambda A: A.astype(object), "not a matrix"),
        (lambda A: A[:5], "too few rows"),
        (lambda A: A[:0], "too few rows"),
        (lambda A: np.where(np.arange(5) == 2, np.nan, A), "NaN"),
        (lambda A: np.where(np.arange(5) == 2, np.inf, A), "NaN or infinity"),
        (lambda A: 1.001 * A, "A\\^T A = I"),
        (lambda A: np.column_stack([A[:, :4], A[:, 0]]), "A\\^T A = I"),
        (lambda A: np.linalg.qr(A + 1.0)[0], "1\\^T A = 0"),
        (lambda A: 1e200 * A, "A\\^T A = I"),
    ],
    ids=[
        "vector",
        "complex",
        "object",
        "r = d",
        "no rows",
        "nan",
        "inf",
        "inflated",
        "rank-deficient",
        "not centred",
        "overflow",
    ],
)
@pytest.mark.filterwarnings("ignore:overflow:RuntimeWarning")
@pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning")
def test_a_bad_anchor_is_refused(spoil, reason):
    with pytest.raises(AnchorInvalid, match=reason):
        check_anchor(spoil(_anchor()))


def test_the_error_shows_no_entry_of_the_anchor():
    A = 2 * _anchor()
    with pytest.raises(AnchorInvalid) as caught:
        check_anchor(A)
    shown = str(caught.value) + repr(vars(caught.value))
    assert not any(f"{abs(entry):.6g}" in shown for entry in A.ravel())


def test_a_deviation_just_above_the_tolerance_is_refused_and_below_accepted():
    A = _anchor()
    check_anchor(A * (1 + 2e-11))
    with pytest.raises(AnchorInvalid):
        check_anchor(A * (1 + 2e-10))


@pytest.mark.parametrize(("r", "d"), [(2, 1), (65, 64), (256, 64), (401, 400)])
def test_an_anchor_is_centred_and_orthonormal(r, d):
    A = centered_orthonormal_anchor(r, d, np.random.default_rng(r))
    assert A.shape == (r, d)
    np.testing.assert_allclose(A.T @ A, np.eye(d), atol=1e-12)
    np.testing.assert_allclose(A.sum(axis=0), 0, atol=1e-10)
    check_anchor(A)


def test_the_column_span_has_no_preferred_direction():
    """E A A^T = d / (r - 1) H_r when the span is uniform among those orthogonal to 1."""
    rng = np.random.default_rng(12)
    r, d, draws = 5, 2, 4000
    mean = np.zeros((r, r))
    for _ in range(draws):
        A = centered_orthonormal_anchor(r, d, rng)
        mean += A @ A.T / draws
    np.testing.assert_allclose(mean, d / (r - 1) * (np.eye(r) - 1 / r), atol=0.03)
