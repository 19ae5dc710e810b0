"""What the page says of a run in which silos answered about persons."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import cosh, log

from collude.codef.leakage import rr_information, xor_information
from collude.runtime.report.chains import Chain, chains
from collude.runtime.report.codef_documents import Period, PersonReleases, ReleaseScore
from collude.runtime.report.deviating import Planned, planned_faults
from collude.runtime.report.release_knowledge import COLUMNS, Learned, learned
from collude.runtime.report.release_words import (
    ONE_TO_ONE,
    answers_words,
    levels_words,
    limit_words,
    of_100,
    over_words,
    span,
    switches,
    used_words,
    verdict,
)
from collude.runtime.report.stored import StoredRun
from collude.runtime.report.titles import release_attack_title
from collude.runtime.report.words import ABSENT, listed


@dataclass(frozen=True)
class PolicyRow:
    """One policy: what it allows and promises, and what was answered under it."""

    policy: str
    levels: str
    kind: str
    promise: str
    limit: str
    answers: str
    used: str
    over: str


@dataclass(frozen=True)
class NamedRow:
    """How often one attack named the right person under one policy."""

    policy: str
    attack: str
    success: str
    interval: str
    exact: str
    guaranteed: str
    strongest: bool


@dataclass(frozen=True)
class PairRow:
    """One level of a scenario in which two silos share each secret."""

    level: str
    pair: str
    as_one: str
    charged: str


@dataclass(frozen=True, eq=False)
class Releases:
    """The content of the section.

    Attributes:
        name: of the run's directory.
        key: what its figures and anchors begin with, distinct on a page.
        intro: the situation, in sentences.
        headlines: for each policy what came of it.
        policies: what each allows.
        named: whom the attacks named.
        open: attacks that could not run, as (policy, attack, what is lacking).
        switches: for each policy when its level moved.
        missing: (policy, after which epoch, silos that were not counted).
        left: (silo, why nobody waited for it any more).
        faults: what went wrong on purpose, and what came of it.
        receipts: what the querier found wrong, or that it found nothing.
        chains: the ledgers.
        pairs: what pairs of answers tell, where two silos share each secret.
        learned: who learned what, out of the messages; `learned_columns` are the headings.
        simulation: the truth is known, so persons can be said to be named, and counts summed.
        codef: the numbers, for the figures.
    """

    name: str
    key: str
    intro: tuple[str, ...]
    headlines: tuple[tuple[str, str], ...]
    policies: tuple[PolicyRow, ...]
    named: tuple[NamedRow, ...]
    open: tuple[tuple[str, str, str], ...]
    switches: tuple[tuple[str, str], ...]
    missing: tuple[tuple[str, str, str], ...]
    left: tuple[tuple[str, str], ...]
    faults: tuple[Planned, ...]
    receipts: str
    chains: tuple[Chain, ...]
    pairs: tuple[PairRow, ...]
    learned: tuple[Learned, ...]
    learned_columns: tuple[str, ...]
    simulation: bool
    codef: PersonReleases


def all_releases(runs: Sequence[StoredRun]) -> tuple[Releases, ...]:
    """Return the section of each run that has results about persons.

    Raises:
        RunDirectoryInvalid: a transcript is damaged.
    """
    found = [(run, run.person_releases) for run in runs]
    asked = [(run, codef) for run, codef in found if codef is not None]
    return tuple(
        _section(run, codef, "releases" if number == 1 else f"releases-{number}")
        for number, (run, codef) in enumerate(asked, 1)
    )


def _section(run: StoredRun, codef: PersonReleases, key: str) -> Releases:
    periods = codef.policies
    return Releases(
        name=run.name,
        key=key,
        intro=tuple(_intro(run, codef)),
        headlines=tuple((period.policy, verdict(period, codef)) for period in periods),
        policies=tuple(_policy(period, codef) for period in periods),
        named=tuple(row for period in periods for row in _named(period)),
        open=tuple(
            (period.policy, attack, listed(lacks))
            for period in periods
            for attack, lacks in period.impossible.items()
        ),
        switches=tuple((period.policy, switches(period)) for period in periods),
        missing=tuple(row for period in periods for row in _missing(period)),
        left=tuple(codef.left.items()),
        faults=planned_faults(run),
        receipts=_receipts(periods),
        chains=chains([(period.policy, period.ledger) for period in periods]),
        pairs=tuple(_pairs(periods)) if codef.pairs else (),
        learned=learned(run),
        learned_columns=COLUMNS,
        simulation=run.manifest.mode == "simulation",
        codef=codef,
    )


def _intro(run: StoredRun, codef: PersonReleases) -> Iterator[str]:
    data = run.manifest.data
    silos = len(codef.policies[0].silos) if codef.policies else 0
    attributes = data.attributes if data else None
    bits = "yes/no answers" if attributes is None else f"{attributes} yes/no attributes"
    known = "the secrets that two silos share, and no more," if codef.pairs else "all attributes"
    yield (
        f"{silos} silos hold {bits} of each of {codef.persons} persons. A querier asks all of "
        "them about persons whose handles look random to it; each silo answers with noise, as far "
        f"as its lease allows, or withholds. The querier is taken to know {known} of everybody, "
        "and tries to find out who is behind each handle."
    )
    yield (
        "After each epoch the silos count together how much was answered about each person: the "
        "counts are summed under masks, so that nobody sees the count of any one silo, and the "
        "next leases follow from the sum. Published are levels, never counts. Each policy has "
        "persons of its own."
    )
    if codef.pairs:
        yield (
            "Here two silos share each secret: alone, each holds fair coins that say nothing about "
            "anybody, and whatever privacy a silo gives by itself, the pair of answers tells what "
            "neither does."
        )


def _policy(period: Period, codef: PersonReleases) -> PolicyRow:
    return PolicyRow(
        policy=period.policy,
        levels=levels_words(period),
        kind=_kind(period),
        promise=period.guarantee,
        limit=limit_words(period),
        answers=answers_words(period),
        used=used_words(period),
        over=over_words(period, codef.persons),
    )


def _kind(period: Period) -> str:
    if not period.leased:
        return "No promise"
    return "Guarantee" if period.max_success is not None else "Guarantee, but not of this risk"


def _named(period: Period) -> Iterator[NamedRow]:
    best = period.strongest
    for score in period.attacks:
        yield NamedRow(
            policy=period.policy,
            attack=release_attack_title(score.name),
            success=of_100(score.success),
            interval=span(score),
            exact=ABSENT if score.exact is None else of_100(score.exact),
            guaranteed=_bound(score),
            strongest=best is not None and score.name == best.name,
        )


def _bound(score: ReleaseScore) -> str:
    if score.name == ONE_TO_ONE:
        return "not covered"
    return ABSENT if score.guaranteed is None else of_100(score.guaranteed)


def _missing(period: Period) -> Iterator[tuple[str, str, str]]:
    for lease in period.epochs:
        if lease.missing:
            when = f"epoch {lease.epoch}" if lease.epoch else "the key"
            yield period.policy, when, listed(lease.missing)


def _receipts(periods: Sequence[Period]) -> str:
    wrong = [(p.policy, p.answers.unproved) for p in periods if p.answers and p.answers.unproved]
    if wrong:
        told = listed(tuple(f"{count} under {policy}" for policy, count in wrong))
        return (
            f"The querier found things that were wrong and stopped nothing ({told}): answers "
            "without a valid receipt, or silos that fell silent. Who gives no receipt may have "
            "counted fewer answers than it gave; the warnings below name them."
        )
    if any(period.answers for period in periods):
        return (
            "Every answer came with a receipt that stands under its silo's signed ledger entry. A "
            "receipt shows that the answer was recorded, not that it was counted: whoever audits a "
            "silo compares its records with its count."
        )
    return ""


def _pairs(periods: Sequence[Period]) -> Iterator[PairRow]:
    for level in sorted({level for period in periods for level in period.levels}, reverse=True):
        yield PairRow(
            level=f"{level:g}",
            pair=f"{xor_information(level):.4f}",
            as_one=f"{log(cosh(level)):.3f}",
            charged=f"{2 * rr_information(level):.4f}",
        )
