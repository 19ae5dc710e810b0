"""What the models are worth, as a table and as a chart."""

from collections.abc import Sequence
from dataclasses import dataclass

from collude.runtime.report.charts import Bar
from collude.runtime.report.documents import Utility
from collude.runtime.report.stored import StoredRun
from collude.runtime.report.words import (
    ABSENT,
    in_order,
    label_of,
    listed,
    method_sentence,
    method_title,
)


@dataclass(frozen=True)
class UtilityRow:
    """One method's utility."""

    method: str
    how: str
    value: str
    interval: str
    count: str


@dataclass(frozen=True)
class _Measured:
    method: str
    label: str
    utility: Utility


@dataclass(frozen=True)
class UtilityTable:
    """All methods' utilities.

    Attributes:
        metric: what was measured, in words.
        rows: in the order of Table I.
        bars: the same for the chart, without what could not be measured.
    """

    metric: str
    rows: tuple[UtilityRow, ...]
    bars: tuple[Bar, ...]


def utility_table(runs: Sequence[StoredRun]) -> UtilityTable:
    """Return the utilities of the runs, and of the baselines that have no run of their own."""
    measured = in_order([*_baselines(runs), *_own(runs)], lambda entry: entry.method)
    metrics = {entry.utility.metric.replace("_", " ") for entry in measured}
    return UtilityTable(
        metric=listed(tuple(sorted(metrics))) or "accuracy",
        rows=tuple(_row(entry) for entry in measured),
        bars=tuple(
            Bar(entry.label, entry.utility.value, entry.utility.interval)
            for entry in measured
            if entry.utility.value is not None
        ),
    )


def _own(runs: Sequence[StoredRun]) -> list[_Measured]:
    return [
        _Measured(run.manifest.method, label_of(run.manifest), run.results.utility)
        for run in runs
        if run.results and run.results.utility
    ]


def _baselines(runs: Sequence[StoredRun]) -> list[_Measured]:
    own = {entry.method for entry in _own(runs)}
    found = {
        method: baseline
        for run in runs
        if run.results and run.results.utility
        for method, baseline in run.results.utility.baselines.items()
        if method not in own
    }
    return [_Measured(method, method_title(method), each) for method, each in found.items()]


def _row(entry: _Measured) -> UtilityRow:
    utility = entry.utility
    interval = utility.interval
    return UtilityRow(
        method=entry.label,
        how=method_sentence(entry.method),
        value=ABSENT if utility.value is None else f"{utility.value:.3f}",
        interval=ABSENT if interval is None else f"{interval[0]:.3f} to {interval[1]:.3f}",
        count=ABSENT if utility.count is None else f"{utility.count:,}",
    )
