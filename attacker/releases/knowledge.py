"""What a querier knows of all persons before it asks: everything but who is behind which handle."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from collude.attacker.releases.channels import Channel
from collude.codef.numeric.checks import refuse

Kind = Literal["plain", "xor"]
UNKNOWN = -1
PAIR = 2


@dataclass(frozen=True, eq=False, repr=False)
class Knowledge:
    """The persons as the querier knows them.

    Attributes:
        silos: K names in the order of the columns.
        kind: `plain`: every attribute at every silo is known. `xor`: silos 2j and 2j + 1 hold
            shares of a secret, and only the secrets are known.
        attributes: int8, read-only; `plain`: (n, K, m), `xor`: (n, K/2, m). 0, 1, or -1 where
            the attribute is not known or the silo does not know the person: the answer is then a
            fair bit to the querier, whatever it is.
        each: m, attributes of a person at a silo.
        channel: how answers are made.
    """

    silos: tuple[str, ...]
    kind: Kind
    attributes: NDArray[np.int8]
    channel: Channel

    def __post_init__(self) -> None:
        """Check and keep a read-only copy.

        Raises:
            ParameterInvalid: the shape is not of that kind, or a number is none of -1, 0, 1.
        """
        silos = len(self.silos)
        if len(set(self.silos)) != silos or not silos or (self.kind == "xor" and silos % PAIR):
            refuse("silos", "distinct names, in pairs for xor", ", ".join(self.silos))
        bits = np.array(self.attributes, dtype=np.int8)
        columns = silos // PAIR if self.kind == "xor" else silos
        if bits.ndim != 3 or bits.shape[1] != columns or 0 in bits.shape:  # noqa: PLR2004 -- n, K, m
            refuse("attributes", f"shape (n, {columns}, m)", bits.shape)
        if not np.isin(bits, (UNKNOWN, 0, 1)).all():
            refuse("attributes", "-1, 0 and 1", "other numbers")
        bits.setflags(write=False)
        object.__setattr__(self, "attributes", bits)

    def __repr__(self) -> str:
        """Return the sizes."""
        n, _, m = self.attributes.shape
        return f"Knowledge({self.kind}, {n} persons, {len(self.silos)} silos, {m} attributes)"

    @property
    def persons(self) -> int:
        """How many persons there are: n."""
        return len(self.attributes)

    @property
    def each(self) -> int:
        """How many attributes a silo holds of each: m."""
        return int(self.attributes.shape[2])

    @property
    def shape(self) -> tuple[int, int, int]:
        """(n handles, K silos, m attributes): what can be asked."""
        return self.persons, len(self.silos), self.each


def knowledge_of(
    kind: Kind, bits: ArrayLike, present: ArrayLike, silos: tuple[str, ...], channel: Channel
) -> Knowledge:
    """Return the knowledge of all bits of those whom a silo knows.

    Args:
        kind: `plain` or `xor`.
        bits: 0 and 1; (n, K, m), or (n, K/2, m) secrets for `xor`.
        present: (n, K) bool; a secret is known through both silos of its pair or not at all.
        silos: K names.
        channel: how answers are made.

    Raises:
        ParameterInvalid: the shapes do not fit.
    """
    known, there = np.asarray(bits, dtype=np.int8), np.asarray(present, dtype=bool)
    if there.ndim != PAIR or known.shape[:1] != there.shape[:1] or there.shape[1] != len(silos):
        refuse("present", f"shape (n, {len(silos)})", there.shape)
    if kind == "xor" and not there.shape[1] % PAIR:
        there = there[:, 0::2] & there[:, 1::2]
    if known.shape[1:2] != there.shape[1:2]:
        refuse("bits", f"{there.shape[1]} columns", known.shape)
    return Knowledge(silos, kind, np.where(there[:, :, None], known, UNKNOWN), channel)
