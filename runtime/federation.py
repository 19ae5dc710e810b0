"""A federation out of a scenario: everybody's data, keys and seeds, before anything runs.

Only a runtime that plays all parties has this. A party alone has its party file.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from collude.common.data import Dataset, Share, load_dataset, split
from collude.common.ids import ANALYST, ATTACKER
from collude.common.protocol.signing import SigningKey
from collude.common.randomness import Entropy, party_seed, system_seed
from collude.common.roster import Roster
from collude.common.scenario import Scenario


@dataclass(frozen=True)
class Federation:
    """All parties of a run. Its repr shows no secret and no record.

    Attributes:
        scenario: what is run.
        dataset: the whole data set.
        shares: participant -> its records.
        seeds: party -> 32 bytes.
        roster: everybody's public keys.
    """

    scenario: Scenario
    dataset: Dataset = field(repr=False)
    shares: Mapping[str, Share] = field(repr=False)
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


def prepare(scenario: Scenario, dataset: Dataset | None = None) -> Federation:
    """Return the federation of a scenario.

    Args:
        scenario: what to run.
        dataset: the scenario's data set, if it was loaded before.

    Raises:
        DataUnavailable: the data set is not there.
        DataInvalid: it is too small for so many participants.
    """
    dataset = dataset or load_dataset(scenario)
    parties = (*scenario.participants, ANALYST, ATTACKER)
    seeds = {party: _seed(scenario, party) for party in parties}
    entropies = {p: Entropy(s, simulated=scenario.simulated) for p, s in seeds.items()}
    keys = {p: SigningKey.from_bytes(e.secret("signing-key")) for p, e in entropies.items()}
    return Federation(
        scenario=scenario,
        dataset=dataset,
        shares=split(dataset, scenario),
        seeds=seeds,
        roster=Roster.of({party: key.public for party, key in keys.items()}),
    )


def _seed(scenario: Scenario, party: str) -> bytes:
    master = scenario.scenario.seed
    return system_seed() if master is None else party_seed(master, party)
