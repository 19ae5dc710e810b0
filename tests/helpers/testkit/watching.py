"""Processes under watch: what each opened, whom to hold back, and waiting without guessing."""

import json
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import psutil
from testkit.command import COLLUDE, ROOT, Said

T = TypeVar("T")
HOOK = ROOT / "tests" / "e2e" / "hook"
POLL_S = 0.02
PATIENCE_S = 60.0


def until(
    look: Callable[[], T],
    what: str,
    seconds: float = PATIENCE_S,
    process: subprocess.Popen[str] | None = None,
) -> T:
    """Return the first true thing that `look` returns, or fail and say what was awaited.

    Nothing more is expected of a process that has ended.
    """
    end = time.monotonic() + seconds
    while not (found := look()):
        ended = process is not None and process.poll() is not None
        assert not ended or look(), f"it ended before {what}: {process.communicate()}"
        assert time.monotonic() < end, f"waited {seconds:g} s until {what}"
        time.sleep(POLL_S)
    return found


@dataclass(frozen=True)
class Note:
    """What the hook wrote about one process."""

    pid: int
    party: str
    parent: int
    argv: Sequence[str]
    environ: dict[str, str]
    events: Sequence[dict[str, str]]

    def opened(self, under: Path) -> list[Path]:
        """Return the paths below `under` that it opened, listed or looked through."""
        paths = [Path(e["path"]) for e in self.events]
        return [p for p in paths if p.is_relative_to(os.path.realpath(under))]


@dataclass(frozen=True)
class Hook:
    """A folder in which started processes leave notes, and stop if they are told to."""

    folder: Path

    def environ(self, hold: Sequence[str] = ()) -> dict[str, str]:
        """Return the variables that put processes under watch; those in `hold` wait."""
        self.folder.mkdir(parents=True, exist_ok=True)
        for party in hold:
            os.mkfifo(self.folder / party)
        return {
            "PYTHONPATH": os.pathsep.join([str(HOOK), os.environ.get("PYTHONPATH", "")]),
            "COLLUDE_TEST_HOOK": str(self.folder),
            "COLLUDE_TEST_HOLD": " ".join(hold),
        }

    def until_held(self, party: str) -> int:
        """Wait until a party stands at its gate, and return the gate's descriptor."""

        def gate() -> int | None:
            try:
                return os.open(self.folder / party, os.O_WRONLY | os.O_NONBLOCK)
            except OSError:  # nobody reads yet
                return None

        return until(gate, f"{party} has started")

    def release(self, party: str) -> None:
        """Let a party that was held back go on."""
        gate = self.until_held(party)
        os.write(gate, b"!")
        os.close(gate)

    def kill(self, party: str) -> None:
        """End a party at once, as a crash would."""
        os.kill(until(lambda: self.pid(party), f"{party} has started"), signal.SIGKILL)

    def notes(self) -> Iterator[Note]:
        """Yield what every process under watch has noted so far."""
        for path in sorted(self.folder.glob("*.jsonl")):
            lines = path.read_text().splitlines()
            if not lines:
                continue
            head, *events = [json.loads(line) for line in lines]
            yield Note(int(path.stem), events=events, **head)

    def pid(self, party: str) -> int | None:
        """Return the process of a party, if it has started."""
        return next((note.pid for note in self.notes() if note.party == party), None)


def start(
    *words: object, env: Mapping[str, str], stdin: int | None = None
) -> subprocess.Popen[str]:
    """Start the command as a process of its own, in a session of its own."""
    return subprocess.Popen(
        [*COLLUDE, *map(str, words)],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env={**os.environ, **env}, start_new_session=True,
    )  # fmt: skip


def ending(process: subprocess.Popen[str], seconds: float = PATIENCE_S) -> Said:
    """Wait until it ends, and return what it said."""
    try:
        out, err = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        raise
    return Said(process.returncode, out, err)


def living(folder: Path) -> list[psutil.Process]:
    """Return the processes that have a path below `folder` on their command line."""
    found = []
    for process in psutil.process_iter():
        try:
            words = process.cmdline()
        except psutil.Error:
            continue
        if process.pid != os.getpid() and any(str(folder) in word for word in words):
            found.append(process)
    return found


def log_events(path: Path) -> list[dict[str, object]]:
    """Return the whole lines of a party's log."""
    if not path.exists():
        return []
    whole = path.read_text().rpartition("\n")[0]
    return [json.loads(line) for line in whole.splitlines()]


def has_entered(log: Path, round_: str) -> bool:
    """Return whether the analyst's log says that it entered a round."""
    return any((e["event"], e.get("round")) == ("entered", round_) for e in log_events(log))


def has_received(log: Path, round_: str, sender: str) -> bool:
    """Return whether a party's log says that something came."""
    wanted = ("received", round_, sender)
    return any((e["event"], e.get("round"), e.get("sender")) == wanted for e in log_events(log))
