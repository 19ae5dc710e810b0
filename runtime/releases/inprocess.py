"""Coordinator, silos and querier in one process, over the memory network."""

import time
from dataclasses import dataclass

from collude.attacker.releases.assemble import assemble as make_querier
from collude.attacker.releases.campaign import attacked
from collude.attacker.releases.interruptible import Interruptible
from collude.attacker.releases.outcome import ATTACKS, outcome_of
from collude.attacker.releases.output import write_releases
from collude.codef.coordinator import assemble as coordinator_side
from collude.codef.coordinator.files import write_ledgers, write_sums
from collude.codef.coordinator.outcome import outcome_of as coordinator_outcome
from collude.codef.coordinator.session import CoordinatorSession
from collude.common.ids import ATTACKER, COORDINATOR
from collude.common.logs import closing_log
from collude.common.outcome import FINISHED, write_outcome
from collude.common.protocol.faulty import Crashable, Crashing, with_faults
from collude.common.protocol.recorded import Recorded
from collude.common.rounds_clock import RoundsClock
from collude.common.transcript import FileTranscript
from collude.participant.codef.assemble import Identity
from collude.participant.codef.assemble import assemble as make_silo
from collude.participant.codef.files import write_handles
from collude.participant.codef.holdings import PersonHoldings
from collude.participant.codef.outcome import outcome_of as silo_outcome
from collude.participant.codef.session import SiloSession
from collude.runtime.federation import ReleaseFederation
from collude.runtime.inprocess import connect
from collude.runtime.progress import Progress
from collude.runtime.rundir import RunDirectory


@dataclass(frozen=True)
class Sessions:
    """The sessions of one run; the querier is None where nobody asks."""

    coordinator: CoordinatorSession
    silos: dict[str, tuple[SiloSession, PersonHoldings]]
    querier: Interruptible | None


def assemble(federation: ReleaseFederation, run: RunDirectory) -> Sessions:
    """Return fresh sessions for all parties; silos keep their books in the run directory."""
    scenario, roster = federation.scenario, federation.roster
    return Sessions(
        coordinator=coordinator_side.assemble(
            scenario, roster, federation.signing_key(COORDINATOR)
        ),
        silos={
            name: make_silo(
                scenario,
                roster,
                Identity(
                    name, federation.signing_key(name), federation.entropy(name), run.party(name)
                ),
                federation.tables(name),
            )
            for name in scenario.participants
        },
        querier=_querier(federation) if scenario.collusion.attacks else None,
    )


def _querier(federation: ReleaseFederation) -> Interruptible:
    known = [population.known for population in federation.populations]
    entropy = federation.entropy(ATTACKER)
    return Interruptible(make_querier(federation.scenario, federation.roster, known, entropy))


def run_inprocess(federation: ReleaseFederation, run: RunDirectory, progress: Progress) -> None:
    """Run all parties in this process; everything is left in the run directory."""
    progress.step("silos answer about persons, and count together, in one process")
    scenario, sessions = federation.scenario, assemble(federation, run)
    clock = RoundsClock(time.monotonic)
    everybody: dict[str, Crashable] = {
        COORDINATOR: sessions.coordinator,
        **{name: session for name, (session, _) in sessions.silos.items()},
    }
    if sessions.querier is not None:
        everybody[ATTACKER] = sessions.querier
    playing = {
        name: with_faults(session, scenario, federation.entropy(name), lambda: None)
        for name, session in everybody.items()
    }
    connect([
        Recorded(
            session,
            FileTranscript(run.transcripts, name, time.time, forced=False),
            moved=(lambda: clock.enter(sessions.coordinator.round.value))
            if name == COORDINATOR
            else lambda: None,
        )
        for name, session in playing.items()
    ])
    clock.stop()
    crashed = {n for n, s in playing.items() if isinstance(s, Crashing) and s.crashed}
    _write_outcomes(sessions, run, clock.seconds, crashed)
    if scenario.simulated and COORDINATOR not in crashed:
        write_sums(run.party(COORDINATOR), sessions.coordinator.books)
    if sessions.querier is not None:
        progress.step("the querier names persons")
        _attack(federation, sessions.querier, run)


def _write_outcomes(
    sessions: Sessions, run: RunDirectory, seconds: dict[str, float], crashed: set[str]
) -> None:
    outcomes = {COORDINATOR: coordinator_outcome(sessions.coordinator, seconds)}
    if COORDINATOR not in crashed:
        write_ledgers(run.party(COORDINATOR), sessions.coordinator.books)
    for name, (session, holdings) in sessions.silos.items():
        outcomes[name] = silo_outcome(session, {})
        if name not in crashed and holdings.handles:
            write_handles(run.party(name), holdings.handles)
    for name, outcome in outcomes.items():
        if name in crashed:  # as a process that was killed: it leaves no last word
            continue
        write_outcome(run.party(name), outcome)
        with closing_log(name, run.logs / f"{name}.jsonl") as log:
            log.info("ended", state=outcome.state)


def _attack(federation: ReleaseFederation, querier: Interruptible, run: RunDirectory) -> None:
    scenario, began, folder = federation.scenario, time.monotonic(), run.party(ATTACKER)
    periods = attacked(
        querier.session.results,
        scenario.codef.periods,
        scenario.collusion.attacks,
        federation.entropy(ATTACKER).generator,
    )
    write_releases(folder / ATTACKS, periods)
    write_outcome(folder, outcome_of(querier, {"attack": time.monotonic() - began}))
    with closing_log(ATTACKER, run.logs / f"{ATTACKER}.jsonl") as log:
        log.info("ended", state=FINISHED)
