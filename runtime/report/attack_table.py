"""What the attacks arrived at, as a table, as a chart and as one sentence a method."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from collude.common.methods import traits_of
from collude.runtime.report.charts import Dot
from collude.runtime.report.documents import AttackScore
from collude.runtime.report.stored import StoredRun
from collude.runtime.report.titles import attack_title
from collude.runtime.report.words import (
    ABSENT,
    error_figure,
    label_of,
    lacking,
    listed,
    matched,
    method_title,
    noise_label,
    percent,
    verdict,
)


@dataclass(frozen=True)
class AttackRow:
    """One attack's errors under one method; `strongest` marks the method's headline."""

    method: str
    noise: str
    attack: str
    relative: str
    centred: str
    rotation: str
    linkage: str
    linkage_interval: str
    verdict: str
    strongest: bool


@dataclass(frozen=True)
class AttackTable:
    """All attacks under all methods.

    Attributes:
        suite: the attacks that were measured, enumerated.
        headlines: for each method its strongest attack, the maximum over the suite, and what it
            arrived at.
        judged: whether linkage was judged.
        rows: what was measured, in the order of Table I, then of the scenario.
        open: what was not, as (method, attacks, why).
        dots: the same for the chart, without what could not be measured.
        nothing_sent: methods that send no records.
        silent: other methods with not one measured attack.
    """

    suite: str
    headlines: tuple[tuple[str, str, str], ...]
    judged: bool
    rows: tuple[AttackRow, ...]
    open: tuple[tuple[str, str, str], ...]
    dots: tuple[Dot, ...]
    nothing_sent: tuple[str, ...]
    silent: tuple[str, ...]


def attack_table(runs: Sequence[StoredRun]) -> AttackTable:
    """Return the errors of every attack in every run."""
    dots = tuple(
        Dot(label_of(run.manifest), attack_title(score.name), score.centred_relative)
        for run, score in _scores(runs)
        if score.centred_relative is not None
    )
    unmeasured = [run.manifest.method for run in runs if run.results and _strongest(run) is None]
    return AttackTable(
        suite=listed(tuple(dict.fromkeys(dot.attack for dot in dots))),
        headlines=tuple(_headlines(runs)),
        judged=any(score.linkage is not None for _, score in _scores(runs)),
        rows=tuple(_row(run, score) for run, score in _scores(runs) if not _is_open(score)),
        open=tuple(_open(runs)),
        dots=dots,
        nothing_sent=tuple(method_title(m) for m in unmeasured if not _uploads(m)),
        silent=tuple(method_title(m) for m in unmeasured if _uploads(m)),
    )


def _uploads(method: str) -> bool:
    return traits_of(method).uploads


def _scores(runs: Sequence[StoredRun]) -> Iterator[tuple[StoredRun, AttackScore]]:
    for run in runs:
        for score in run.scores():
            yield run, score


def _is_open(score: AttackScore) -> bool:
    return score.centred_relative is None and score.relative is None


def _open(runs: Sequence[StoredRun]) -> Iterator[tuple[str, str, str]]:
    """Yield what could not be measured, attacks with one reason together."""
    together: dict[tuple[str, str], list[str]] = {}
    for run, score in _scores(runs):
        if _is_open(score):
            reason = (label_of(run.manifest), lacking(score))
            together.setdefault(reason, []).append(attack_title(score.name))
    for (label, why), attacks in together.items():
        yield label, listed(tuple(attacks)), why


def _strongest(run: StoredRun) -> AttackScore | None:
    return run.attacks.strongest() if run.attacks else None


def _headlines(runs: Sequence[StoredRun]) -> Iterator[tuple[str, str, str]]:
    for run in runs:
        best, scores = _strongest(run), run.attacks
        if best is None or scores is None:
            continue
        ways = scores.auditor.ways if scores.auditor else 0
        found = matched(best, ways, scores.chance) or verdict(best)
        yield label_of(run.manifest), attack_title(best.name), found


def _span(score: AttackScore) -> str:
    if score.interval is None:
        return ABSENT
    return f"{100 * score.interval[0]:.0f} to {percent(score.interval[1])}"


def _row(run: StoredRun, score: AttackScore) -> AttackRow:
    best = _strongest(run)
    return AttackRow(
        method=method_title(run.manifest.method),
        noise=noise_label(run.manifest),
        attack=attack_title(score.name),
        relative=error_figure(score.relative),
        centred=error_figure(score.centred_relative),
        rotation=error_figure(score.rotation),
        linkage=ABSENT if score.linkage is None else percent(score.linkage),
        linkage_interval=_span(score),
        verdict=verdict(score),
        strongest=best is not None and best.name == score.name,
    )
