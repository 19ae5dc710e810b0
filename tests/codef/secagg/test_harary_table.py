"""The table of parameters for 40 bits of privacy and 20 of liveness, by exact counting.

The design's table has degrees that are a step or two (of two neighbours) too small in some rows: at
them a promise is broken, which the exact count shows. Ours are never smaller than its.
"""

import math
from fractions import Fraction
from itertools import product

import pytest

from collude.codef.secagg.parameters import ETA, SIGMA, Expectation, harary_parameters
from collude.codef.secagg.shamir import combine, lagrange, split
from collude.codef.secagg.terms import majority

# corrupt %, dropouts %, semi-malicious -> silos: (degree, share threshold)
DESIGN = {
    (5, 5, False): {100: (12, 6), 500: (26, 16), 1000: (28, 17), 10000: (34, 20)},
    (33, 10, False): {100: (40, 31), 500: (90, 64), 1000: (102, 72), 10000: (126, 88)},
    (33, 33, False): {100: (66, 34), 500: (212, 112), 1000: (284, 150), 10000: (422, 221)},
    (10, 10, True): {100: (30, 21), 500: (80, 56), 1000: (96, 67), 10000: (122, 85)},
}
OURS = {
    (5, 5, False): {100: (12, 6), 500: (28, 16), 1000: (30, 17), 10000: (34, 20)},
    (33, 10, False): {100: (42, 32), 500: (90, 64), 1000: (102, 72), 10000: (126, 88)},
    (33, 33, False): {100: (68, 34), 500: (214, 113), 1000: (286, 150), 10000: (422, 221)},
    (10, 10, True): {100: (32, 22), 500: (84, 59), 1000: (100, 70), 10000: (122, 85)},
}
ROWS = [(*kind, silos) for kind, row in OURS.items() for silos in row]
PRIVATE, LIVE = Fraction(1, 2 ** (SIGMA + 1)), Fraction(1, 2**ETA)


def tail(total, marked, draws, least):
    """P(at least `least` of `draws` are marked), exactly."""
    hits = range(max(least, 0), min(marked, draws) + 1)
    ways = sum(math.comb(marked, x) * math.comb(total - marked, draws - x) for x in hits)
    return Fraction(ways, math.comb(total, draws))


def promises(kind, silos, degree, threshold):
    """Which of the three hold, with a union bound over all silos: private, connected, live."""
    corrupt, gone, lies = silos * kind[0] // 100, silos * kind[1] // 100, kind[2]
    # If the coordinator lies about who is alive, d + 1 holders and the c corrupt ones again must
    # not make up two sets of t: c < 2t - (d + 1).
    enough = 2 * threshold - (degree + 1) if lies else threshold
    pairs = silos * (silos - degree - 1) // 2
    cut = Fraction(math.comb(corrupt + gone, degree), math.comb(silos, degree))
    return {
        "private": silos * tail(silos, corrupt, degree, enough) <= PRIVATE,
        "connected": pairs * cut <= PRIVATE,
        "live": silos * tail(silos, gone, degree, degree - threshold + 1) <= LIVE,
    }


def expected(kind, silos):
    return Expectation(silos, silos * kind[0] // 100, silos * kind[1] // 100, kind[2])


@pytest.mark.parametrize(("corrupt", "gone", "lies", "silos"), ROWS)
def test_every_row_keeps_its_promises(corrupt, gone, lies, silos):
    kind = corrupt, gone, lies
    found = harary_parameters(expected(kind, silos))
    assert found == OURS[kind][silos]
    assert all(promises(kind, silos, *found).values())
    wanted = DESIGN[kind][silos]
    assert wanted[0] <= found[0] <= wanted[0] + 4
    assert wanted[1] <= found[1] <= wanted[1] + 3


@pytest.mark.parametrize(("corrupt", "gone", "lies", "silos"), [r for r in ROWS if r[3] <= 1000])
def test_no_smaller_degree_has_a_threshold_that_keeps_them(corrupt, gone, lies, silos):
    kind = corrupt, gone, lies
    degree, threshold = OURS[kind][silos]
    smaller = degree - 2
    kept = (promises(kind, silos, smaller, t) for t in range(threshold - 4, threshold + 3))
    assert not any(all(each.values()) for each in kept)
    assert not all(promises(kind, silos, degree, threshold - 1).values())


DIFFERENT = [(kind, k) for kind, row in OURS.items() for k in row if DESIGN[kind][k] != row[k]]


@pytest.mark.parametrize(("kind", "silos"), DIFFERENT)
def test_where_the_design_has_smaller_ones_they_break_a_promise(kind, silos):
    assert not all(promises(kind, silos, *DESIGN[kind][silos]).values())


def test_the_other_rows_are_the_designs():
    assert len(DIFFERENT) == 9
    assert len(ROWS) == 16


# --- one share more or less: what the semi-malicious threshold is for -----------------------


@pytest.mark.parametrize(("degree", "corrupt"), list(product([4, 6, 8], [0, 1, 2, 3])))
def test_with_one_share_fewer_a_lying_coordinator_gets_both_secrets_of_a_silo(degree, corrupt):
    """The victim and some neighbours hear that it is alive, the others that it is dead."""
    threshold = majority(degree + 1, corrupt)
    for t, opened in ((threshold, False), (threshold - 1, True)):
        points = list(range(1, degree + 2))  # the victim's own is the last
        mask, key = b"\1" * 31, b"\2" * 31
        of_mask, of_key = (
            dict(zip(points, split(secret, t, points, bytes([n] * 32)), strict=True))
            for n, secret in enumerate((mask, key))
        )
        bad, honest = points[:corrupt], points[corrupt:]  # the corrupt give shares of both
        told_dead = honest[: max(t - corrupt, 0)]
        told_alive = [point for point in honest if point not in told_dead]
        dead, alive = [*bad, *told_dead], [*bad, *told_alive]
        assert len(dead) == t
        assert (len(alive) >= t) == opened
        if opened:
            for shares, of, secret in ((of_key, dead, key), (of_mask, alive, mask)):
                numbers = [int.from_bytes(shares[point], "little") for point in of[:t]]
                assert combine(lagrange(of[:t]), numbers) == secret
