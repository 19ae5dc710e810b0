"""A budget shared out beforehand: silos that never talk, each within its own part."""

import math
from collections.abc import Mapping

import numpy as np

from collude.codef.leakage import rr_epsilon_for_information
from collude.codef.numeric.checks import gamma_of, non_negative, persons, refuse


def silo_budgets(n: float, gamma: float, weights: Mapping[str, float]) -> dict[str, float]:
    """Return each silo's part of gamma ln n nats, in proportion to its weight.

    Args:
        n: persons, 2 or more.
        gamma: in (0, 1].
        weights: of every silo that may ever answer, 0 or more, not all 0; equal ones for an equal
            share, small ones for sensitive data.

    Raises:
        ParameterInvalid: an argument is out of range.

    Source: guideline G2 of paper 2, section 8.4, whose k*/k is a number without a unit.
    """
    whole = gamma_of(gamma) * math.log(persons(n))
    total = float(non_negative("weights", list(weights.values())).sum())
    if not 0 < total < math.inf:
        refuse("weights", "finite and not all 0", dict(weights))
    return {name: whole * weight / total for name, weight in weights.items()}


def silo_epsilons(n: float, gamma: float, weights: Mapping[str, float]) -> dict[str, float]:
    """Return the epsilon at which each silo may answer once about a person.

    So a known number of silos needs no coordination; infinite where a part exceeds ln 2, all that
    one bit can leak. Arguments and errors as for `silo_budgets`.

    Raises:
        ParameterInvalid: an argument is out of range.
    """
    parts = silo_budgets(n, gamma, weights)
    found = rr_epsilon_for_information(np.minimum(list(parts.values()), np.log(2)))
    return dict(zip(parts, found.tolist(), strict=True))
