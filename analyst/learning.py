"""What the analyst makes of the uploads: aligned rows, a model, and its own diagnostics."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from collude.analyst.r4_align import Aligned, align
from collude.analyst.upload_check import check_classes
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
        device: where `train` trains, `cpu` or `cuda`; for the record.
        screen: leave out uploads that no honest participant would have sent.
    """

    estimator: str
    train: Trainer
    seeds: Sequence[int]
    device: str = "cpu"
    screen: bool = True


@dataclass(frozen=True, slots=True)
class Learned:
    """The model, the alignment it was trained on, and on which device."""

    model: Model
    aligned: Aligned
    device: str


def learn(uploads: Mapping[str, Upload], lesson: Lesson) -> Learned:
    """Return the model trained on the aligned uploads that were kept, sorted by participant.

    Raises:
        UploadRejected: an anchor cannot be aligned, or the labels are of too many classes.
        DataInvalid: the model cannot learn from these rows and labels.
    """
    check_classes(uploads)
    aligned = align(uploads, lesson.estimator, screen=lesson.screen)
    rows = np.vstack(list(aligned.rows.values()))
    labels = np.concatenate([uploads[name].labels for name in aligned.rows])
    model = train_repeatedly(lesson.train, rows, labels, lesson.seeds)
    return Learned(model, aligned, lesson.device)
