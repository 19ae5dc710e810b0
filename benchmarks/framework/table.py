"""docs/benchmarks.md from benchmarks/results: the same results give the same page."""

from collections.abc import Iterable, Sequence
from typing import Any

from benchmarks.framework.results import rows_of
from benchmarks.framework.row import Row

HEADER = """# Benchmarks

Made by `make bench` from `benchmarks/results/*.json`; do not edit. `make bench ONLY=alignment` runs
one benchmark, `python -m benchmarks --table` only writes this page again.

All figures are ratios of medians in one run on one machine, ours and the peers' as processes in
turn, with one BLAS thread each. Seconds belong to the machine. A budget is a goal to beat, not an
assertion in a test. Peers live in environments of their own (`benchmarks/peers`).
"""
MEBIBYTE = 2**20


def page(reports: Iterable[Any]) -> str:
    """Return the whole page."""
    return "\n".join([HEADER, *(section(report) for report in reports)])


def section(found: Any) -> str:
    """Return one benchmark: its table, what stands in its way, its conditions and seconds."""
    blocks = [
        f"## {found['title']}",
        table(("work", "against", "quantity", "budget", "measured", ""), lines(rows_of(found))),
        *found["notes"],
        f"### {found['title']}: seconds and memory",
        table(("task", "contender", "CPU s", "wall s", "peak MiB"), seconds(found["runs"])),
        conditions(found),
    ]
    return "\n\n".join(blocks) + "\n"


def lines(rows: Sequence[Row]) -> list[tuple[str, ...]]:
    """Return the cells of each row."""
    return [
        (row.work, row.against, row.quantity, row.budget, figure(row), row.verdict) for row in rows
    ]


def figure(row: Row) -> str:
    """Return the measured figure with its unit, to three digits."""
    return "-" if row.measured is None else f"{row.measured:.3g}{row.unit}"


def seconds(runs: Sequence[Any]) -> list[tuple[str, ...]]:
    """Return the medians of each contender."""
    return [
        (run["task"], run["contender"], *medians(run["median"]))
        if run["samples"]
        else (run["task"], run["contender"], "-", "-", f"not run: {run['missing']}")
        for run in runs
    ]


def medians(median: dict[str, float]) -> tuple[str, str, str]:
    """Return CPU and wall seconds and the peak memory in MiB."""
    return f"{median['cpu']:.3g}", f"{median['wall']:.3g}", f"{median['peak'] / MEBIBYTE:.0f}"


def conditions(found: Any) -> str:
    """Return the sentence that says what the numbers belong to."""
    machine = found["machine"]
    commit = (found["commit"] or "unknown") + (
        " with changes" if found["changed_since_commit"] else ""
    )
    versions = ", ".join(f"{name} {version}" for name, version in found["versions"].items())
    return (
        f"{found['date'][:10]}, commit {commit}; {machine['cpu']}, {machine['cores']} cores, "
        f"{machine['system']}; {', '.join(machine['blas'])}, one thread; {versions}. "
        f"Medians of {found['repeats']}.{peers(found['peers'])}"
    )


def peers(states: dict[str, Any]) -> str:
    """Return what each peer's environment held, or why it could not be made."""
    said = [
        f"{name}: " + (state.get("missing") or ", ".join(map(" ".join, state["versions"].items())))
        for name, state in states.items()
    ]
    return f" Peers: {'; '.join(said)}." if said else ""


def table(head: Sequence[str], body: Iterable[Sequence[str]]) -> str:
    """Return a Markdown table; a cell's own bars are escaped."""
    rows = [head, ["---"] * len(head), *body]
    return "\n".join(
        "| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows
    )
