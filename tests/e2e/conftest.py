"""One run over the network, watched from all sides, that many tests look at."""

import json
import os
from dataclasses import dataclass
from pathlib import Path

import pytest
from testkit.command import QUICKSTART, Said, collude
from testkit.knowledge import known_to_analyst, secrets
from testkit.memory import in_memory
from testkit.shared import once
from testkit.watching import Hook, ending, has_entered, start, until

from collude.common.ids import ANALYST, ATTACKER
from collude.runtime.rundir import RunDirectory

NOWHERE = "http://127.0.0.1:9"
PROXIES = {name: NOWHERE for low in ("http_proxy", "https_proxy", "all_proxy", "grpc_proxy")
           for name in (low, low.upper())}  # fmt: skip


@dataclass(frozen=True)
class Watched:
    """A run in several processes, what it said, what each process opened, what it remembered."""

    folder: Path

    @property
    def run(self) -> RunDirectory:
        return RunDirectory(self.folder / "Läufe mit Abstand" / "Übung 1")

    @property
    def hook(self) -> Hook:
        return Hook(self.folder / "hook")

    @property
    def said(self) -> Said:
        return Said(**json.loads((self.folder / "said.json").read_text()))

    @property
    def remembered(self) -> dict[str, int]:
        """How often the analyst's memory held each needle, after the session."""
        return json.loads((self.folder / "remembered.json").read_text())

    @property
    def held_open(self) -> list[str]:
        """What the analyst had open or mapped, after the session."""
        return json.loads((self.folder / "held_open.json").read_text())


def _make(folder: Path) -> None:
    watched = Watched(folder)
    run, hook = watched.run, watched.hook
    process = start(
        "run", QUICKSTART, "--runtime", "processes", "--seed", 7, "--out", run.root, "--json",
        env=PROXIES | hook.environ(hold=[ATTACKER]),
    )  # fmt: skip
    try:
        log, kept = run.logs / f"{ANALYST}.jsonl", run.root / "parties/participant-1"
        until(lambda: has_entered(log, "done"), "the session is over", process=process)
        until((kept / "disclosable.npz").exists, "participant-1 has ended")
        _look_into(watched, hook.pid(ANALYST))
        hook.release(ATTACKER)
        (folder / "said.json").write_text(json.dumps(ending(process)._asdict()))
    finally:
        process.kill()
        process.communicate()


def _look_into(watched: Watched, analyst: int) -> None:
    run, folder = watched.run, watched.folder
    found = in_memory(analyst, secrets(run) | known_to_analyst(run))
    (folder / "remembered.json").write_text(json.dumps(found))
    links = [os.readlink(link) for link in Path(f"/proc/{analyst}/fd").iterdir()]
    maps = Path(f"/proc/{analyst}/maps").read_text().splitlines()
    links += [line.split(maxsplit=5)[5] for line in maps if "/" in line]
    (folder / "held_open.json").write_text(json.dumps(links))


@pytest.fixture(scope="session")
def watched(tmp_path_factory) -> Watched:
    """The quickstart, seed 7, over the network: proxies set, a path with spaces and umlauts."""
    if not Path("/proc/self/mem").exists():
        pytest.skip("looks into processes through /proc, which this system lacks")
    return Watched(once(tmp_path_factory, "watched", _make))


@pytest.fixture(scope="session")
def alone(tmp_path_factory) -> RunDirectory:
    """The same in one process."""

    def make(folder: Path) -> None:
        said = collude("run", QUICKSTART, "--seed", 7, "--out", folder / "run")
        assert said.code == 0, said.err

    return RunDirectory(once(tmp_path_factory, "alone", make) / "run")
