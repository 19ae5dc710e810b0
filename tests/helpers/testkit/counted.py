"""Small federations whose noise CoDef sets: a period and a representation session, both real."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
from testkit.federation import D, dataset, nearest_mean

from collude.analyst import assemble as analyst_side
from collude.analyst.session import AnalystSession
from collude.codef.coordinator.assemble import assemble as coordinator
from collude.codef.coordinator.session import CoordinatorSession
from collude.codef.release import MemorySessions
from collude.common.data import Dataset
from collude.common.data.dataset import People, PublicRecords
from collude.common.ids import COORDINATOR
from collude.common.net.fault_plan import FaultPlan
from collude.common.net.memory import MemoryNetwork
from collude.common.protocol.recorded import Recorded
from collude.common.scenario import Scenario, build_scenario
from collude.common.transcript import MemoryTranscript
from collude.participant import assemble as participant_side
from collude.participant.codef.core import SiloCore
from collude.participant.codef.nothing import NothingReleased
from collude.participant.silo import Silo
from collude.participant.successive import Successive
from collude.runtime.federation import RecordFederation, prepare

LONGEST_S = 1e6
PERSONS = 60
HEURISTIC = {
    "method": "naa-gdp",
    "policy": "paper",
    "noise_table": ((1.0, 0.05), (0.5, 0.2)),
}


def scenario(method="aa-gdp-noise", p=3, seed=1, **codef) -> Scenario:
    counted = {"policy": "information", "persons": PERSONS, "epochs": 1, "clip": 2.0}
    return build_scenario({
        "scenario": {"name": "counted", "seed": seed},
        "data": {"participants": p},
        "mechanism": {"method": method},
        "codef": {"enabled": True, **counted, **codef},
    })


def with_people(people=6, each=5) -> Dataset:
    """As `dataset`, with people of whom every participant holds some, four rows of each left."""
    rows = dataset(3)
    identities = np.repeat(100 + 7 * np.arange(people, dtype=np.int64), each)
    reserved = np.tile(np.arange(each) == 0, people)
    public = PublicRecords(np.zeros((2, D)), np.array([1, 2]))
    rng = np.random.default_rng(5)
    records = rng.standard_normal((len(identities), D))
    labels = np.arange(len(identities), dtype=np.int64) % 2
    return replace(
        rows, records=records, labels=labels, people=People(identities, reserved, public)
    )


@cache
def federation(method="aa-gdp-noise", p=3, seed=1, **codef) -> RecordFederation:
    return prepare(scenario(method, p, seed, **codef), dataset(p))


@dataclass(frozen=True)
class Counting:
    """Every session of one run under CoDef."""

    analyst: AnalystSession
    coordinator: CoordinatorSession
    participants: Mapping[str, Successive]
    silos: Mapping[str, Silo]

    @property
    def sessions(self):
        return [self.coordinator, self.analyst, *self.participants.values()]


def core(fed: RecordFederation, name: str) -> SiloCore:
    keys = fed.signing_key(name), fed.entropy(name)
    return SiloCore(name, *keys, NothingReleased(), MemorySessions())


def parties(fed: RecordFederation) -> Counting:
    made = {}
    for name, share in fed.shares.items():
        session, silo = participant_side.assemble_counted(
            fed.scenario, fed.roster, share, core(fed, name)
        )
        silo._recipe = replace(silo._recipe, train=nearest_mean)
        made[name] = session, silo
    analyst = analyst_side.assemble(fed.scenario, fed.roster)
    analyst._lesson = replace(analyst._lesson, train=nearest_mean)
    return Counting(
        analyst=analyst,
        coordinator=coordinator(fed.scenario, fed.roster, fed.signing_key(COORDINATOR)),
        participants={name: session for name, (session, _) in made.items()},
        silos={name: silo for name, (_, silo) in made.items()},
    )


@dataclass(frozen=True)
class Talk:
    parties: Counting
    transcripts: Mapping[str, MemoryTranscript]
    now: float

    @property
    def errors(self):
        return {s.name: s.error for s in self.parties.sessions}

    @property
    def parcels(self):
        """What every party received, in no order."""
        return sorted(
            (p.round, p.sender, p.receiver, p.sequence, p.digest())
            for transcript in self.transcripts.values()
            for p in transcript.parcels
        )


def talk(made: Counting, plan: FaultPlan | None = None, seed=0, wrap=None) -> Talk:
    """Run all sessions over the memory network until all are over.

    Args:
        made: the sessions.
        plan: faults; none by default.
        seed: of the network.
        wrap: party -> what becomes of its endpoint.
    """
    transcripts = {s.name: MemoryTranscript() for s in made.sessions}
    endpoints = [Recorded(s, transcripts[s.name]) for s in made.sessions]
    endpoints = [(wrap or {}).get(e.name, lambda same: same)(e) for e in endpoints]
    network = MemoryNetwork(endpoints, np.random.default_rng(seed), plan or FaultPlan())
    network.run(LONGEST_S)
    for failure in network.failures.values():
        raise failure
    return Talk(made, transcripts, network.now)
