"""Secret sharing: refused first, every subset tried, and the field solved another way."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from collude.codef.secagg.shamir import PRIME, combine, lagrange, parse_share, split

SECRETS = st.binary(min_size=31, max_size=31)
KEYS = st.binary(min_size=32, max_size=32)


@pytest.mark.parametrize("points", [[0, 1], [1, 1], [-1, 2], [PRIME, 1]])
def test_points_that_give_the_secret_away_or_coincide_are_refused(points):
    with pytest.raises(ValueError, match="distinct"):
        split(bytes(31), 2, points, bytes(32))
    with pytest.raises(ValueError, match="distinct"):
        lagrange(points)


@pytest.mark.parametrize("length", [0, 30, 32])
def test_a_secret_of_another_length_is_refused(length):
    with pytest.raises(ValueError, match="31 bytes"):
        split(bytes(length), 2, [1, 2], bytes(32))


@pytest.mark.parametrize(
    "share",
    [b"", bytes(31), bytes(33), PRIME.to_bytes(32, "little"), b"\xff" * 32,
     (PRIME + 1).to_bytes(32, "little")],
)  # fmt: skip
def test_a_share_that_is_no_reduced_field_element_is_refused(share):
    with pytest.raises(ValueError, match="share"):
        parse_share(share)


def test_shares_of_another_polynomial_are_refused_when_they_give_no_secret():
    shares = [int.from_bytes(s, "little") for s in split(b"s" * 31, 2, [1, 2], bytes(32))]
    with pytest.raises(ValueError, match="do not give"):
        combine(lagrange([1, 2]), [shares[0], (shares[1] + 2**250) % PRIME])


def solve(points, values):
    """The polynomial's value at 0, by Gaussian elimination over the integers modulo the prime."""
    size = len(points)
    rows = [
        [pow(x, k, PRIME) for k in range(size)] + [y] for x, y in zip(points, values, strict=True)
    ]
    for column in range(size):
        pivot = next(r for r in range(column, size) if rows[r][column])
        rows[column], rows[pivot] = rows[pivot], rows[column]
        inverse = pow(rows[column][column], PRIME - 2, PRIME)
        rows[column] = [v * inverse % PRIME for v in rows[column]]
        for r in range(size):
            if r != column:
                factor = rows[r][column]
                rows[r] = [
                    (a - factor * b) % PRIME for a, b in zip(rows[r], rows[column], strict=True)
                ]
    return rows[0][-1]


@given(SECRETS, KEYS, st.data())
def test_every_subset_of_threshold_shares_gives_the_secret_and_none_smaller(secret, key, data):
    silos = data.draw(st.integers(3, 6))
    threshold = data.draw(st.integers(2, silos))
    points = data.draw(st.lists(st.integers(1, 1000), min_size=silos, max_size=silos, unique=True))
    shares = [parse_share(share) for share in split(secret, threshold, points, key)]
    known = dict(zip(points, shares, strict=True))
    for subset in itertools.combinations(points, threshold):
        values = [known[x] for x in subset]
        assert combine(lagrange(subset), values) == secret
        assert solve(subset, values) == int.from_bytes(secret, "little")
    for subset in itertools.combinations(points, threshold - 1):
        assert solve(subset, [known[x] for x in subset]) != int.from_bytes(secret, "little")


@given(SECRETS, SECRETS, KEYS, st.integers(2, 6))
def test_fewer_shares_fit_any_other_secret_as_well(secret, other, key, threshold):
    """Through t - 1 shares and any value at 0 goes one polynomial of degree t - 1."""
    points = list(range(1, threshold))
    shares = [parse_share(s) for s in split(secret, threshold, points, key)]
    fake = int.from_bytes(other, "little")
    new = threshold + 1
    # the value at a new point of the polynomial through (0, fake) and the shares
    at_new, through = 0, [(0, fake), *zip(points, shares, strict=True)]
    for x, y in through:
        weight = 1
        for z, _ in through:
            if z != x:
                weight = weight * (new - z) * pow(x - z, -1, PRIME) % PRIME
        at_new += y * weight
    assert combine(lagrange([*points, new]), [*shares, at_new % PRIME]) == other


def test_shares_depend_on_the_key_and_are_spread_over_the_field():
    drawn = [
        int.from_bytes(split(bytes(31), 2, [1], bytes([i] * 32))[0], "little") for i in range(256)
    ]
    assert len(set(drawn)) == 256
    high = sum(value > PRIME // 2 for value in drawn)
    assert 88 < high < 168  # five standard deviations of a fair coin
