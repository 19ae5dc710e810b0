"""The noise that CoDef set for uploads: levels, what they bound, and what they do not."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from collude.runtime.report.chains import Chain, chains
from collude.runtime.report.codef_documents import CountedUpload, CountedUploads
from collude.runtime.report.deviating import Planned, planned_faults
from collude.runtime.report.release_words import of_100
from collude.runtime.report.stored import StoredRun
from collude.runtime.report.words import ABSENT, label_of

LABELS = "Labels travel in clear and are outside this number."


@dataclass(frozen=True)
class NoiseRow:
    """One party's upload."""

    party: str
    level: str
    noise: str
    clip: str
    nats: str
    bound: str


@dataclass(frozen=True)
class Counted:
    """One run's uploads.

    Attributes:
        method: with its noise, as in the tables.
        policy: that granted the leases.
        guarantee: what it promises under this noise, or that it promises nothing.
        heuristic: whether it promises nothing.
        rows: by party.
        notes: what the numbers are, and what they leave out.
        chains: the ledger of the period before the uploads.
        left: (party, why it was lost).
        faults: what went wrong on purpose.
    """

    method: str
    policy: str
    guarantee: str
    heuristic: bool
    rows: tuple[NoiseRow, ...]
    notes: tuple[str, ...]
    chains: tuple[Chain, ...]
    left: tuple[tuple[str, str], ...]
    faults: tuple[Planned, ...]


def counted(runs: Sequence[StoredRun]) -> tuple[Counted, ...]:
    """Return the section of every run whose noise CoDef set."""
    return tuple(_counted(run, run.counted) for run in runs if run.counted is not None)


def _counted(run: StoredRun, codef: CountedUploads) -> Counted:
    return Counted(
        method=label_of(run.manifest),
        policy=codef.policy,
        guarantee=codef.guarantee,
        heuristic=codef.heuristic,
        rows=tuple(_row(upload) for upload in codef.uploads),
        notes=tuple(_notes(codef)),
        chains=chains([(codef.policy, period.ledger) for period in codef.periods]),
        left=tuple(codef.left.items()),
        faults=planned_faults(run),
    )


def _row(upload: CountedUpload) -> NoiseRow:
    sigma, v = upload.sigma, upload.anchor_noise
    return NoiseRow(
        party=upload.party,
        level=f"{upload.level:g}",
        noise=f"sigma = {sigma:.4g} on the records" if sigma else f"v = {v or 0:.4g} on the anchor",
        clip=ABSENT if upload.clip is None else f"{upload.clip:g}",
        nats=f"{upload.nats:.4g}",
        bound=ABSENT if upload.bound is None else f"{upload.bound:.4g}",
    )


def _notes(codef: CountedUploads) -> Iterator[str]:
    if codef.heuristic:
        yield (
            "No guarantee: the noise comes from a table of the scenario. The records themselves go "
            "out without noise, and no noise on the anchor bounds what they tell."
        )
    elif codef.nats_in_all is not None:
        yield (
            f"All uploads together may tell {codef.nats_in_all:.4g} nats about one of "
            f"{codef.persons} persons; rows are clipped first, and each party's noise follows from "
            "the smallest lease among its persons."
        )
    if codef.guaranteed_success is not None and not codef.heuristic:
        yield (
            "Guaranteed: nobody names, from all uploads, which of the persons somebody is more "
            f"often than in {of_100(codef.guaranteed_success)}. How well a record can be rebuilt "
            "is another question; the attacks measure it."
        )
    yield LABELS
