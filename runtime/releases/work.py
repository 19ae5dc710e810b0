"""A run in which silos answer about persons."""

import hashlib
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from collude.attacker.attacks import release_registry
from collude.attacker.releases.strategies import strategy_named
from collude.codef.period.planned import planned
from collude.common.data.persons import Population
from collude.common.errors import ScenarioInvalid
from collude.common.outcome import Outcome
from collude.runtime.deviators import deviation_of
from collude.runtime.federation import ReleaseFederation
from collude.runtime.progress import Progress
from collude.runtime.releases.inprocess import run_inprocess
from collude.runtime.releases.results import collect_results
from collude.runtime.releases.truth import write_truths
from collude.runtime.rundir import RunDirectory


@dataclass(frozen=True)
class ReleaseWork:
    """The kind of run that the other paper is about: a querier, silos, and a coordinator."""

    federation: ReleaseFederation
    reports: bool = True

    def check(self) -> None:
        """Return if policies, strategy and attacks can be used.

        Raises:
            ScenarioInvalid: one cannot.
            ParameterInvalid: a policy cannot keep what it promises under these numbers.
            PluginUnknown: the strategy is not registered.
        """
        scenario = self.federation.scenario
        planned(scenario, self.federation.roster)
        strategy_named(scenario.codef.strategy)
        known = release_registry()
        for attack in scenario.collusion.attacks:
            if attack not in known:
                raise ScenarioInvalid(
                    "this attack is not on answers about persons",
                    field="collusion.attacks",
                    expected=" or ".join(known),
                    got=repr(attack),
                )
        for party, name in scenario.faults.deviator.items():
            deviation_of(party, name)

    def data(self) -> Mapping[str, object]:
        """Return what the manifest says of the persons."""
        populations, scenario = self.federation.populations, self.federation.scenario
        persons, silos, attributes = populations[0].attributes.shape
        return {
            "source": scenario.data.source,
            "fingerprint": fingerprint(populations),
            "persons": persons,
            "silos": silos,
            "attributes": attributes,
            "periods": len(populations),
            "synthetic": True,
            "credit": "drawn by this program; no such persons exist",
        }

    def run_inprocess(self, run: RunDirectory, progress: Progress) -> None:
        """Run all parties in this process."""
        run_inprocess(self.federation, run, progress)

    def results(
        self, run: RunDirectory, left: Mapping[str, Outcome], *, compare: bool, began: float
    ) -> dict[str, Any]:
        """Return the content of `results.json`; there is nothing to compare with."""
        del compare
        if self.federation.scenario.simulated:
            write_truths(run, self.federation)
        return collect_results(run, self.federation, left, time.monotonic() - began)


def fingerprint(populations: tuple[Population, ...]) -> str:
    """Return SHA-256 over all attributes, then all presence, period by period, in hexadecimal."""
    state = hashlib.sha256()
    for population in populations:
        state.update(np.asarray(population.attributes.shape, dtype="<i8").tobytes())
        state.update(np.ascontiguousarray(population.attributes, dtype=np.int8).data)
        state.update(np.ascontiguousarray(population.present, dtype=np.uint8).data)
    return state.hexdigest()
