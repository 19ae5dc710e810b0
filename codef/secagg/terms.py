"""What all parties of a session agreed on beforehand; nothing starts on terms that cannot hold."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

from collude.codef.numeric.checks import refuse
from collude.codef.secagg.graph import LEAST_SHARES, Graph, complete_graph
from collude.codef.secagg.modulus import Modulus
from collude.common.encoding import digest
from collude.common.roster import Roster

LEAST_SILOS = 3
"""Of two, each learns the other's counts from the sum."""
SESSION_BYTES = 32


def majority(silos: int, colluders: int = 0) -> int:
    """Return the least t with 2t > K + K_C: two disjoint lists cannot both find t honest signers.

    With nobody colluding with the coordinator this is floor(K/2) + 1.
    """
    return (silos + colluders) // 2 + 1


@dataclass(frozen=True)
class Terms:
    """The public terms of one session.

    Attributes:
        session: sid_agg, 32 bytes, which nobody uses twice.
        roster: all parties; its participants are the silos S_1 .. S_K, in the order of names.
        length: persons, the length m of every vector.
        cap: c_max, the most one silo may count about one person; K c_max < 2^w.
        threshold: t. Fewer than t colluding silos learn nothing but the sum; t must stay alive.
        modulus: w.
        min_silos: K_min; no sum of fewer silos is opened.
        graph: who is whose neighbour; None is everybody.
        least_threshold: what policy asks of t; by default a majority. `majority(K, K_C)` keeps an
            actively bad coordinator with K_C colluding silos at bay.
    """

    session: bytes
    roster: Roster
    length: int
    cap: int
    threshold: int
    modulus: Modulus = field(default_factory=lambda: Modulus(32))
    min_silos: int = LEAST_SILOS
    graph: Graph | None = None
    least_threshold: int | None = None

    def __post_init__(self) -> None:
        """Check every term.

        Raises:
            ParameterInvalid: a term is out of range, or sums could wrap.
        """
        self._check_silos()
        if len(self.session) != SESSION_BYTES:
            refuse("session", f"{SESSION_BYTES} bytes", f"{len(self.session)} bytes")
        if self.length < 1:
            refuse("length", "1 or more persons", self.length)
        most = self.modulus.most_count(self.count)
        if not 1 <= self.cap <= most:
            refuse(
                "cap",
                f"from 1 to {most}: {self.count} silos times the cap must stay below "
                f"2^{self.modulus.bits}",
                self.cap,
                "count in larger units, or use more bits",
            )

    def _check_silos(self) -> None:
        if self.count < LEAST_SILOS:
            refuse("silos", f"{LEAST_SILOS} or more", self.count)
        policy = majority(self.count) if self.least_threshold is None else self.least_threshold
        least = max(LEAST_SHARES, policy)
        if not least <= self.threshold <= self.count:
            refuse("threshold", f"from {least} to {self.count}, the silos", self.threshold)
        if not 1 <= self.min_silos <= self.count:
            refuse("min_silos", f"from 1 to {self.count}, the silos", self.min_silos)
        if self.neighbourhood.silos != self.count:
            refuse("graph", f"a graph of {self.count} silos", self.neighbourhood.silos)

    @cached_property
    def neighbourhood(self) -> Graph:
        """The graph."""
        return self.graph or complete_graph(self.count, self.threshold)

    @cached_property
    def silos(self) -> tuple[str, ...]:
        """Names of the silos, sorted: S_1 is the first."""
        return self.roster.participants

    @property
    def count(self) -> int:
        """K, the number of silos."""
        return len(self.silos)

    @property
    def least_summed(self) -> int:
        """Silos without whose masked counts no sum is opened."""
        return max(self.threshold, self.min_silos)

    @cached_property
    def index(self) -> dict[str, int]:
        """Index from 0 by name; a silo's Shamir point is its index + 1."""
        return {name: index for index, name in enumerate(self.silos)}

    def point(self, name: str) -> int:
        """Return the Shamir point of a silo."""
        return self.index[name] + 1

    def neighbours(self, name: str, among: Sequence[str]) -> tuple[str, ...]:
        """Return those of `among` that are neighbours of a silo, in their order."""
        names = {self.silos[other] for other in self.neighbourhood.neighbours(self.index[name])}
        return tuple(other for other in among if other in names)

    def holders(self, name: str, among: Sequence[str]) -> tuple[str, ...]:
        """Return those of `among` that hold shares of a silo's secrets: neighbours and itself."""
        around = {name, *self.neighbours(name, among)}
        return tuple(other for other in among if other in around)

    @cached_property
    def hash(self) -> bytes:
        """SHA-256 over all terms but session and roster: 32 bytes."""
        graph = self.neighbourhood
        return digest(
            "codef/v1/secagg-terms",
            *(self.length, self.cap, self.threshold, self.modulus.bits, self.min_silos),
            *(graph.kind, graph.silos, graph.degree, graph.share_threshold, graph.seed),
        )
