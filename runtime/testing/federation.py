"""A federation to run in a test, and what came of it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from collude.attacker.attacks import Reconstruction
from collude.attacker.view import CollusionView
from collude.common.errors import AttackImpossible
from collude.common.scenario import Scenario, build_scenario, load_scenario
from collude.runtime.demo import demo_scenario
from collude.runtime.recorded import attack_recorded, recorded_scenario, recorded_view
from collude.runtime.rundir import RunDirectory
from collude.runtime.runner import Options, run_scenario


@dataclass(frozen=True)
class Attacked:
    """What one attack made of one target.

    Attributes:
        name: the attack.
        target: whose records.
        reconstruction: what it arrived at.
        relative: squared error over the records' energy, 0 is exact.
        centred_relative: the same over what tells records apart.
        rotation: squared error of the rotation over d, or None.
        linkage: share of lineups won, or None for records of nobody in particular.
    """

    name: str
    target: str
    reconstruction: Reconstruction
    relative: float | None
    centred_relative: float | None
    rotation: float | None
    linkage: float | None


@dataclass(frozen=True)
class Run:
    """A finished run in its directory.

    Attributes:
        directory: the run directory.
        results: the content of its `results.json`.
    """

    directory: Path
    results: Mapping[str, Any] = field(repr=False)

    @property
    def transcript_digest(self) -> str:
        """The digest over all messages of r0 to r3."""
        return str(self.results["transcript_digest"])

    @cached_property
    def scenario(self) -> Scenario:
        """The scenario as it ran."""
        return recorded_scenario(self._opened)

    @cached_property
    def _opened(self) -> RunDirectory:
        return RunDirectory.open(self.directory)

    def view(self, colluders: Sequence[str] = ()) -> CollusionView:
        """Return what the analyst and these participants hold together; alone by default.

        Raises:
            DisclosureRefused: one of them is no participant.
        """
        return recorded_view(self._opened, self.scenario, colluders)

    def attack(
        self, name: str, target: str | None = None, colluders: Sequence[str] | None = None
    ) -> Attacked:
        """Attack the run once; the same arguments give the same bytes.

        Args:
            name: a registered attack.
            target: a participant; None is the scenario's.
            colluders: None are the scenario's; empty is the analyst alone.

        Raises:
            PluginUnknown: there is no such attack.
            AttackImpossible: the view does not hold what the attack needs.
        """
        told = self.scenario.collusion.colluders if colluders is None else colluders
        campaign, scored = attack_recorded(self._opened, told, [name], target)
        if name not in campaign.results:
            raise AttackImpossible(
                f"{name} cannot run on this view",
                field="view",
                expected=" and ".join(campaign.impossible[name]),
            )
        (found,) = scored["attacks"]
        figures = ("relative", "centred_relative", "rotation", "linkage")
        return Attacked(
            name, campaign.target, campaign.results[name], **{f: found[f] for f in figures}
        )


@dataclass(frozen=True)
class FederationFactory:
    """The fixture `federation`: runs its scenario, or another one that it is called with.

    Attributes:
        scenario: what `run` runs; the quickstart by default.
        folder: where run directories are made.
        runtime: `inprocess` or `processes`.
    """

    scenario: Scenario
    folder: Path
    runtime: str

    def __call__(
        self,
        scenario: str | Path | Scenario | None = None,
        *,
        seed: int | None = None,
        **sections: Mapping[str, Any],
    ) -> "FederationFactory":
        """Return a federation for another scenario.

        Args:
            scenario: a file, or a scenario; None is this one's.
            seed: the master seed; None is the scenario's.
            sections: values by section, such as `mechanism={"method": "aa-gdp"}`; they replace
                single values.

        Raises:
            ScenarioInvalid: it cannot be used.
        """
        base = self.scenario if scenario is None else _loaded(scenario)
        return replace(self, scenario=_changed(base, sections, seed))

    def run(self) -> Run:
        """Run it once, in a directory of its own.

        Raises:
            ColludeError: a party failed.
        """
        number = sum(1 for _ in self.folder.iterdir())
        out = self.folder / f"run-{number}"
        options = Options(out=out, runtime=self.runtime, compare=False, report=False)
        return Run(out, run_scenario(self.scenario, options))


def default_federation(folder: Path, runtime: str) -> FederationFactory:
    """Return the federation of the quickstart scenario."""
    return FederationFactory(demo_scenario("quickstart"), folder, runtime)


def _loaded(scenario: str | Path | Scenario) -> Scenario:
    return scenario if isinstance(scenario, Scenario) else load_scenario(scenario)


def _changed(
    base: Scenario, sections: Mapping[str, Mapping[str, Any]], seed: int | None
) -> Scenario:
    document: dict[str, Any] = base.model_dump(mode="json", exclude_none=True)
    if "mechanism" in sections:
        # A method is given with its own noise: what the base adds may not belong to it.
        document["mechanism"] = {}
    for section, values in sections.items():
        document[section] = {**document.get(section, {}), **values}
    return build_scenario(document, seed=seed, origin="federation")
