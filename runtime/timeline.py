"""Reading parties' logs: which round the analyst stands in, and all events in order of time."""

import json
from pathlib import Path
from typing import Any


def events(path: Path) -> list[dict[str, Any]]:
    """Return a log's lines; an unfinished last line is left out."""
    if not path.exists():
        return []
    found = []
    for line in path.read_text(encoding="utf-8").splitlines():
        try:
            found.append(json.loads(line))
        except ValueError:
            continue
    return found


def entered(path: Path) -> str | None:
    """Return the last round that a party's log says it entered, or None."""
    rounds = [event["round"] for event in events(path) if event.get("event") == "entered"]
    return rounds[-1] if rounds else None
