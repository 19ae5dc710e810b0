"""A run in which records are shared."""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from collude.common.errors import ScenarioInvalid
from collude.common.outcome import Outcome
from collude.runtime.baselines import baselines
from collude.runtime.federation import RecordFederation
from collude.runtime.finish import collect_results, write_truths
from collude.runtime.inprocess import run_inprocess
from collude.runtime.judge import check_auditor
from collude.runtime.manifest import describe
from collude.runtime.pictures import write_pictures
from collude.runtime.progress import Progress
from collude.runtime.rundir import RunDirectory


@dataclass(frozen=True)
class RecordWork:
    """The kind of run that one paper is about: transformed records to an analyst."""

    federation: RecordFederation
    reports: bool = True

    def check(self) -> None:
        """Return if anchor, model and auditor fit the records.

        Raises:
            ScenarioInvalid: they do not.
            AuditorUnusable: the auditor cannot be used.
        """
        scenario, dataset = self.federation.scenario, self.federation.dataset
        classes = len(np.unique(dataset.labels))
        for share in self.federation.shares.values():
            scenario.mechanism.resolve(share.width)
            scenario.training.require_fit(share.width, classes)
        if scenario.simulated:
            check_auditor(scenario, dataset)
        if scenario.faults.crash or scenario.faults.deviator:
            raise ScenarioInvalid(
                "where records are shared, nothing goes wrong on purpose",
                field="faults",
                expected='none; data.source = "persons" has them',
            )

    def data(self) -> Mapping[str, object]:
        """Return what the manifest says of the data set."""
        return describe(self.federation.dataset)

    def run_inprocess(self, run: RunDirectory, progress: Progress) -> None:
        """Run all parties in this process."""
        run_inprocess(self.federation, run, progress)

    def results(
        self, run: RunDirectory, left: Mapping[str, Outcome], *, compare: bool, began: float
    ) -> dict[str, Any]:
        """Return the content of `results.json`; `compare` measures the baseline methods too."""
        simulated = self.federation.scenario.simulated
        if simulated:
            write_truths(run, self.federation)
            write_pictures(run, self.federation)
        others = baselines(self.federation) if compare and simulated else {}
        return collect_results(run, self.federation, left, others, time.monotonic() - began)
