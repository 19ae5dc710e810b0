"""Every party as an operating-system process of its own, over gRPC with mutual TLS on loopback."""

import os
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path

from collude.common.errors import DeadlineExceeded, PartyFailed
from collude.common.ids import ANALYST, ATTACKER, COORDINATOR
from collude.common.net.address import read_address
from collude.common.scenario import Scenario
from collude.runtime.federation import Federation
from collude.runtime.party import WATCH_PARENT
from collude.runtime.party_files import write_party_file, write_party_folders
from collude.runtime.progress import Progress
from collude.runtime.rundir import RunDirectory
from collude.runtime.timeline import Follower

LISTENING = "listening"
POLL_S = 0.05
START_S = 30.0
"""Seconds for a process to start and listen."""
SHARE_S = 2.0
"""More seconds for each other process that starts at the same time."""
STOP_S = 5.0
"""Seconds for a process to end when it is asked to, before it is killed."""

ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")

IN_WORDS = {
    "r0_join": "the participants join",
    "r1_anchor_commit": "they commit to a joint seed",
    "r1_anchor_reveal": "they reveal it to one another, not to the analyst",
    "r1_anchor_confirm": "they confirm that all hold the same",
    "r3_upload": "they upload",
    "r4_align": "the analyst aligns and trains",
    "r6_evaluate": "the model is delivered; they evaluate it",
    "done": "the session is over; what was learned is attacked",
    "codef_join": "the silos join a period, and make the key that hides persons",
    "codef_commit": "silos answer about persons, and count together what they answered",
}
"""Round -> what happens; one that is not here is over before anybody has read of it."""


class Processes:
    """The processes of one run. Leaving the `with` block ends all that still live."""

    def __init__(self, federation: Federation, run: RunDirectory) -> None:
        """Start nothing yet."""
        self._federation, self._run = federation, run
        self._children: dict[str, subprocess.Popen[bytes]] = {}

    def __enter__(self) -> "Processes":
        """Return itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """End what still lives: asked first, killed then. No orphan stays."""
        alive = [child for child in self._children.values() if child.poll() is None]
        for child in alive:
            child.terminate()
        end = time.monotonic() + STOP_S
        for child in alive:
            try:
                child.wait(max(0.1, end - time.monotonic()))
            except subprocess.TimeoutExpired:
                child.kill()
                child.wait()
        for child in self._children.values():
            if child.stdin is not None:
                child.stdin.close()

    def start(self, name: str, peers: Mapping[str, str]) -> None:
        """Start one party's process."""
        config = write_party_file(self._federation, self._run, name, peers)
        with (self._run.logs / f"{name}.stderr").open("wb") as stderr:
            # A new session: Ctrl-C reaches the parent alone, which then ends them in order. The
            # open pipe tells the child that its parent lives.
            self._children[name] = subprocess.Popen(  # noqa: S603 -- our own command, no shell
                [sys.executable, "-m", "collude.runtime.cli", self._command(name),
                 "--config", str(config)],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=stderr,
                env=os.environ | ONE_THREAD | {WATCH_PARENT: "1"},
                start_new_session=True,
            )  # fmt: skip

    def _command(self, name: str) -> str:
        if name in {ANALYST, ATTACKER, COORDINATOR}:
            return name
        colludes = name in self._federation.scenario.collusion.colluders
        return "colluder" if colludes else "participant"

    def address(self, name: str, kind: str) -> str:
        """Return where a party listens, as soon as it does.

        Raises:
            PartyFailed: it ended before it listened.
            DeadlineExceeded: it does not listen in time.
        """
        patience = START_S + SHARE_S * len(self._children)
        end = time.monotonic() + patience
        path = self._run.party(name) / kind
        while (address := read_address(path)) is None:
            self._check_alive(name)
            if time.monotonic() > end:
                raise DeadlineExceeded(
                    "does not listen", party=name, expected=f"within {patience:g} s"
                )
            time.sleep(POLL_S)
        return address

    def _check_alive(self, name: str) -> None:
        code = self._children[name].poll()
        if code is not None:
            raise PartyFailed(
                "ended before it listened",
                party=name,
                got=f"exit status {code}",
                hint=_last_words(self._run.logs / f"{name}.stderr"),
            )

    def wait(self, progress: Progress, server: str) -> dict[str, int]:
        """Wait until all have ended; return the exit status of each, negative for a signal.

        Args:
            progress: told at each round of `server`.
            server: the party that sees all others.
        """
        shown: str | None = None
        log = Follower(self._run.logs / f"{server}.jsonl")
        while any(child.poll() is None for child in self._children.values()):
            words = IN_WORDS.get(log.entered() or "", shown)
            if words is not None and words != shown:
                shown = words
                progress.step(words)
            time.sleep(POLL_S)
        return {name: child.returncode for name, child in self._children.items()}


def _last_words(path: Path) -> str | None:
    lines = path.read_text(encoding="utf-8", errors="replace").strip().splitlines()
    return lines[-1][:500] if lines else None


def run_processes(federation: Federation, run: RunDirectory, progress: Progress) -> dict[str, int]:
    """Run every party as a process of its own; return each one's exit status.

    Raises:
        PartyFailed: a party ended before it listened.
        DeadlineExceeded: a party does not listen in time.
    """
    write_party_folders(federation, run)
    progress.step("the parties start, each as a process of its own")
    releases = federation.scenario.releases
    with Processes(federation, run) as processes:
        (_start_release if releases else _start_sharing)(processes, federation.scenario)
        return processes.wait(progress, COORDINATOR if releases else ANALYST)


def _start_sharing(processes: Processes, scenario: Scenario) -> None:
    served = (COORDINATOR, ANALYST) if scenario.codef.enabled else (ANALYST,)
    for name in served:
        processes.start(name, {})
    mail = {name: processes.address(name, LISTENING) for name in served}
    for name in scenario.participants:
        processes.start(name, mail)
    attacked = scenario.collusion.attacks and scenario.discloses
    if attacked and scenario.mechanism.traits.uploads:
        ports = {c: processes.address(c, LISTENING) for c in scenario.collusion.colluders}
        ports[ANALYST] = processes.address(ANALYST, "disclosing")
        processes.start(ATTACKER, ports)


def _start_release(processes: Processes, scenario: Scenario) -> None:
    processes.start(COORDINATOR, {})
    mail = {COORDINATOR: processes.address(COORDINATOR, LISTENING)}
    for name in scenario.participants:
        processes.start(name, mail)
    if scenario.collusion.attacks:
        ports = {silo: processes.address(silo, LISTENING) for silo in scenario.participants}
        processes.start(ATTACKER, ports)
