"""Linkage in a simulated run: the frozen auditor, the references, and who is on which record.

Built from what the run directory holds, so a recorded run is judged exactly as it was.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from collude.attacker.auditor import (
    Auditor,
    Embedded,
    PublicPeople,
    compare,
    embedded,
    make_auditor,
)
from collude.attacker.public import FILE, read_public
from collude.common.data import Dataset
from collude.common.data.feature_map import FeatureMap
from collude.common.errors import AuditorUnusable, RunDirectoryInvalid, ScenarioInvalid
from collude.common.geometry.arrays import FloatArray
from collude.common.geometry.haar import haar_orthogonal
from collude.common.randomness import Entropy, party_seed
from collude.common.scenario import Scenario
from collude.runtime.roll import Roll, read_roll
from collude.runtime.rundir import TRUTH, RunDirectory, Truth

WAYS = 10
FEWEST_PEOPLE = 2
STREAM = "auditor"
SHUFFLED_QUERIES = 2000
"""The floor is measured on at least so many queries, by shuffling several times: it must tell
the test's own bias from chance."""
_CHUNK = 500

Records = Mapping[str, FloatArray]
"""Participant -> (n, d)."""


@dataclass(frozen=True, eq=False, repr=False)
class Judge:
    """Says how often a frozen auditor finds who is behind records.

    Attributes:
        auditor: made from public people only.
        public: these, and the map to pictures.
        references: one picture of each participant's person, as the auditor sees it.
        truths: participant -> what it really holds, with identities.
        entropy: draws line-ups, people, and the controls; the same for every attack.
        lineups: for each query.
    """

    auditor: Auditor
    public: PublicPeople
    references: Embedded
    truths: Mapping[str, Truth]
    entropy: Entropy
    lineups: int

    @property
    def ways(self) -> int:
        """Return the references in a line-up: ten, or as many people as there are."""
        return min(WAYS, len(np.unique(self.references.identities)))

    @property
    def chance(self) -> float:
        """Return the linkage of a guess."""
        return 1.0 / self.ways

    def facts(self, records: Records) -> dict[str, Any]:
        """Return what a reader must know to weigh the figures."""
        judged = self._judged(records)
        ids = np.concatenate([self._ids(party) for party in judged])
        return {
            "name": self.auditor.name,
            "sha256": self.auditor.sha256,
            "ways": self.ways,
            "lineups": self.lineups,
            "participants": judged,
            "queries": len(ids),
            "people": len(np.unique(ids)),
            "references": len(self.references.identities),
            **self.auditor.details,
        }

    def linkage(self, records: Records) -> dict[str, Any]:
        """Return `attacker.auditor.linkage` of records, each row as its participant uploaded it.

        Raises:
            ParameterInvalid: they are not finite, or their rows are not those of the truth.
        """
        return self._compare(self._queries(records))

    def controls(self, records: Records) -> dict[str, Any]:
        """Return what the auditor makes of the clean records of the same participants.

        - `clean`: as they are, decoded: no attack can be judged better
        - `shuffled`: under each other's names: what the test itself gives without any knowledge
        - `random_rotation`: about their mean, turned by a random rotation: what an attacker that
          knows no more than the mean can show
        """
        true = {party: self.truths[party].records for party in self._judged(records)}
        clean = self._queries(true)
        return {
            "clean": self._compare(clean),
            "shuffled": self._compare(_shuffled(clean, self.entropy.generator("shuffled"))),
            "random_rotation": self.linkage(_turned(true, self.entropy.generator("rotation"))),
        }

    def _compare(self, queries: Embedded) -> dict[str, Any]:
        lineups = self.entropy.generator("lineups")
        return compare(queries, self.references, lineups, self.ways, self.lineups)

    def _queries(self, records: Records) -> Embedded:
        judged = self._judged(records)
        rows = np.concatenate([records[party] for party in judged])
        ids = np.concatenate([self._ids(party) for party in judged])
        return embedded(rows, ids, self._embed, "reconstructions")

    def _embed(self, records: FloatArray) -> FloatArray:
        return embed_records(self.auditor, self.public, records)

    def _judged(self, records: Records) -> list[str]:
        return sorted(records.keys() & self.truths.keys())

    def _ids(self, party: str) -> NDArray[np.int64]:
        ids = self.truths[party].identities
        return np.empty(0, dtype=np.int64) if ids is None else ids

    @classmethod
    def of(cls, run: RunDirectory, scenario: Scenario) -> Self | None:
        """Return the judge of a run; None where there is nothing to judge by.

        That is a deployment, a data set that knows nobody, too few people for the built-in
        auditor, or a run whose truth is gone or replaced by something that names nobody.

        Raises:
            RunDirectoryInvalid: a file of the truth is damaged.
            AuditorUnusable: the auditor that the scenario names cannot be made.
        """
        seed, roll = scenario.scenario.seed, read_roll(run)
        truths = _truths(run, scenario)
        if seed is None or roll is None or not truths or not _fit(roll, truths):
            return None
        public = read_public(run.root / FILE)
        features = public.feature_map if isinstance(public.feature_map, FeatureMap) else None
        people = _public_people(public.records, features, roll)
        auditor = _auditor(people, scenario)
        if auditor is None or len(np.unique(roll.reference_ids)) < FEWEST_PEOPLE:
            return None
        references = embedded(
            roll.references,
            roll.reference_ids,
            lambda rows: embed_records(auditor, people, rows),
            "references",
        )
        entropy = Entropy(party_seed(seed, STREAM), simulated=True)
        return cls(auditor, people, references, truths, entropy, scenario.auditor.lineups)


def check_auditor(scenario: Scenario, dataset: Dataset) -> str | None:
    """Make the auditor before anything runs; return why linkage will be missing, None if not.

    Raises:
        ScenarioInvalid: an auditor is named, and the data set knows no people.
        AuditorUnusable: the auditor that is named cannot be made.
    """
    people, named = dataset.people, scenario.auditor.name
    if people is None:
        if named is None:
            return None
        raise ScenarioInvalid(
            "the data set does not know who is on a record, so no auditor can judge it",
            field="auditor.name",
            expected="no auditor, or a data set of people",
            got=named,
        )
    public = PublicPeople(
        people.public.records,
        people.public.identities,
        dataset.features,
        dataset.image_shape,
        people.identities,
    )
    if _auditor(public, scenario) is None:
        return "there are too few public people to make an auditor of; linkage is not measured"
    return None


def embed_records(auditor: Auditor, public: PublicPeople, records: FloatArray) -> FloatArray:
    """Return the auditor's vectors of (n, d) records, decoded some at a time."""
    firsts = range(0, len(records), _CHUNK)
    return np.concatenate([
        auditor.embed(public.decode(records[first : first + _CHUNK])) for first in firsts
    ])


def _auditor(public: PublicPeople, scenario: Scenario) -> Auditor | None:
    """Return the auditor; None where none is named and the built-in one cannot be made.

    Raises:
        AuditorUnusable: the one that is named cannot be made.
    """
    try:
        return make_auditor(public, scenario.auditor)
    except AuditorUnusable:
        if scenario.auditor.name is None:
            return None
        raise


def _truths(run: RunDirectory, scenario: Scenario) -> dict[str, Truth]:
    written = [p for p in scenario.participants if (run.root / TRUTH / f"{p}.npz").exists()]
    truths = {party: run.truth(party) for party in written}
    return {party: truth for party, truth in truths.items() if truth.identities is not None}


def _fit(roll: Roll, truths: Mapping[str, Truth]) -> bool:
    """Return whether names are names, one for each row, and everybody has a reference."""
    named = [(roll.reference_ids, roll.references)]
    named += [(t.identities, t.records) for t in truths.values() if t.identities is not None]
    return roll.public_ids.dtype.kind == "i" and all(
        ids.dtype.kind == "i" and len(ids) == len(rows) and np.isin(ids, roll.reference_ids).all()
        for ids, rows in named
    )


def _public_people(
    records: FloatArray | None, features: FeatureMap | None, roll: Roll
) -> PublicPeople:
    """Return the public people of a run.

    Raises:
        RunDirectoryInvalid: the roll is not that of the public records.
    """
    held = 0 if records is None else len(records)
    if records is None or held != len(roll.public_ids):
        raise RunDirectoryInvalid(
            "the public records and the roll of people do not belong together",
            field=FILE,
            expected=f"{len(roll.public_ids)} records",
            got=held,
        )
    return PublicPeople(records, roll.public_ids, features, roll.image_shape, roll.reference_ids)


def _shuffled(queries: Embedded, rng: np.random.Generator) -> Embedded:
    times = -(-SHUFFLED_QUERIES // len(queries.identities))
    names = np.concatenate([rng.permutation(queries.identities) for _ in range(times)])
    return Embedded(np.tile(queries.vectors, (times, 1)), names)


def _turned(records: Records, rng: np.random.Generator) -> dict[str, FloatArray]:
    turned = {}
    for party in sorted(records):
        rows = records[party]
        mean = rows.mean(axis=0)
        turned[party] = mean + (rows - mean) @ haar_orthogonal(rows.shape[1], rng)
    return turned
