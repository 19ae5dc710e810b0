"""The two things that count, side by side: what the model is worth, and who is recognised."""

from collections.abc import Sequence
from dataclasses import dataclass

from collude.common.methods import traits_of
from collude.runtime.report.documents import AttackScores, Utility
from collude.runtime.report.stored import StoredRun
from collude.runtime.report.titles import attack_title
from collude.runtime.report.words import ABSENT, label_of, method_sentence, percent


@dataclass(frozen=True)
class SummaryRow:
    """One run: utility, the attack of the suite by which most leaks, and its linkage."""

    method: str
    how: str
    utility: str
    utility_interval: str
    attack: str
    linkage: str
    linkage_interval: str
    ceiling: str
    floor: str


@dataclass(frozen=True)
class Summary:
    """Utility and linkage of all runs.

    Attributes:
        metric: of utility, in words.
        rows: one for each run.
        chance: linkage of a guess.
        judged: who judged linkage on what, as a sentence.
    """

    metric: str
    rows: tuple[SummaryRow, ...]
    chance: str
    judged: str


def summary(runs: Sequence[StoredRun]) -> Summary | None:
    """Return the table, or None if no run has a linkage."""
    judged = [run.attacks for run in runs if run.attacks and run.attacks.chance is not None]
    if not judged:
        return None
    utilities = [run.results.utility for run in runs if run.results and run.results.utility]
    return Summary(
        metric=utilities[0].metric.replace("_", " ") if utilities else "accuracy",
        rows=tuple(_row(run) for run in runs if run.results),
        chance=_share(judged[0].chance),
        judged=_judged(judged[0]),
    )


def _row(run: StoredRun) -> SummaryRow:
    utility = run.results.utility if run.results else None
    scores = run.attacks
    strongest = scores.strongest() if scores else None
    return SummaryRow(
        method=label_of(run.manifest),
        how=method_sentence(run.manifest.method),
        utility=_value(utility),
        utility_interval=_span(utility.interval if utility else None),
        attack=attack_title(strongest.name) if strongest else _nothing(run),
        linkage=_share(strongest.linkage if strongest else None),
        linkage_interval=_span(strongest.interval if strongest else None),
        ceiling=_share(scores.ceiling if scores else None),
        floor=_share(scores.floor if scores else None),
    )


def _nothing(run: StoredRun) -> str:
    sent = traits_of(run.manifest.method).uploads
    return "none of the suite can run" if sent else "nothing is sent"


def _value(utility: Utility | None) -> str:
    return ABSENT if utility is None or utility.value is None else _share(utility.value)


def _share(value: float | None) -> str:
    return ABSENT if value is None else percent(value)


def _span(interval: tuple[float, float] | None) -> str:
    return ABSENT if interval is None else f"{100 * interval[0]:.0f} to {percent(interval[1])}"


def _judged(scores: AttackScores) -> str:
    auditor = scores.auditor
    if auditor is None:
        return ""
    trained = (
        f", trained on {auditor.people_trained_on} other people"
        if auditor.people_trained_on
        else ""
    )
    return (
        f"Judged by {auditor.name}{trained}, frozen (SHA-256 {auditor.sha256[:12]}): "
        f"{auditor.queries} rebuilt records of {auditor.people} people, each against line-ups of "
        f"{auditor.ways} reference pictures. Ceiling: the records themselves instead of rebuilt "
        "ones. Floor: names shuffled. Intervals are over people."
    )
