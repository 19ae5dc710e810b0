"""Who learned what where silos answer about persons: by the rounds in which a party got messages.

Silos that learned the same stand in one row. What a party computes from its own is its own.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from collude.common.ids import ATTACKER, COORDINATOR, Round
from collude.common.transcript import read_transcript
from collude.runtime.report.stored import StoredRun

NO = "no"

COLUMNS = (
    "attributes of persons",
    "who is behind a handle",
    "answers",
    "counts of answers",
    "leases",
    "ledger",
)

_ROLE: Mapping[str, str] = MappingProxyType({
    COORDINATOR: "sums under masks",
    ATTACKER: "asks, and names",
})

_LEARNS: Mapping[str, tuple[tuple[Round | None, str], ...]] = MappingProxyType({
    COORDINATOR: (
        (None, NO),
        (None, NO),
        (None, NO),
        (Round.UNMASK, "sums over silos"),
        (Round.UNMASK, "all, it grants them"),
        (Round.CODEF_COMMIT, "commitments, roots"),
    ),
    ATTACKER: (
        (Round.WINDOW, "everybody's: taken to be known"),
        (None, "no: it guesses"),
        (Round.ANSWER, "all that it got"),
        (Round.ANSWER, "of its own questions"),
        (None, "what silos answer shows"),
        (Round.RECEIPT, "entries of its receipts"),
    ),
    "silo": (
        (Round.CODEF_JOIN, "own"),
        (Round.CODEF_KEY, "yes: the silos' joint key"),
        (Round.QUERY, "own"),
        (Round.CODEF_ADAPT, "own"),
        (Round.CODEF_ADAPT, "own"),
        (Round.CODEF_COMMIT, "commitments, roots"),
    ),
})
"""By column: the round that must have brought a message, and what the party then knows."""

_SECRETS = (Round.WINDOW, "none; the secrets of pairs of silos are taken to be known")
"""In place of the querier's first column, where two silos share each secret."""


@dataclass(frozen=True)
class Learned:
    """One party, or several silos that learned the same."""

    party: str
    role: str
    cells: tuple[str, ...]


def learned(run: StoredRun) -> tuple[Learned, ...]:
    """Return a row for the coordinator, for the silos, and for the querier, if they left notes.

    Raises:
        RunDirectoryInvalid: a transcript is damaged.
    """
    folder = run.directory.transcripts
    asked = run.person_releases
    pairs = asked is not None and asked.pairs
    names = sorted(path.stem for path in folder.glob("*.jsonl")) if folder.is_dir() else []
    silos: dict[tuple[str, ...], list[str]] = {}
    others: dict[str, Learned] = {}
    for name in names:
        rounds = {entry.round for entry in read_transcript(folder, name)}
        cells = _cells(name, rounds, pairs=pairs)
        if name in _ROLE:
            others[name] = Learned(name, _ROLE[name], cells)
        else:
            silos.setdefault(cells, []).append(name)
    rows = [Learned(_together(names), "answers, and counts", cells)
            for cells, names in silos.items()]  # fmt: skip
    coordinator = [others[COORDINATOR]] if COORDINATOR in others else []
    querier = [others[ATTACKER]] if ATTACKER in others else []
    return (*coordinator, *rows, *querier)


def _cells(name: str, rounds: set[str], *, pairs: bool) -> tuple[str, ...]:
    table = _LEARNS.get(name, _LEARNS["silo"])
    if pairs and name == ATTACKER:
        table = (_SECRETS, *table[1:])
    return tuple(said if needed is None or needed.value in rounds else NO for needed, said in table)


def _together(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{len(names)} silos"
