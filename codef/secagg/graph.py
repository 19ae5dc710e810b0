"""Who shares masks and secrets with whom: everybody with everybody, or a random ring of rings.

In a Harary graph of even degree d the silos stand on a ring in random order, and each is joined
to the d/2 on either side. The order must come of randomness that the silos made together: a
coordinator that chooses it surrounds a silo with its own.

Source: J. H. Bell, K. A. Bonawitz, A. Gascon, T. Lepoint and M. Raykova, Secure single-server
aggregation with (poly)logarithmic overhead, CCS 2020.
"""

import hashlib
from dataclasses import dataclass
from functools import cached_property

from collude.codef.numeric.checks import refuse
from collude.common.encoding import encode

LEAST_SHARES = 2
_SORT_BYTES = 16
_SEED_BYTES = 32


@dataclass(frozen=True)
class Graph:
    """Neighbours of each of K silos, by index in the order of names.

    Attributes:
        kind: "complete" or "harary".
        silos: K.
        degree: neighbours of each; K - 1 if complete.
        share_threshold: shares that give a secret, out of degree + 1 (each keeps one of its own).
        seed: 32 bytes of joint randomness for the order on the ring; empty if complete.
    """

    kind: str
    silos: int
    degree: int
    share_threshold: int
    seed: bytes = b""

    @cached_property
    def _ring(self) -> tuple[list[int], list[int]]:
        # Sorting by 128-bit keys is a uniform order; ties have probability K^2/2^129.
        stream = hashlib.shake_256(encode("codef/v1/ring", self.seed)).digest(
            _SORT_BYTES * self.silos
        )
        keys = [stream[_SORT_BYTES * i :][:_SORT_BYTES] for i in range(self.silos)]
        order = sorted(range(self.silos), key=keys.__getitem__)
        place = [0] * self.silos
        for position, silo in enumerate(order):
            place[silo] = position
        return order, place

    def neighbours(self, silo: int) -> tuple[int, ...]:
        """Return the neighbours of a silo, sorted; itself is none of them."""
        if self.kind == "complete":
            return tuple(other for other in range(self.silos) if other != silo)
        order, place = self._ring
        half = self.degree // 2
        steps = (step for step in range(-half, half + 1) if step)
        return tuple(sorted(order[(place[silo] + step) % self.silos] for step in steps))

    def holders(self, silo: int) -> tuple[int, ...]:
        """Return who holds a share of a silo's secrets, sorted: its neighbours and itself."""
        return tuple(sorted((*self.neighbours(silo), silo)))

    @property
    def least_neighbours(self) -> int:
        """Neighbours that must have shared keys before a silo sends masked counts.

        Fewer than `share_threshold` neighbours may be corrupt in a Harary graph, so one of that
        many is honest. In a complete graph the other silos that are left are the neighbours.
        """
        return self.share_threshold - (self.kind == "complete")


def complete_graph(silos: int, threshold: int) -> Graph:
    """Return the graph in which all are neighbours; any `threshold` silos give a secret."""
    return Graph("complete", silos, silos - 1, threshold)


def harary_graph(silos: int, degree: int, share_threshold: int, seed: bytes) -> Graph:
    """Return a Harary graph; `parameters` says which degree and threshold are safe.

    Args:
        silos: K.
        degree: d, even, from 2 to K - 2.
        share_threshold: from 2 to d.
        seed: 32 bytes, made by the silos together.

    Raises:
        ParameterInvalid: a value is out of range.
    """
    if degree % 2 or not 2 <= degree < silos - 1:  # noqa: PLR2004 -- both sides of the ring
        refuse("degree", f"even, from 2 to {silos - 2}", degree)
    if not LEAST_SHARES <= share_threshold <= degree:
        refuse("share_threshold", f"from {LEAST_SHARES} to the degree, {degree}", share_threshold)
    if len(seed) != _SEED_BYTES:
        refuse("graph seed", f"{_SEED_BYTES} bytes", f"{len(seed)} bytes")
    return Graph("harary", silos, degree, share_threshold, seed)
