"""From information back to epsilon."""

from typing import TypeVar, cast

import numpy as np

from collude.codef.leakage.rr import rr_information
from collude.codef.numeric.checks import Array, non_negative, refuse, unwrapped

T = TypeVar("T", float, Array)
HALVINGS = 120
SATURATED = 90.0
"""At this epsilon I_1 is ln 2 to the last digit."""


def rr_epsilon_for_information(nats: T) -> T:
    """Return the epsilon whose answers leak `nats` each: the inverse of `rr_information`.

    Args:
        nats: 0 to ln 2, a float or an array; ln 2 gives infinity.

    Returns:
        epsilon, to the last digits where I_1 is not yet close to ln 2.

    Raises:
        ParameterInvalid: less than 0 or more than ln 2.
    """
    wanted = non_negative("nats", nats)
    if bool((wanted > np.log(2)).any()):
        refuse("nats", "at most ln 2: one bit cannot leak more", nats)
    low = np.sqrt(8 * wanted)  # I_1 <= epsilon^2/8
    high = np.minimum(np.maximum(4 * low, 4), SATURATED)
    high = np.where(low < 1, 2 * low, high)  # I_1 >= epsilon^2/8 (1 - epsilon^2/8)
    high = np.where(rr_information(high) < wanted, SATURATED, high)
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        if bool(((middle == low) | (middle == high)).all()):
            break
        under = rr_information(middle) < wanted
        low, high = np.where(under, middle, low), np.where(under, high, middle)
    found = np.where(wanted >= np.log(2), np.inf, high)
    return cast("T", unwrapped(found))
