"""How good a classifier is, from counts that can be pooled, with an interval.

Only counts leave a participant, so the figures of several participants are those of their
pooled counts, as in paper 1.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from collude.common.errors import DataInvalid

IntArray = NDArray[np.int64]

Z_95 = 1.959963984540054
"""Two-sided 95 % quantile of the standard normal distribution."""


@dataclass(frozen=True)
class Estimate:
    """A proportion with its 95 % interval.

    Attributes:
        metric: `accuracy` or `balanced_accuracy`.
        value: 0 to 1, NaN if there was nothing to count.
        interval: (lower, upper), within 0 and 1.
        count: rows it rests on.
    """

    metric: str
    value: float
    interval: tuple[float, float]
    count: int

    def as_json(self) -> dict[str, object]:
        """Return the estimate as JSON types; a NaN becomes null."""
        known = self.count > 0
        return {
            "metric": self.metric,
            "value": self.value if known else None,
            "interval": list(self.interval) if known else None,
            "count": self.count,
        }


@dataclass(frozen=True, eq=False)
class ConfusionCounts:
    """How often which class was taken for which.

    Attributes:
        classes: (k,) int64, increasing.
        counts: (k, k) int64, counts[true, predicted].
    """

    classes: IntArray
    counts: IntArray

    @classmethod
    def from_predictions(
        cls, truth: Sequence[int] | IntArray, predicted: Sequence[int] | IntArray
    ) -> Self:
        """Return the counts over all classes that occur on either side.

        Args:
            truth: (n,) labels.
            predicted: (n,) labels.

        Raises:
            DataInvalid: the two have different lengths.
        """
        true, guess = np.asarray(truth, dtype=np.int64), np.asarray(predicted, dtype=np.int64)
        if true.shape != guess.shape or true.ndim != 1:
            raise DataInvalid(
                "there must be one prediction per label",
                field="predictions",
                expected=true.shape,
                got=guess.shape,
            )
        classes = np.union1d(true, guess)
        counts = np.zeros((len(classes), len(classes)), dtype=np.int64)
        np.add.at(counts, (np.searchsorted(classes, true), np.searchsorted(classes, guess)), 1)
        return cls(classes, counts)

    @classmethod
    def pooled(cls, parts: Iterable["ConfusionCounts"]) -> Self:
        """Return the sum of the parts over all their classes."""
        listed = list(parts)
        known = [part.classes for part in listed]
        classes = np.unique(np.concatenate(known)) if known else np.zeros(0, dtype=np.int64)
        counts = np.zeros((len(classes), len(classes)), dtype=np.int64)
        for part in listed:
            where = np.searchsorted(classes, part.classes)
            counts[np.ix_(where, where)] += part.counts
        return cls(classes, counts)

    @property
    def total(self) -> int:
        """Return the number of rows counted."""
        return int(self.counts.sum())

    def accuracy(self) -> Estimate:
        """Return the share of right predictions, with Wilson's interval."""
        right, total = int(np.trace(self.counts)), self.total
        value = right / total if total else float("nan")
        return Estimate("accuracy", value, wilson_interval(right, total), total)

    def balanced_accuracy(self) -> Estimate:
        """Return the mean recall over the classes that occur in the truth.

        A class that is predicted but never true has no recall and is left out. The interval is
        the normal one, with variance sum of p(1 - p) / n over the classes, divided by their
        squared number; p and n are shrunk as in Wilson's interval (Agresti and Coull), because
        a class without a mistake would otherwise seem to have no variance.
        """
        rows = self.counts.sum(axis=1)
        occurs = rows > 0
        n, right = rows[occurs], np.diag(self.counts)[occurs]
        if not len(n):
            return Estimate("balanced_accuracy", float("nan"), (0.0, 1.0), 0)
        value = float(np.mean(right / n))
        shrunk_n = n + Z_95**2
        shrunk = (right + Z_95**2 / 2) / shrunk_n
        width = Z_95 * float(np.sqrt(np.sum(shrunk * (1 - shrunk) / shrunk_n))) / len(n)
        interval = (max(0.0, value - width), min(1.0, value + width))
        return Estimate("balanced_accuracy", value, interval, self.total)


def wilson_interval(successes: int, trials: int) -> tuple[float, float]:
    """Return Wilson's 95 % score interval of a proportion; (0, 1) without trials.

    Source: E. B. Wilson, Probable inference, 1927.
    """
    if not trials:
        return 0.0, 1.0
    share, weight = successes / trials, Z_95**2 / trials
    centre = (share + weight / 2) / (1 + weight)
    width = Z_95 * np.sqrt(share * (1 - share) / trials + weight / (4 * trials)) / (1 + weight)
    # The share lies between them; rounding alone could put it outside at 0 and 1.
    lower, upper = min(share, float(centre - width)), max(share, float(centre + width))
    return max(0.0, lower), min(1.0, upper)
