"""What happened when, out of the parties' logs."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from types import MappingProxyType
from typing import Any

from collude.common.ids import COORDINATOR, Round
from collude.runtime.report.stored import StoredRun
from collude.runtime.report.traffic import ROUND_WORDS, size
from collude.runtime.report.words import label_of, listed
from collude.runtime.timeline import events

Event = Mapping[str, Any]

_APART = ("processes", "compose")
"""Runtimes in which the parties are processes of their own."""

_EVERYBODY, _SEEN = "*.jsonl", f"{COORDINATOR}.jsonl"
"""Logs: silos that answer about persons are many, and do in every epoch the same."""

_PERIOD: Mapping[str, str] = MappingProxyType({
    Round.CODEF_JOIN: "a period begins: silos join",
    Round.CODEF_COMMIT: "an epoch: silos answer, and commit to their counts",
    Round.MASKED_INPUT: "silos send masked counts, to be summed",
})
"""Rounds of a period that are told of; the others follow within moments."""


@dataclass(frozen=True)
class Happened:
    """One line: seconds from the run's first event, who, and what in words."""

    seconds: str
    party: str
    what: str


@dataclass(frozen=True)
class Timeline:
    """One run's events, in order of time."""

    method: str
    events: tuple[Happened, ...]


def timeline(runs: Sequence[StoredRun]) -> Timeline | None:
    """Return the events of the last run whose parties were processes, best one that was attacked.

    Parties that share one process leave no times worth showing.
    """
    told = [(run, _events(run)) for run in runs if run.manifest.runtime in _APART]
    kept = [(run, found) for run, found in told if found]
    if not kept:
        return None
    run, found = max(enumerate(kept), key=lambda entry: (bool(entry[1][0].attacks), entry[0]))[1]
    return Timeline(label_of(run.manifest), tuple(found))


def _events(run: StoredRun) -> list[Happened]:
    seen = _SEEN if run.manifest.releases else _EVERYBODY
    read = [
        (datetime.fromisoformat(event["timestamp"]), event["party"], words)
        for path in sorted(run.directory.logs.glob(seen))
        for event in events(path)
        if {"timestamp", "party", "event"} <= event.keys() and (words := _words(event))
    ]
    read.sort(key=lambda line: line[0])
    return list(_from_start(read))


def _from_start(read: Sequence[tuple[datetime, str, str]]) -> Iterator[Happened]:
    for when, party, words in read:
        yield Happened(f"{(when - read[0][0]).total_seconds():.2f}", party, words)


def _entered(event: Event) -> str:
    name = str(event.get("round"))
    if name.startswith("codef_"):
        return _PERIOD.get(name, "")
    return "the session is over" if name == "done" else f"begins: {ROUND_WORDS.get(name, name)}"


def _sent(event: Event) -> str:
    if event.get("round") != "r3_upload" or event.get("receiver") != "analyst":
        return ""
    return f"uploads {size(event.get('bytes'))}"


_WORDS: Mapping[str, Callable[[Event], str]] = {
    "entered": _entered,
    "sent": _sent,
    "disclosed": lambda e: f"discloses {size(e.get('bytes'))} to the {e.get('to')}",
    "disclosed to me": lambda e: f"receives {size(e.get('bytes'))} from {e.get('by')}",
    "view": lambda e: (
        f"begins to attack: it holds the uploads of {listed(tuple(e.get('uploads', ())))}, and "
        f"what {listed(tuple(e.get('disclosures', ()))) or 'nobody'} disclosed"
    ),
    "ended": lambda e: f"ends: {e.get('state')}",
}


def _words(event: Event) -> str:
    """Return an event in words, empty for one that a reader can do without."""
    words = _WORDS.get(str(event["event"]))
    return words(event) if words else ""
