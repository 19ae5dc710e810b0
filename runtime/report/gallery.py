"""Pictures: what the target holds beside what each attack rebuilt under each method."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from collude.runtime.report.documents import AttackScore
from collude.runtime.report.stored import Shown, StoredRun
from collude.runtime.report.titles import attack_title
from collude.runtime.report.words import (
    EXACT,
    Glance,
    attack_sentence,
    glance,
    matched,
    method_title,
    noise_label,
    short_noise,
    verdict,
)

FloatArray = NDArray[np.float64]

PUBLISHED, CENTRED = "procrustes", "centred-procrustes"
BETTER = 0.9
"""An attack is shown in the place of the centred one if its error is below this share of its."""


@dataclass(frozen=True, eq=False)
class Column:
    """One column of pictures.

    Attributes:
        method: titles of the methods, empty for the originals.
        noise: the noise that was added, empty if none was.
        about: what stands in place of the noise where there is none.
        attack: title of the attack, or what the originals are.
        how: what the attack does.
        verdict: what its error means.
        glance: what the eye sees, None for the originals.
        sentence: the column in one sentence.
        published: it is the attack that the method's paper evaluates.
        records: (k, D).
    """

    method: str
    noise: str
    attack: str
    how: str
    verdict: str
    glance: Glance | None
    sentence: str
    records: FloatArray
    about: str = "no noise"
    published: bool = False


@dataclass(frozen=True, eq=False)
class Gallery:
    """The originals, then a column for each attack that ran.

    Attributes:
        target: whose records they are.
        shape: (height, width) of a picture.
        ink: whether 1 is dark.
        synthetic: whether a program made the pictures up.
        rows: what each row is, for those who cannot see it.
        columns: the originals first.
    """

    target: str
    shape: tuple[int, int]
    ink: bool
    synthetic: bool
    rows: tuple[str, ...]
    columns: tuple[Column, ...]


def build_gallery(runs: Sequence[StoredRun]) -> Gallery | None:
    """Return every attack under every method, or None if there are no pictures."""
    return _gallery(runs, [column for run in runs for column in _columns(run, _ran(run))])


def first_gallery(runs: Sequence[StoredRun]) -> Gallery | None:
    """Return the few columns that tell the story, or None if there are no pictures.

    For each method: where something rebuilds the records exactly, that; else the published
    attack, and beside it the centred one, or the closest if it is clearly closer. Methods whose
    columns would be the same stand in one.
    """
    return _gallery(runs, _joined([c for run in runs for c in _columns(run, _telling(run))]))


def _gallery(runs: Sequence[StoredRun], columns: Sequence[Column]) -> Gallery | None:
    first = next((run for run in runs if run.shown and run.shown.rebuilt), None)
    if first is None or first.shown is None or first.attacks is None:
        return None
    data = first.manifest.data
    if data is None or data.image_shape is None:
        return None
    shown, target = first.shown, first.attacks.target
    return Gallery(
        target=target,
        shape=data.image_shape,
        ink=data.ink,
        synthetic=data.synthetic,
        rows=_rows(shown),
        columns=(*_originals(shown, target, synthetic=data.synthetic), *columns),
    )


def _rows(shown: Shown) -> tuple[str, ...]:
    people = enumerate(shown.people, 1)
    return tuple(f"Person {n}" if person else f"Record {n}" for n, person in people)


def _originals(shown: Shown, target: str, *, synthetic: bool) -> Iterator[Column]:
    what = "One picture of each of its people." if shown.people.any() else "Its first records."
    yield Column(
        method="",
        noise="",
        attack="Original",
        how="",
        verdict="",
        glance=None,
        sentence=what,
        records=shown.originals,
        about=f"of {target}{', synthetic' if synthetic else ''}",
    )
    if shown.best is not None:
        yield Column(
            method="",
            noise="",
            attack="At best",
            how="",
            verdict="",
            glance=None,
            sentence="What is left to share: no attack shows more.",
            records=shown.best,
            about="after compression",
        )


def _ran(run: StoredRun) -> list[AttackScore]:
    rebuilt = run.shown.rebuilt if run.shown else {}
    return [score for score in run.scores() if score.name in rebuilt]


def _telling(run: StoredRun) -> list[AttackScore]:
    ran = _ran(run)
    measured = [score for score in ran if score.centred_relative is not None]
    closest = min(measured, key=_error, default=None)
    if closest is None:
        return ran[:1]
    if _error(closest) < EXACT:
        return [closest]
    by_name = {score.name: score for score in measured}
    centred = by_name.get(CENTRED, closest)
    second = closest if _error(closest) < BETTER * _error(centred) else centred
    chosen = {score.name: score for score in (by_name.get(PUBLISHED), second) if score}
    return list(chosen.values())


def _error(score: AttackScore) -> float:
    return score.centred_relative or 0.0


def _columns(run: StoredRun, scores: Sequence[AttackScore]) -> Iterator[Column]:
    if run.shown is None or run.attacks is None:
        return
    ways = run.attacks.auditor.ways if run.attacks.auditor else 0
    for score in scores:
        yield Column(
            method=method_title(run.manifest.method),
            noise=short_noise(run.manifest) or noise_label(run.manifest),
            attack=attack_title(score.name),
            how=attack_sentence(score.name),
            verdict=verdict(score),
            glance=glance(score),
            sentence=matched(score, ways, run.attacks.chance) or verdict(score),
            records=run.shown.rebuilt[score.name],
            published=score.name == PUBLISHED,
        )


def _joined(columns: Sequence[Column]) -> list[Column]:
    """Return the columns, those that are exact by the same attack as one."""
    joined: dict[object, Column] = {}
    for number, column in enumerate(columns):
        exact = column.glance is not None and column.glance.kind == "exact"
        key = (column.attack, column.noise) if exact else number
        if key in joined:
            both = f"{joined[key].method}, {column.method}"
            joined[key] = replace(joined[key], method=both)
        else:
            joined[key] = column
    return list(joined.values())
