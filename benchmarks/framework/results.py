"""benchmarks/results/<name>.json: conditions, every sample, and the rows of the table."""

import json
from pathlib import Path
from typing import Any

from benchmarks.framework.contest import Bench
from benchmarks.framework.environments import ROOT
from benchmarks.framework.machine import conditions
from benchmarks.framework.row import Row

RESULTS = ROOT / "benchmarks" / "results"


def report(name: str, title: str, notes: tuple[str, ...], bench: Bench, rows: list[Row]) -> Any:
    """Return all that one benchmark found, as JSON takes it."""
    return {
        "benchmark": name,
        "title": title,
        "repeats": bench.repeats,
        **conditions(),
        "peers": bench.peers,
        "rows": [row.as_json() for row in rows],
        "notes": list(notes),
        "runs": [outcome.as_json() for outcome in bench.outcomes],
    }


def write(folder: Path, found: Any) -> Path:
    """Write one report, whole or not at all, and return its path."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{found['benchmark']}.json"
    unfinished = path.with_suffix(".part")
    unfinished.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    unfinished.replace(path)
    return path


def read_all(folder: Path) -> list[Any]:
    """Return every report in the folder, by name."""
    return [json.loads(path.read_text(encoding="utf-8")) for path in sorted(folder.glob("*.json"))]


def rows_of(found: Any) -> list[Row]:
    """Return a report's rows; what follows from their fields is computed anew."""
    fields = Row.__dataclass_fields__
    return [Row(**{k: v for k, v in row.items() if k in fields}) for row in found["rows"]]
