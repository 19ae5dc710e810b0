"""All parties in one process, over the memory network: the same sessions, the same files."""

import time
from collections.abc import Sequence
from dataclasses import dataclass

from collude.analyst import assemble as analyst_side
from collude.analyst.disclose import AnalystDiscloser
from collude.analyst.outcome import outcome_of
from collude.analyst.session import AnalystSession
from collude.attacker.assemble import build_view
from collude.attacker.campaign import run_attacks
from collude.attacker.output import write_campaign
from collude.attacker.public import public_of
from collude.codef.coordinator import assemble as coordinator_side
from collude.codef.coordinator.files import write_ledgers
from collude.codef.coordinator.outcome import outcome_of as coordinator_outcome
from collude.codef.coordinator.session import CoordinatorSession
from collude.codef.release import MemorySessions
from collude.common.data import Share
from collude.common.ids import ANALYST, ATTACKER, COORDINATOR
from collude.common.logs import closing_log
from collude.common.net.memory import MemoryNetwork
from collude.common.outcome import FINISHED, Outcome, write_outcome
from collude.common.protocol.endpoint import Endpoint
from collude.common.protocol.recorded import Recorded
from collude.common.randomness import system_generator
from collude.common.rounds_clock import RoundsClock
from collude.common.threads import one_blas_thread
from collude.common.transcript import FileTranscript
from collude.participant import assemble as participant_side
from collude.participant.codef.core import SiloCore
from collude.participant.codef.nothing import NothingReleased
from collude.participant.disclose import ColluderDiscloser
from collude.participant.files import EVERYTHING, write_disclosable
from collude.participant.outcome import outcome_of as participant_outcome
from collude.participant.session import ParticipantSession
from collude.participant.silo import Silo
from collude.participant.successive import Successive
from collude.runtime.federation import RecordFederation
from collude.runtime.progress import Progress
from collude.runtime.rundir import RunDirectory

LONGEST_S = 1e6
"""Simulated seconds after which the network stops; sessions end long before, by deadline."""


@dataclass(frozen=True)
class Sessions:
    """The sessions of one run, and the silos behind the participants' ones."""

    analyst: AnalystSession
    participants: dict[str, ParticipantSession | Successive]
    silos: dict[str, Silo]
    coordinator: CoordinatorSession | None = None

    @property
    def everybody(self) -> list[Endpoint]:
        """All of them, in the order in which they start."""
        counts = [] if self.coordinator is None else [self.coordinator]
        return [*counts, self.analyst, *self.participants.values()]


def assemble(federation: RecordFederation) -> Sessions:
    """Return fresh sessions for all parties.

    Raises:
        ScenarioInvalid: the anchor has too few rows for the records' width.
    """
    scenario, roster = federation.scenario, federation.roster
    make = _counted if scenario.codef.enabled else _participant
    made = {name: make(federation, name, share) for name, share in federation.shares.items()}
    return Sessions(
        analyst=analyst_side.assemble(scenario, roster),
        participants={name: session for name, (session, _) in made.items()},
        silos={name: silo for name, (_, silo) in made.items()},
        coordinator=coordinator_side.assemble(scenario, roster, federation.signing_key(COORDINATOR))
        if scenario.codef.enabled
        else None,
    )


def _participant(
    federation: RecordFederation, name: str, share: Share
) -> tuple[ParticipantSession, Silo]:
    return participant_side.assemble(
        federation.scenario,
        name,
        federation.roster,
        share,
        federation.signing_key(name),
        federation.entropy(name),
    )


def _counted(federation: RecordFederation, name: str, share: Share) -> tuple[Successive, Silo]:
    core = SiloCore(
        name,
        federation.signing_key(name),
        federation.entropy(name),
        NothingReleased(),
        MemorySessions(),  # nobody comes back within this process
    )
    return participant_side.assemble_counted(federation.scenario, federation.roster, share, core)


def connect(endpoints: Sequence[Endpoint]) -> None:
    """Run endpoints over a network without faults until all are finished.

    Raises:
        Exception: what a session raised; sessions raise nothing, so this is a defect.
    """
    network = MemoryNetwork(endpoints, system_generator())  # without faults it draws nothing
    with one_blas_thread():
        network.run(until=LONGEST_S)
    for failure in network.failures.values():
        raise failure


def run_inprocess(federation: RecordFederation, run: RunDirectory, progress: Progress) -> None:
    """Run all parties in this process; everything is left in the run directory."""
    progress.step("the parties talk, in one process")
    sessions = assemble(federation)
    clock = RoundsClock(time.monotonic)
    analyst = Recorded(
        sessions.analyst,
        FileTranscript(run.transcripts, ANALYST, time.time, forced=False),
        moved=lambda: clock.enter(sessions.analyst.round.value),
    )
    others = [
        Recorded(session, FileTranscript(run.transcripts, session.name, time.time, forced=False))
        for session in sessions.everybody
        if session is not sessions.analyst
    ]
    connect([analyst, *others])
    clock.stop()
    _write_outcomes(sessions, run, clock.seconds, simulated=federation.scenario.simulated)
    attacked = federation.scenario.collusion.attacks and federation.scenario.discloses
    if attacked and sessions.analyst.collected is not None:
        progress.step("the coalition attacks")
        _attack(federation, sessions, run)


def _write_outcomes(
    sessions: Sessions, run: RunDirectory, seconds: dict[str, float], *, simulated: bool
) -> None:
    outcomes = {ANALYST: outcome_of(sessions.analyst, seconds)}
    if sessions.coordinator is not None:
        write_ledgers(run.party(COORDINATOR), sessions.coordinator.books)
        outcomes[COORDINATOR] = coordinator_outcome(sessions.coordinator, {})
    for name, session in sessions.participants.items():
        silo = sessions.silos[name]
        outcomes[name] = participant_outcome(session, silo, {})
        if simulated and silo.has_uploaded:
            write_disclosable(run.party(name), silo.disclosure(EVERYTHING))
    for name, outcome in outcomes.items():
        write_outcome(run.party(name), outcome)
        with closing_log(name, run.logs / f"{name}.jsonl") as log:
            log.info("ended", state=outcome.state)


def _attack(federation: RecordFederation, sessions: Sessions, run: RunDirectory) -> None:
    scenario = federation.scenario
    analyst = AnalystDiscloser(scenario, sessions.analyst).disclosure()
    if analyst is None:
        return
    disclosers = {
        name: ColluderDiscloser.of(scenario, sessions.silos[name], federation.entropy(name))
        for name in scenario.collusion.colluders
    }
    told = {name: made for name, one in disclosers.items() if (made := one.disclosure())}
    began = time.monotonic()
    with one_blas_thread():
        campaign = run_attacks(
            build_view(analyst, told, public_of(federation.dataset)),
            scenario.collusion.attacks,
            scenario.target,
            federation.entropy(ATTACKER).generator,
            everyone=scenario.auditor.everyone,
        )
    folder = run.party(ATTACKER)
    write_campaign(folder / "attacks", campaign)
    write_outcome(folder, Outcome(FINISHED, rounds={"attack": time.monotonic() - began}))
