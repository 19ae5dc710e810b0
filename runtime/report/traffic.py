"""Bytes and seconds, by round and party."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import mean

from collude.common.ids import ANALYST, ATTACKER, Role, role_of
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
    "codef_join": "period: join",
    "codef_key": "period: key of the handles",
    "codef_confirm": "period: confirm the key",
    "codef_adapt": "leases",
    "window": "windows open and close",
    "query": "questions",
    "answer": "answers",
    "codef_commit": "commit to counts",
    "codef_head": "compare ledgers",
    "receipt": "receipts",
    "codef_advertise_keys": "sum: keys",
    "codef_share_keys": "sum: shares",
    "codef_masked_input": "sum: masked counts",
    "codef_consistency": "sum: who is in it",
    "codef_unmask": "sum: unmask",
    "attack": "collect and attack",
}
MANY = 8
"""More participants than that share one column: what they sent in all, how long one took."""


@dataclass(frozen=True)
class TrafficRow:
    """One round: for each party what it sent, and how long it stayed in the round."""

    round: str
    sent: tuple[str, ...]
    seconds: tuple[str, ...]


@dataclass(frozen=True)
class Traffic:
    """One run's rounds by parties, many silos in one column; the last row sums up."""

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
    column = _columns(parties)
    sent: Counter[tuple[str, str]] = Counter()
    for party in parties:
        for entry in read_transcript(run.directory.transcripts, party):
            sent[entry.round, column.get(entry.sender, entry.sender)] += entry.bytes
    seconds = _seconds(run, dict.fromkeys((*parties, ATTACKER)), column)
    attacked = any(party == ATTACKER for _, party in seconds)
    shown = tuple(dict.fromkeys((*column.values(), *((ATTACKER,) if attacked else ()))))
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


def _columns(parties: Sequence[str]) -> dict[str, str]:
    """Return the column of each party."""
    silos = [party for party in parties if role_of(party) is Role.PARTICIPANT]
    together = dict.fromkeys(silos, f"{len(silos)} silos") if len(silos) > MANY else {}
    return {party: together.get(party, party) for party in parties}


def _seconds(
    run: StoredRun, parties: Iterable[str], column: Mapping[str, str]
) -> dict[tuple[str, str], float]:
    """Return the seconds in each round; of parties that share a column, their mean."""
    folder = run.directory.root / "parties"
    left = {party: read_outcome(folder / party) for party in parties}
    spent: dict[tuple[str, str], list[float]] = {}
    for party, outcome in left.items():
        for name, each in outcome.rounds.items() if outcome is not None else ():
            spent.setdefault((name, column.get(party, party)), []).append(each)
    return {key: mean(values) for key, values in spent.items()}


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
