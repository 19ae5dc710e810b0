"""What a silo holds about the persons of a period."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from collude.common.errors import DataInvalid
from collude.common.secret import Secret


@dataclass(frozen=True, eq=False, repr=False)
class Held(Secret):
    """Bits about persons.

    Attributes:
        cohort: of persons, from 0: answers are remembered by it.
        attributes: (n, m), 0 or 1; whatever it is where the person is absent.
        present: (n,) bool, whom the silo knows. About others it answers as about a fair coin.
    """

    cohort: int
    attributes: NDArray[np.integer]
    present: NDArray[np.bool_]

    def __post_init__(self) -> None:
        """Check the arrays.

        Raises:
            DataInvalid: they are not bits, or not of the same persons.
        """
        bits, here = self.attributes, self.present
        shaped = bits.ndim == 2 and here.shape == bits.shape[:1] and here.dtype == np.bool_  # noqa: PLR2004
        if not shaped or bits.dtype.kind not in "iu" or not bool(((bits == 0) | (bits == 1)).all()):
            raise DataInvalid(
                "what a silo holds must be bits by person and attribute, and whom it knows",
                field="attributes",
                expected="(n, m) of 0 and 1, and (n,) bool",
                got=f"{bits.dtype} {bits.shape}, {here.dtype} {here.shape}",
            )
