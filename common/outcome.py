"""How a party's part ended, as a small JSON file in its own folder."""

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from collude.common.atomic import write_atomically
from collude.common.errors import ColludeError, RunDirectoryInvalid

FILE = "outcome.json"

FINISHED, FAILED, INTERRUPTED = "finished", "failed", "interrupted"


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a party's part ended.

    Attributes:
        state: `finished`, `failed` or `interrupted`.
        error: code, reason, party, field, expected, got, hint of what ended it, or empty.
        rounds: round -> seconds spent in it.
        warnings: what somebody should look at.
        result: what the party alone knows, such as pooled counts at the analyst.
    """

    state: str
    error: dict[str, str] = field(default_factory=dict)
    rounds: dict[str, float] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)
    result: dict[str, Any] = field(default_factory=dict)


def error_facts(error: ColludeError) -> dict[str, str]:
    """Return the parts of an error that are known."""
    names = ("reason", "party", "field", "expected", "got", "hint")
    parts = {name: getattr(error, name) for name in names}
    return {"code": error.code, **{name: value for name, value in parts.items() if value}}


def write_outcome(folder: Path, outcome: Outcome) -> None:
    """Write the outcome to `folder`, whole or not at all."""
    write_atomically(folder / FILE, json.dumps(asdict(outcome), indent=2).encode())


def read_outcome(folder: Path) -> Outcome | None:
    """Return the outcome in `folder`, or None if the party left none.

    Raises:
        RunDirectoryInvalid: it is there and cannot be read.
    """
    path = folder / FILE
    if not path.exists():
        return None
    try:
        return Outcome(**json.loads(path.read_text(encoding="utf-8")))
    except (OSError, TypeError, ValueError) as error:
        raise RunDirectoryInvalid(
            "a party's outcome cannot be read", field=str(path), got=str(error)
        ) from error
