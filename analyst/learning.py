"""What the analyst makes of the uploads: aligned rows, a model, and its own diagnostics."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from collude.analyst.r4_align import Aligned, align
from collude.common.models import Model
from collude.common.protocol.messages import Upload
from collude.common.training import Trainer, train_repeatedly


@dataclass(frozen=True, slots=True)
class Lesson:
    """How the analyst learns.

    Attributes:
        estimator: alignment estimator by name; not used by methods without an anchor.
        train: fits the model.
        seeds: training seeds; the model is repeated for each.
        screen: leave out uploads that no honest participant would have sent.
    """

    estimator: str
    train: Trainer
    seeds: Sequence[int]
    screen: bool = True


@dataclass(frozen=True, slots=True)
class Learned:
    """The model and the alignment it was trained on."""

    model: Model
    aligned: Aligned


def learn(uploads: Mapping[str, Upload], lesson: Lesson) -> Learned:
    """Return the model trained on the aligned uploads that were kept, sorted by participant."""
    aligned = align(uploads, lesson.estimator, screen=lesson.screen)
    rows = np.vstack(list(aligned.rows.values()))
    labels = np.concatenate([uploads[name].labels for name in aligned.rows])
    return Learned(train_repeatedly(lesson.train, rows, labels, lesson.seeds), aligned)
