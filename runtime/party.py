"""Run one party's driver as this process: one event loop, one BLAS thread, signals heard."""

import asyncio
import contextlib
import os
import signal
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from pkgutil import resolve_name
from typing import Protocol, TextIO, cast

from collude.common.errors import ColludeError, PartyFailed, ScenarioInvalid
from collude.common.ids import Role
from collude.common.net.setup import Setup, load_setup
from collude.common.outcome import FAILED, INTERRUPTED, Outcome, error_facts, write_outcome
from collude.common.threads import one_blas_thread

WATCH_PARENT = "COLLUDE_WATCH_PARENT"
"""Set by whoever starts parties: when its end of standard input closes, the party ends."""


class Driver(Protocol):
    """One party from its setup to its outcome."""

    async def run(self) -> Outcome:
        """Take part until the end."""

    def interrupt(self) -> None:
        """End early."""


DRIVERS: Mapping[Role, str] = {
    Role.PARTICIPANT: "collude.participant.driver:ParticipantDriver",
    Role.ANALYST: "collude.analyst.driver:AnalystDriver",
    Role.ATTACKER: "collude.attacker.driver:AttackerDriver",
    Role.COORDINATOR: "collude.codef.coordinator.driver:CoordinatorDriver",
}
"""Where records are shared. By name: a process loads what its own role needs, and no more."""

COUNTED_DRIVERS: Mapping[Role, str] = {
    **DRIVERS,
    Role.PARTICIPANT: "collude.participant.counted_driver:CountedDriver",
}
"""Where records are shared, and CoDef sets the noise."""

RELEASE_DRIVERS: Mapping[Role, str] = {
    Role.PARTICIPANT: "collude.participant.silo_driver:SiloDriver",
    Role.ATTACKER: "collude.attacker.release_driver:ReleaseDriver",
    Role.COORDINATOR: "collude.codef.coordinator.driver:CoordinatorDriver",
}
"""Where persons are asked about."""


def driver_of(setup: Setup) -> Driver:
    """Return the driver of a party.

    Raises:
        ScenarioInvalid: the scenario has no party of this role.
    """
    role, scenario = setup.file.party.role, setup.scenario
    sharing = COUNTED_DRIVERS if scenario.codef.enabled else DRIVERS
    drivers = RELEASE_DRIVERS if scenario.releases else sharing
    counted = scenario.codef.enabled or role is not Role.COORDINATOR
    if role not in drivers or not counted:
        raise ScenarioInvalid(
            "the scenario has no party of this role",
            party=setup.name,
            field="party.role",
            expected=" or ".join(sorted(drivers)),
            got=role.value,
        )
    made = cast("Callable[[Setup], Driver]", resolve_name(drivers[role]))
    return made(setup)


def run_party(
    config: Path, role: Role, *, colluder: bool = False, echo: TextIO | None = None
) -> Outcome:
    """Run the party of a party file to its end; an error is also left in its folder.

    Args:
        config: the party file.
        role: the role that the command is for.
        colluder: the command is for a participant that colludes.
        echo: where events are said for somebody who watches; None says nothing.

    Raises:
        ColludeError: it could not start, or its part failed before it could say so.
    """
    setup = load_setup(config, echo)
    _check_role(setup, role, colluder=colluder)
    try:
        with one_blas_thread():
            return asyncio.run(_run(setup))
    except ColludeError as error:
        write_outcome(setup.state_dir, Outcome(FAILED, error_facts(error)))
        raise
    except Exception:
        # A defect. Its text may hold anything, so it goes to stderr alone.
        failed = PartyFailed("failed unexpectedly", party=setup.name, hint="See its stderr.")
        write_outcome(setup.state_dir, Outcome(FAILED, error_facts(failed)))
        raise


def _check_role(setup: Setup, role: Role, *, colluder: bool) -> None:
    if setup.file.party.role is not role:
        raise ScenarioInvalid(
            "the party file is of another role",
            party=setup.name,
            field="party.role",
            expected=role.value,
            got=setup.file.party.role.value,
            hint=f"Start it with `collude {setup.file.party.role.value}`.",
        )
    colludes = setup.name in setup.scenario.collusion.colluders
    if colluder and not colludes:
        raise ScenarioInvalid(
            "the scenario does not name this party as a colluder",
            party=setup.name,
            field="collusion.colluders",
            expected=f"a list with {setup.name}",
            got=", ".join(setup.scenario.collusion.colluders) or "none",
        )


async def _run(setup: Setup) -> Outcome:
    driver = driver_of(setup)
    interrupted = asyncio.Event()

    def interrupt() -> None:
        interrupted.set()
        driver.interrupt()

    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        with contextlib.suppress(NotImplementedError):
            loop.add_signal_handler(number, interrupt)
    if os.environ.get(WATCH_PARENT):
        _watch(loop, interrupt)
    outcome = await driver.run()
    if not interrupted.is_set():
        return outcome
    outcome = Outcome(INTERRUPTED, outcome.error, outcome.rounds, outcome.warnings)
    write_outcome(setup.state_dir, outcome)
    return outcome


def _watch(loop: asyncio.AbstractEventLoop, interrupt: Callable[[], None]) -> None:
    """Interrupt when standard input ends: the parent holds the other end and has died."""

    def readable() -> None:
        if not os.read(sys.stdin.fileno(), 1):
            loop.remove_reader(sys.stdin.fileno())
            interrupt()

    loop.add_reader(sys.stdin.fileno(), readable)
