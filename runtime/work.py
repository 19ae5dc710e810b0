"""What differs between the two kinds of run: sharing records, and answering about persons."""

from collections.abc import Mapping
from typing import Any, Protocol

from collude.common.outcome import Outcome
from collude.runtime.federation import Federation
from collude.runtime.progress import Progress
from collude.runtime.rundir import RunDirectory


class Work(Protocol):
    """One kind of run, for one federation."""

    @property
    def federation(self) -> Federation:
        """Who takes part."""

    @property
    def reports(self) -> bool:
        """Whether there is a report of this kind of run."""

    def check(self) -> None:
        """Return if the scenario fits what the parties hold: before anything is started.

        Raises:
            ScenarioInvalid: it does not.
        """

    def data(self) -> Mapping[str, object]:
        """Return what the manifest says of the data."""

    def run_inprocess(self, run: RunDirectory, progress: Progress) -> None:
        """Run all parties in this process; everything is left in the run directory."""

    def results(
        self, run: RunDirectory, left: Mapping[str, Outcome], *, compare: bool, began: float
    ) -> dict[str, Any]:
        """Write the truth of a simulation, and return the content of `results.json`.

        Args:
            run: with what the parties left.
            left: every party's outcome.
            compare: also measure what the method is compared with.
            began: when the run began, by the monotonic clock.
        """
