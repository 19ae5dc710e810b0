"""Degree and threshold of a Harary graph that keep their promises, by exact probabilities.

Silos are corrupt or drop out without regard to the ring's order, which is random. So a silo's
corrupt neighbours, and those left, are hypergeometric, and bounds over all silos are union bounds:

- private: no honest silo has `share_threshold` corrupt neighbours, and those left over stay
  connected, except with probability 2^-sigma (half for each);
- live: every silo keeps `share_threshold` neighbours, except with probability 2^-eta.

Source: Bell et al. 2020, sections 3.5 and 4; the parameters agree with those of
google-parfait/federated-compute, graph_parameter_finder.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass

from collude.codef.numeric.checks import refuse
from collude.codef.secagg.graph import LEAST_SHARES
from collude.codef.secagg.terms import majority

SIGMA = 40
ETA = 20


@dataclass(frozen=True, slots=True)
class Expectation:
    """What a session must withstand.

    Attributes:
        silos: K.
        corrupt: most silos that collude with the coordinator.
        dropouts: most silos that drop out.
        semi_malicious: whether the coordinator may also lie about who is alive, to some; then
            two disjoint sets of honest holders must not both give enough shares. A silo holds one
            of its own, so the holders are degree + 1, as in the complete graph they are all.
    """

    silos: int
    corrupt: int
    dropouts: int
    semi_malicious: bool = False

    def __post_init__(self) -> None:
        """Check the numbers.

        Raises:
            ParameterInvalid: one is negative, or nobody honest is left.
        """
        for field in ("corrupt", "dropouts"):
            if not 0 <= getattr(self, field) < self.silos:
                refuse(field, f"from 0 to {self.silos - 1}", getattr(self, field))


def harary_parameters(expectation: Expectation) -> tuple[int, int] | None:
    """Return the smallest degree that will do and its share threshold; None: use everybody."""
    for degree in range(2, expectation.silos - 1, 2):
        threshold = share_threshold(expectation, degree)
        if threshold is not None:
            return degree, threshold
    return None


def share_threshold(expectation: Expectation, degree: int) -> int | None:
    """Return the smallest safe share threshold at this degree, or None if there is none."""
    if _log_disconnected(expectation, degree) >= -(SIGMA + 1) * math.log(2):
        return None
    each = math.log(expectation.silos)
    drawn = expectation.silos, expectation.corrupt, degree
    most_corrupt = _quantile(drawn, -(SIGMA + 1) * math.log(2) - each)
    least = most_corrupt + 1
    if expectation.semi_malicious:
        least = majority(degree + 1, most_corrupt)
    least = max(least, LEAST_SHARES)
    gone = expectation.silos, expectation.dropouts, degree
    left = degree - _quantile(gone, -ETA * math.log(2) - each)
    return least if least <= left else None


def _log_disconnected(expectation: Expectation, degree: int) -> float:
    """Return ln of a bound: two gaps of degree/2 successive silos, all of them corrupt or gone."""
    n, bad = expectation.silos, min(expectation.corrupt + expectation.dropouts, expectation.silos)
    if degree > bad:
        return -math.inf
    pairs = math.log(n) + math.log(max(n - degree - 1, 1)) - math.log(2)
    return pairs + _log_choose(bad, degree) - _log_choose(n, degree)


def _log_choose(n: int, k: int) -> float:
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)


def _quantile(drawn: tuple[int, int, int], log_tail: float) -> int:
    """Return the smallest x with ln P(X > x) <= log_tail; X marked of `draws` out of `total`."""
    tail, limit = 0.0, math.exp(log_tail)
    for value, mass in _masses_from_above(*drawn):
        tail += mass
        if tail > limit:
            return value
    return 0


def _masses_from_above(total: int, marked: int, draws: int) -> Iterator[tuple[int, float]]:
    whole = _log_choose(total, draws)
    for value in range(min(marked, draws), max(0, draws - (total - marked)) - 1, -1):
        log_mass = _log_choose(marked, value) + _log_choose(total - marked, draws - value) - whole
        yield value, math.exp(log_mass)
