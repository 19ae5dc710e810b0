"""A federation out of a scenario: everybody's data, keys and seeds, before anything runs.

Only a runtime that plays all parties has this. A party alone has its party file.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from collude.attacker.public import write_public
from collude.common.data import Dataset, Share, load_dataset, save_share, split
from collude.common.data.persons import (
    KNOWN_FILE,
    Population,
    SiloTable,
    population_of,
    save_known,
    save_tables,
)
from collude.common.ids import ANALYST, ATTACKER, COORDINATOR
from collude.common.protocol.signing import SigningKey
from collude.common.randomness import Entropy, party_seed, system_seed
from collude.common.roster import Roster
from collude.common.scenario import Scenario


@dataclass(frozen=True)
class Federation(ABC):
    """All parties of a run. Its repr shows no secret and no record.

    Attributes:
        scenario: what is run.
        seeds: party -> 32 bytes.
        roster: everybody's public keys.
    """

    scenario: Scenario
    seeds: Mapping[str, bytes] = field(repr=False)
    roster: Roster

    def entropy(self, party: str) -> Entropy:
        """Return a party's source of randomness."""
        return Entropy(self.seeds[party], simulated=self.scenario.simulated)

    def signing_seed(self, party: str) -> bytes:
        """Return the 32-byte seed of a party's Ed25519 key."""
        return self.entropy(party).secret("signing-key")

    def signing_key(self, party: str) -> SigningKey:
        """Return a party's Ed25519 key."""
        return SigningKey.from_bytes(self.signing_seed(party))

    @abstractmethod
    def write_records(self, party: str, path: Path) -> None:
        """Write what a party holds to `path`; nothing where it holds nothing."""

    @abstractmethod
    def write_known(self, folder: Path) -> None:
        """Write to a folder what whoever attacks knows beforehand."""


@dataclass(frozen=True)
class RecordFederation(Federation):
    """One whose participants share records.

    Attributes:
        dataset: the whole data set.
        shares: participant -> its records.
    """

    dataset: Dataset = field(repr=False)
    shares: Mapping[str, Share] = field(repr=False)

    def write_records(self, party: str, path: Path) -> None:
        """Write a participant's share; others hold none."""
        if party in self.shares:
            save_share(self.shares[party], path)

    def write_known(self, folder: Path) -> None:
        """Write the feature map and the public records, where there are any."""
        write_public(folder, self.dataset)


@dataclass(frozen=True)
class ReleaseFederation(Federation):
    """One whose participants are asked about persons.

    Attributes:
        populations: of each period.
    """

    populations: tuple[Population, ...] = field(repr=False)

    def write_records(self, party: str, path: Path) -> None:
        """Write a silo's tables; others hold none."""
        if party in self.scenario.participants:
            save_tables(self.tables(party), path)

    def tables(self, silo: str) -> tuple[SiloTable, ...]:
        """Return what a silo holds in each period."""
        number = self.scenario.participants.index(silo)
        return tuple(population.table(number) for population in self.populations)

    def write_known(self, folder: Path) -> None:
        """Write what whoever attacks is assumed to know of all persons."""
        save_known([population.known for population in self.populations], folder / KNOWN_FILE)


def prepare(scenario: Scenario, dataset: Dataset | None = None) -> RecordFederation:
    """Return the federation of a scenario in which records are shared.

    Args:
        scenario: what to run.
        dataset: the scenario's data set, if it was loaded before.

    Raises:
        DataUnavailable: the data set is not there.
        DataInvalid: it is too small for so many participants.
    """
    dataset = dataset or load_dataset(scenario)
    counted = (COORDINATOR,) if scenario.codef.enabled else ()
    seeds = _seeds(scenario, (*scenario.participants, ANALYST, ATTACKER, *counted))
    return RecordFederation(
        scenario, seeds, _roster(scenario, seeds), dataset, split(dataset, scenario)
    )


def prepare_releases(scenario: Scenario) -> ReleaseFederation:
    """Return the federation of a scenario in which persons are asked about.

    Raises:
        DataUnavailable: a deployment has real persons, whom nobody can draw.
    """
    cohorts = range(len(scenario.codef.periods))
    populations = tuple(population_of(scenario, cohort) for cohort in cohorts)
    seeds = _seeds(scenario, (*scenario.participants, COORDINATOR, ATTACKER))
    return ReleaseFederation(scenario, seeds, _roster(scenario, seeds), populations)


def _seeds(scenario: Scenario, parties: tuple[str, ...]) -> dict[str, bytes]:
    master = scenario.scenario.seed
    return {p: system_seed() if master is None else party_seed(master, p) for p in parties}


def _roster(scenario: Scenario, seeds: Mapping[str, bytes]) -> Roster:
    entropies = {p: Entropy(s, simulated=scenario.simulated) for p, s in seeds.items()}
    keys = {p: SigningKey.from_bytes(e.secret("signing-key")) for p, e in entropies.items()}
    return Roster.of({party: key.public for party, key in keys.items()})
