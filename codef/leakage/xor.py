"""Two silos that leak nothing each and something together: X_1 = U, X_2 = Z xor U."""

from typing import Literal, TypeVar, cast

import numpy as np

from collude.codef.leakage.rr import rr_information
from collude.codef.numeric.checks import Array, non_negative, refuse, unwrapped
from collude.codef.numeric.entropy import log_cosh

T = TypeVar("T", float, Array)
NATS_PER_UNIT = {"nats": 1.0, "bits": float(np.log(2))}


def xor_information(epsilon: T, unit: Literal["nats", "bits"] = "nats") -> T:
    """Return I(Z; Y_1, Y_2) of the XOR pair; each answer alone has I(Z; Y_i) = 0.

    Y_1 xor Y_2 is Z through randomized response with epsilon' = ln cosh epsilon, and nothing else
    in the pair depends on Z. So I = I_1(ln cosh epsilon), about epsilon^4/32 nats.

    Args:
        epsilon: of each answer, 0 or more; a float or an array.
        unit: "nats" or "bits".

    Raises:
        ParameterInvalid: epsilon is negative, or the unit is unknown.

    Source: paper 2, Proposition 5.1.
    """
    if unit not in NATS_PER_UNIT:
        refuse("unit", "nats or bits", unit)
    e = non_negative("epsilon", epsilon)
    found = np.asarray(rr_information(log_cosh(e))) / NATS_PER_UNIT[unit]
    return cast("T", unwrapped(found))
