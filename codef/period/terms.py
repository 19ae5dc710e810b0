"""What all parties of a budget period run alike."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from collude.codef.period.sums import Sums, sums_of
from collude.codef.policy import ReleasePolicy
from collude.codef.secagg.terms import Terms
from collude.common.encoding import digest
from collude.common.protocol.codef_messages import NamedCodefJoin
from collude.common.roster import Roster

NO_SESSION = bytes(32)


@dataclass(frozen=True)
class PeriodTerms:
    """The public terms of one budget period. Every silo and the coordinator hold the same.

    Attributes:
        roster: everybody, with pinned keys; its participants are the silos.
        scenario_digest: 32 bytes.
        period: from 0; each period has its own persons, key, ledger and leases.
        policy: how leases follow from counts.
        persons: n.
        attributes: m, of each person at each silo; 0 where nothing is asked.
        epochs: how often is counted, 1 or more.
        slots_per_lease: answers about one person that one lease allows one silo.
        threshold: t of secure aggregation.
        min_silos: no sum of fewer is opened.
        deadline_s: the wait that all others are multiples of, in seconds.
        querier: who may ask, or None.
        uploads: whether the last lease is for an upload of records.
        pedersen: whether the sum is checked against Pedersen commitments.
    """

    roster: Roster
    scenario_digest: bytes
    period: int
    policy: ReleasePolicy
    persons: int
    attributes: int
    epochs: int
    slots_per_lease: int
    threshold: int
    min_silos: int
    deadline_s: float
    querier: str | None = None
    uploads: bool = False
    pedersen: bool = False

    def __post_init__(self) -> None:
        """Check that counts can be aggregated under these terms.

        Raises:
            ParameterInvalid: they cannot: too few silos, or sums could wrap.
            ExtraMissing: Pedersen commitments need the extra of that name.
        """
        self.aggregation(NO_SESSION)

    @cached_property
    def silos(self) -> tuple[str, ...]:
        """Names of the silos, sorted."""
        return self.roster.participants

    @property
    def least(self) -> int:
        """Silos without which a period does not go on."""
        return max(self.threshold, self.min_silos)

    @property
    def slots(self) -> int:
        """The most answers about a person that any lease allows one silo."""
        return self.slots_per_lease if self.policy.leased else max(self.attributes, 1)

    @cached_property
    def hash(self) -> bytes:
        """SHA-256 over all of it but the roster and the scenario: 32 bytes."""
        policy = self.policy
        return digest(
            "codef/v1/period-terms",
            *(self.period, policy.name, policy.cap, str(policy.unit), len(policy.levels)),
            *(repr(float(level)) for level in policy.levels),
            *(self.persons, self.attributes, self.epochs, self.slots_per_lease),
            *(self.threshold, self.min_silos, self.querier or "", int(self.uploads)),
            int(self.pedersen),
        )

    @cached_property
    def sums(self) -> Sums:
        """How counts are masked, and checked when they are summed."""
        return sums_of(pedersen=self.pedersen)

    def aggregation(self, session: bytes) -> Terms:
        """Return the terms under which one epoch is aggregated."""
        return self.sums.terms(self.plain(session))

    def plain(self, session: bytes) -> Terms:
        """Return the terms of the counts alone."""
        return Terms(
            session=session,
            roster=self.roster,
            length=self.persons,
            cap=self.policy.cap,
            threshold=self.threshold,
            min_silos=self.min_silos,
        )

    def session(self, joins: Sequence[NamedCodefJoin]) -> bytes:
        """Return the id of the period that these joins, sorted by name, open: 32 bytes."""
        items = (
            part
            for j in joins
            for part in (j.name, j.join.nonce, j.join.session_key, j.join.commitment)
        )
        fixed = (self.roster.hash, self.scenario_digest, self.hash, self.period)
        return digest("codef/v1/period", *fixed, *items)
