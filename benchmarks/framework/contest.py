"""Contenders in turn, each time as a new process, and the medians of what they used."""

import json
import os
import statistics
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from benchmarks.framework.environments import ROOT, PeerMissing, python_of, versions_in
from benchmarks.framework.machine import THREADS

MEASURED = ("wall", "cpu", "peak")
"""Wall seconds, CPU seconds of all threads, and peak resident bytes above those at the start."""
RUN_SECONDS = 600


@dataclass(frozen=True)
class Contender:
    """One way to do the work.

    Attributes:
        name: in the table.
        module: run as `python -m`; it ends by printing a line of JSON with at least `MEASURED`.
        arguments: of the module.
        peer: the environment it runs in, a file of benchmarks/peers; None is the product's.
    """

    name: str
    module: str
    arguments: tuple[str, ...] = ()
    peer: str | None = None


@dataclass(frozen=True)
class Outcome:
    """All that one contender measured in one task, or why it did not run."""

    task: str
    contender: str
    samples: Sequence[dict[str, float]] = ()
    missing: str = ""

    def median(self, quantity: str) -> float | None:
        """Return the median of a measured quantity, or None if it did not run."""
        return statistics.median(s[quantity] for s in self.samples) if self.samples else None

    @property
    def wall(self) -> float | None:
        return self.median("wall")

    @property
    def cpu(self) -> float | None:
        return self.median("cpu")

    @property
    def peak(self) -> float | None:
        return self.median("peak")

    def as_json(self) -> dict[str, Any]:
        """Return samples and medians."""
        medians = {name: self.median(name) for name in (self.samples[0] if self.samples else ())}
        return {
            "task": self.task,
            "contender": self.contender,
            "median": medians,
            "samples": list(self.samples),
            "missing": self.missing,
        }


@dataclass
class Bench:
    """How often to repeat, and all that was run so far.

    Attributes:
        repeats: runs of each contender; a published figure takes at least 5.
        tiny: shrink every size to nothing, to try the machinery.
    """

    repeats: int = 5
    tiny: bool = False
    outcomes: list[Outcome] = field(default_factory=list)
    peers: dict[str, dict[str, Any]] = field(default_factory=dict)

    def contest(self, task: str, contenders: Sequence[Contender]) -> dict[str, Outcome]:
        """Run the contenders in turn, `repeats` times; a peer that cannot run is left out."""
        print(f"{task}: {', '.join(c.name for c in contenders)}", file=sys.stderr)
        missing = {c.name: reason for c in contenders if (reason := self._missing(c))}
        samples: dict[str, list[dict[str, float]]] = {c.name: [] for c in contenders}
        for _ in range(self.repeats):
            for contender in contenders:
                if contender.name in missing:
                    continue
                try:
                    samples[contender.name].append(run_once(contender))
                except RunFailed as error:
                    missing[contender.name] = str(error)
                    samples[contender.name].clear()
        found = [Outcome(task, n, tuple(samples[n]), missing.get(n, "")) for n in samples]
        self.outcomes.extend(found)
        return {outcome.contender: outcome for outcome in found}

    def _missing(self, contender: Contender) -> str:
        """Return why a contender's environment is not there; empty if it is."""
        if contender.peer is None:
            return ""
        if contender.peer not in self.peers:
            self.peers[contender.peer] = peer_state(contender.peer)
        reason: str = self.peers[contender.peer].get("missing", "")
        return reason


def peer_state(peer: str) -> dict[str, Any]:
    """Return a peer's versions, or why it is missing."""
    try:
        return {"versions": versions_in(peer)}
    except PeerMissing as missing:
        return {"missing": str(missing)}


class RunFailed(Exception):
    """A contender ended badly; the message is the last thing it said."""


def run_once(contender: Contender) -> dict[str, float]:
    """Run one contender as a process and return what it measured.

    Raises:
        RunFailed: it ended with an error, or ran for too long.
    """
    command = [str(python_of(contender.peer)), "-m", contender.module, *contender.arguments]
    try:
        run = subprocess.run(
            command, check=False, cwd=ROOT, env={**os.environ, **THREADS},
            capture_output=True, text=True, timeout=RUN_SECONDS,
        )  # fmt: skip
    except subprocess.TimeoutExpired as error:
        raise RunFailed(f"it ran for more than {RUN_SECONDS} s") from error
    if run.returncode:
        raise RunFailed((run.stderr.strip().splitlines() or [f"exit {run.returncode}"])[-1])
    measured: dict[str, float] = json.loads(run.stdout.strip().splitlines()[-1])
    return measured
