"""Originals beside reconstructions: one column for each attack under each method."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from collude.runtime.report.stored import AttackScore, StoredRun
from collude.runtime.report.titles import attack_title
from collude.runtime.report.words import attack_sentence, method_title, noise_label, verdict

FloatArray = NDArray[np.float64]

SHOWN = 10
"""Most records of the target that are shown."""


@dataclass(frozen=True, eq=False)
class Column:
    """One column of images.

    Attributes:
        method: title of the method, empty for the originals.
        noise: the noise that was added, empty if none was.
        attack: title of the attack.
        how: what the attack does.
        verdict: what its error means.
        records: (k, d), k <= SHOWN.
    """

    method: str
    noise: str
    attack: str
    how: str
    verdict: str
    records: FloatArray


@dataclass(frozen=True, eq=False)
class Gallery:
    """The originals, then a column for each attack that ran.

    Attributes:
        target: whose records they are.
        shape: (height, width) of an image.
        columns: the originals first.
    """

    target: str
    shape: tuple[int, int]
    columns: tuple[Column, ...]


def build_gallery(runs: Sequence[StoredRun]) -> Gallery | None:
    """Return the gallery, or None if the records are no images or no attack ran."""
    shown = [run for run in runs if run.truth is not None and run.reconstructions]
    if not shown or shown[0].truth is None or shown[0].results is None:
        return None
    first, data, scores = shown[0], shown[0].manifest.data, shown[0].results.attacks
    if data is None or data.image_shape is None or scores is None or first.truth is None:
        return None
    columns = [_originals(scores.target, first.truth)]
    for run in shown:
        columns.extend(_columns(run))
    return Gallery(scores.target, data.image_shape, tuple(columns))


def _originals(target: str, truth: FloatArray) -> Column:
    return Column(
        method="",
        noise="",
        attack="Original",
        how="No other party sees these; the report does, because this is a simulation.",
        verdict=f"What {target} really holds.",
        records=truth[:SHOWN],
    )


def _columns(run: StoredRun) -> list[Column]:
    return [_column(run, score) for score in run.scores() if score.name in run.reconstructions]


def _column(run: StoredRun, score: AttackScore) -> Column:
    return Column(
        method=method_title(run.manifest.method),
        noise=noise_label(run.manifest),
        attack=attack_title(score.name),
        how=attack_sentence(score.name),
        verdict=verdict(score),
        records=run.reconstructions[score.name][:SHOWN],
    )
