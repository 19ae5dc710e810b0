"""Gauge-free errors."""

import numpy as np
import pytest

from collude.common.geometry import haar_orthogonal, pair_error, rotation_error


def _draws(count, d, seed):
    rng = np.random.default_rng(seed)
    return [haar_orthogonal(d, rng) for _ in range(count)]


@pytest.mark.parametrize(("secrets", "alignments"), [(1, 1), (0, 0), (3, 2)])
def test_what_is_no_pair_is_refused(secrets, alignments):
    with pytest.raises(ValueError, match="equally long"):
        pair_error(_draws(secrets, 2, 0), _draws(alignments, 2, 1))


def test_the_pair_error_equals_the_sum_over_pairs():
    secrets, aligned = _draws(5, 4, 1), _draws(5, 4, 2)
    pairs = [
        np.linalg.norm(secrets[i] @ aligned[i] - secrets[j] @ aligned[j]) ** 2 / 4
        for i in range(5)
        for j in range(5)
        if i != j
    ]
    assert pair_error(secrets, aligned) == pytest.approx(np.mean(pairs))


def test_the_pair_error_knows_no_gauge():
    secrets, aligned, (Q,) = _draws(4, 6, 3), _draws(4, 6, 4), _draws(1, 6, 5)
    assert pair_error(secrets, [R_i @ Q for R_i in aligned]) == pytest.approx(
        pair_error(secrets, aligned)
    )


def test_perfect_random_and_worst_alignments():
    secrets = _draws(30, 8, 6)
    perfect = [O_i.T for O_i in secrets]
    assert pair_error(secrets, perfect) < 1e-12
    assert pair_error(secrets, [np.eye(8)] * 30) == pytest.approx(2.0, rel=0.1)
    assert pair_error(secrets[:2], [perfect[0], -perfect[1]]) == pytest.approx(4.0)
    assert rotation_error(-secrets[0], secrets[0]) == pytest.approx(4.0)
