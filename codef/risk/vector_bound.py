"""How often noisy vectors let an attacker name a person: a bound for any number of values.

A person's rows at all silos, each divided by its silo's noise, are one vector c of Euclidean norm
at most mu, seen as y = c + N(0, I). The nats that the uploads may tell about it are mu^2/2. For
persons z = 1..n with vectors c_z and an estimator that decides for z on a set A_z,

    P_c = sum_z pi_z P_z(A_z) <= sum_z pi_z phi(Q(A_z)) <= phi(max pi)
    phi(q) = Phi(mu + Phi^-1(q))

with Q = N(0, I): the first step is Neyman and Pearson for two Gaussians that lie |c_z| <= mu apart,
the second that phi is concave and the Q(A_z) add up to at most 1. Nothing is asked of the vectors,
of their dimension, or of the estimator. At n = 2 and c = +-mu it is met with equality.

It is about one person's rows. Whoever names all persons at once, each by one set of rows, learns
about one from the others by elimination, and can pass it: .88 against .84 at n = 30 and 4 nats.

Source: derived for this project, as the meta-converse of Polyanskiy, Poor and Verdu (2010).
"""

import math
from statistics import NormalDist

from collude.codef.numeric.checks import chance_of_best, non_negative, persons
from collude.codef.risk.sphere_packing import refuse_unreachable
from collude.codef.risk.values import Guarantee

CONDITION = (
    "each silo's noise was fixed before any upload and is independent of all else, "
    "and a person is named by its own rows alone"
)
SLACK = 1e-12
"""Relative; more than the rounding of the normal law and its inverse."""

_NORMAL = NormalDist()


def success_bound_vectors(n: float, nats: float, max_prior: float | None = None) -> Guarantee:
    """Return the most that any attacker's success probability can be, after noisy uploads.

    Args:
        n: persons, 2 or more.
        nats: sum over all silos of m C^2/(2 sigma^2) about one person: m rows, norm at most C,
            noise sigma in each entry; 0 or more.
        max_prior: largest probability of a person before the uploads; 1/n by default.

    Raises:
        ParameterInvalid: an argument is out of range.
    """
    chance = chance_of_best(max_prior, persons(n))
    moved = math.sqrt(2 * float(non_negative("nats", nats)))
    if moved == 0.0 or chance >= 1.0:
        return Guarantee(chance, CONDITION)
    reached = _NORMAL.cdf(moved + _NORMAL.inv_cdf(chance))
    return Guarantee(min(1.0, reached * (1 + SLACK)), CONDITION)


def safe_upload_nats(n: float, max_success: float) -> float:
    """Return the most nats about a person after which no attacker succeeds with more than s.

    Args:
        n: persons, 2 or more.
        max_success: s, from 1/n to below 1.

    Raises:
        ParameterInvalid: an argument is out of range.
    """
    n = persons(n)
    refuse_unreachable(n, max_success)
    aimed = max(max_success * (1 - 3 * SLACK), 1 / n)
    moved = _NORMAL.inv_cdf(aimed) - _NORMAL.inv_cdf(1 / n)
    return (moved * (1 - SLACK)) ** 2 / 2
