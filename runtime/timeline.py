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


class Follower:
    """The last round that a growing log says its party entered; reads each line once."""

    def __init__(self, path: Path) -> None:
        """Stand before the first line."""
        self._path, self._offset = path, 0
        self._round: str | None = None

    def entered(self) -> str | None:
        """Return the round as of now, or None."""
        if self._path.exists():
            with self._path.open("rb") as file:
                file.seek(self._offset)
                whole = file.read().rpartition(b"\n")[0]
            self._offset += len(whole) + bool(whole)
            for line in whole.splitlines():
                self._note(line)
        return self._round

    def _note(self, line: bytes) -> None:
        try:
            event = json.loads(line)
        except ValueError:
            return
        if event.get("event") == "entered":
            self._round = event["round"]
