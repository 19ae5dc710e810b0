"""Bytes and seconds, by round and party."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from collude.common.ids import ANALYST, ATTACKER
from collude.common.outcome import read_outcome
from collude.common.transcript import read_transcript
from collude.runtime.report.stored import StoredRun
from collude.runtime.report.words import ABSENT, label_of

ROUND_WORDS = {
    "r0_join": "join",
    "r1_anchor_commit": "joint seed: commit",
    "r1_anchor_reveal": "joint seed: reveal",
    "r1_anchor_confirm": "joint seed: confirm",
    "r3_upload": "upload",
    "r4_align": "align and train",
    "r5_deliver": "deliver the model",
    "r6_evaluate": "evaluate",
    "attack": "collect and attack",
}


@dataclass(frozen=True)
class TrafficRow:
    """One round: for each party what it sent, and how long it stayed in the round."""

    round: str
    sent: tuple[str, ...]
    seconds: tuple[str, ...]


@dataclass(frozen=True)
class Traffic:
    """One run's rounds by parties; the last row sums up."""

    method: str
    runtime: str
    parties: tuple[str, ...]
    rows: tuple[TrafficRow, ...]


def traffic(runs: Sequence[StoredRun]) -> tuple[Traffic, ...]:
    """Return bytes and seconds of every run that left transcripts.

    Raises:
        RunDirectoryInvalid: a transcript or an outcome is damaged.
    """
    return tuple(_traffic(run) for run in runs if _parties(run))


def _parties(run: StoredRun) -> tuple[str, ...]:
    folder = run.directory.transcripts
    names = sorted(path.stem for path in folder.glob("*.jsonl")) if folder.is_dir() else []
    return tuple(sorted(names, key=lambda name: (name == ANALYST, len(name), name)))


def _traffic(run: StoredRun) -> Traffic:
    parties = _parties(run)
    sent: Counter[tuple[str, str]] = Counter()
    for party in parties:
        for entry in read_transcript(run.directory.transcripts, party):
            sent[entry.round, entry.sender] += entry.bytes
    seconds = _seconds(run, (*parties, ATTACKER))
    shown = (*parties, ATTACKER) if any(party == ATTACKER for _, party in seconds) else parties
    rounds = [name for name in ROUND_WORDS if any(key[0] == name for key in sent | seconds)]
    rows = [
        TrafficRow(
            round=ROUND_WORDS[name],
            sent=tuple(size(sent.get((name, party))) for party in shown),
            seconds=tuple(_duration(seconds.get((name, party))) for party in shown),
        )
        for name in rounds
    ]
    return Traffic(
        label_of(run.manifest), run.manifest.runtime, shown, (*rows, _sum(shown, sent, seconds))
    )


def _seconds(run: StoredRun, parties: Sequence[str]) -> dict[tuple[str, str], float]:
    folder = run.directory.root / "parties"
    left = {party: read_outcome(folder / party) for party in parties}
    return {
        (name, party): spent
        for party, outcome in left.items()
        if outcome is not None
        for name, spent in outcome.rounds.items()
    }


def _sum(
    parties: Sequence[str], sent: Counter[tuple[str, str]], seconds: dict[tuple[str, str], float]
) -> TrafficRow:
    def of(party: str, found: dict[tuple[str, str], float] | Counter[tuple[str, str]]) -> float:
        return sum(value for (_, who), value in found.items() if who == party)

    return TrafficRow(
        round="all",
        sent=tuple(size(round(of(party, sent))) for party in parties),
        seconds=tuple(_duration(of(party, seconds) or None) for party in parties),
    )


def size(count: int | None) -> str:
    """Return a number of bytes with its unit: powers of 1000."""
    if not count:
        return ABSENT
    for unit, factor in (("MB", 1_000_000), ("kB", 1_000)):
        if count >= factor:
            return f"{count / factor:.3g}\N{NO-BREAK SPACE}{unit}"
    return f"{count}\N{NO-BREAK SPACE}B"


def _duration(seconds: float | None) -> str:
    return ABSENT if seconds is None else f"{seconds:.2f}\N{NO-BREAK SPACE}s"
