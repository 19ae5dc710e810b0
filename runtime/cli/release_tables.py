"""Answers about persons on the terminal: a table for each policy, and what came of it."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rich.table import Table
from rich.text import Text

from collude.runtime.cli.console import out
from collude.runtime.report.codef_documents import (
    CountedUploads,
    Period,
    PersonReleases,
    ReleaseScore,
)
from collude.runtime.report.release_words import (
    ONE_TO_ONE,
    answers_words,
    levels_words,
    limit_words,
    over_words,
    used_words,
    verdict,
    what_is_what,
)
from collude.runtime.report.words import ABSENT, listed

NO_TRUTH = (
    "who was named rightly is not known here, for the run keeps no truth: it did not end, or was "
    "no simulation."
)


def show_release(codef: Mapping[str, Any]) -> None:
    """Show a table for each policy, with a sentence on what came of it."""
    releases = PersonReleases.model_validate(codef)
    for period in releases.policies:
        _show(period, releases)
    for silo, why in releases.left.items():
        out.print(Text(f"{silo} was lost: {why}"))
    out.print(Text(what_is_what(pairs=releases.pairs)), style="dim")


def _show(period: Period, releases: PersonReleases) -> None:
    table = Table(title=f"Policy {period.policy}", title_justify="left", show_header=False)
    table.add_column("what", no_wrap=True)
    table.add_column("value")
    for name, value in _facts(period, releases):
        table.add_row(name, Text(value))
    out.print(table)
    out.print(Text(f"{period.policy}: {verdict(period, releases)}"))
    for attack, lacks in period.impossible.items():
        out.print(Text(_lacking(attack, lacks)))


def _facts(period: Period, releases: PersonReleases) -> Iterator[tuple[str, str]]:
    yield "levels (epsilon)", levels_words(period)
    yield "promises", period.guarantee
    yield "limit a person", limit_words(period)
    yield "answers a person", answers_words(period)
    if period.overshoot is not None:
        yield "released", f"{used_words(period)} (the referee's count)"
        yield "persons over it", over_words(period, releases.persons)
    for score in period.attacks:
        yield score.name, _score_words(score)
    if period.answers is not None and period.answers.unproved:
        yield "unproved", f"{period.answers.unproved} findings: receipts or silos that were wrong"


def _score_words(score: ReleaseScore) -> str:
    exact = ABSENT if score.exact is None else f"{score.exact:.3f}"
    bound = ABSENT if score.guaranteed is None else f"{score.guaranteed:.3f}"
    low, high = score.interval
    whose = ", but not of this attack, which looks at all" if score.name == ONE_TO_ONE else ""
    return (
        f"success {score.success:.3f}, 95 % {low:.3f} to {high:.3f}; exact {exact}, "
        f"guaranteed {bound}{whose}"
    )


def show_release_attacks(periods: Sequence[Mapping[str, Any]], *, pairs: bool = False) -> None:
    """Show what attacks make of recorded answers: of each period its policy, scores, and lacks.

    Args:
        periods: as `attack_recorded` returns them.
        pairs: whether two silos share each secret.
    """
    table = Table(title="Who was named by the answers", title_justify="left", show_header=False)
    for name in ("policy", "attack"):
        table.add_column(name, no_wrap=True)
    table.add_column("value")
    for period in periods:
        for found in period["attacks"]:
            score = ReleaseScore.model_validate(found)
            table.add_row(period["policy"], score.name, Text(_score_words(score)))
    if table.row_count:
        out.print(table)
    for line in (line for period in periods for line in _without_score(period)):
        out.print(Text(line))
    if table.row_count:
        out.print(Text(what_is_what(pairs=pairs)), style="dim")


def _without_score(period: Mapping[str, Any]) -> Iterator[str]:
    for attack, lacks in period["impossible"].items():
        yield f"{period['policy']}: {_lacking(attack, lacks)}"
    if not (period["attacks"] or period["impossible"]):
        yield f"{period['policy']}: {NO_TRUTH}"


def _lacking(attack: str, lacks: Sequence[str]) -> str:
    return f"{attack} cannot run, which proves no safety; the view lacks {' and '.join(lacks)}."


def show_counted(codef: Mapping[str, Any]) -> None:
    """Show the noise that CoDef set for each upload."""
    counted = CountedUploads.model_validate(codef)
    table = Table(title=f"Noise of the uploads, set by CoDef ({counted.policy})")
    table.title_justify = "left"
    for heading in ("party", "level", "noise", "nats of the lease", "it tells at most"):
        table.add_column(heading)
    for upload in counted.uploads:
        noise = f"sigma {upload.sigma:.4g}" if upload.sigma else f"v {upload.anchor_noise or 0:.4g}"
        bound = ABSENT if upload.bound is None else f"{upload.bound:.4g} nats"
        table.add_row(upload.party, f"{upload.level:g}", noise, f"{upload.nats:.4g}", bound)
    out.print(table)
    out.print(Text(counted.guarantee))
    out.print(Text("Labels travel in clear and are outside this number."), style="dim")
    if counted.left:
        out.print(Text(f"Lost: {listed(tuple(counted.left))}."))
