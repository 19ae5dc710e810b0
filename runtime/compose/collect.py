"""From what the parties of a site left to a run directory, and the words for how each ended."""

import shutil
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from collude.common.outcome import FILE as OUTCOME
from collude.common.outcome import FINISHED, INTERRUPTED, Outcome, read_outcome
from collude.runtime.compose.layout import Site
from collude.runtime.federation import Federation
from collude.runtime.progress import Progress
from collude.runtime.rundir import RunDirectory

TRANSCRIPTS, LOG = "transcripts", "log.jsonl"
POLL_S = 0.5
QUIET_DEADLINES = 2
"""When somebody has ended, the others have so many deadlines without a word to end, too."""
EXIT_CODES: Mapping[str, int] = {FINISHED: 0, INTERRUPTED: 130}
FAILED_CODE, SILENT_CODE = 3, 137


def gather(site: Site, run: RunDirectory) -> None:
    """Copy what each party left into a run directory, each thing where other runtimes put it."""
    for party in site.parties:
        state, target = site.state(party), run.party(party)
        if not state.is_dir():
            continue
        shutil.copytree(
            state, target, ignore=shutil.ignore_patterns(TRANSCRIPTS, LOG), dirs_exist_ok=True
        )
        if (state / TRANSCRIPTS).is_dir():
            shutil.copytree(state / TRANSCRIPTS, run.transcripts, dirs_exist_ok=True)
        if (state / LOG).is_file():
            shutil.copyfile(state / LOG, run.logs / f"{party}.jsonl")


def gathering(site: Site, *, wait: bool) -> Callable[..., Mapping[str, int]]:
    """Return a runtime that starts nobody: it gathers what the parties of a site leave.

    Args:
        site: whose parties somebody else starts.
        wait: until all have ended, or those that have not are silent.
    """

    def runtime(federation: Federation, run: RunDirectory, progress: Progress) -> Mapping[str, int]:
        if wait:
            progress.step("the parties work; the report comes when all have ended")
            until_over(site, federation.scenario.network.deadline_s)
        gather(site, run)
        return codes_of(site)

    return runtime


def until_over(site: Site, deadline_s: float) -> None:
    """Wait until every party has ended, or one has and nobody has said anything for long.

    A party that was killed leaves no outcome, and nobody in a container can ask the engine.
    """
    while missing := [party for party in site.parties if not _ended(site, party)]:
        some_ended = len(missing) < len(site.parties)
        if some_ended and _silence(site) > QUIET_DEADLINES * deadline_s:
            return
        time.sleep(POLL_S)


def codes_of(site: Site) -> dict[str, int]:
    """Return how each party ended, as its container's exit code.

    For one that left no outcome it is 137: that of a container that was killed.
    """
    return {party: exit_code(read_outcome(site.state(party))) for party in site.parties}


def exit_code(outcome: Outcome | None) -> int:
    """Return the exit code of the container of a party that left this."""
    if outcome is None:
        return SILENT_CODE
    return EXIT_CODES.get(outcome.state, FAILED_CODE)


def _ended(site: Site, party: str) -> bool:
    return (site.state(party) / OUTCOME).exists()


def _silence(site: Site) -> float:
    """Return the seconds since any party last wrote to its log or outcome."""
    files = [site.state(party) / name for party in site.parties for name in (LOG, OUTCOME)]
    return time.time() - max((_changed(file) for file in files), default=0.0)


def _changed(path: Path) -> float:
    return path.stat().st_mtime if path.exists() else 0.0
