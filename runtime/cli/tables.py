"""Results as tables on the terminal: utility, and how close each attack came."""

from collections.abc import Mapping, Sequence
from typing import Any

from rich.table import Table

from collude.runtime.cli.console import out

LOWER_BOUND = (
    "A measured attack is a lower bound on what leaks, never a guarantee. "
    "Errors are squared and relative: 0 is exact; centred 1 is what the mean record scores."
)


def show_results(results: Mapping[str, Any]) -> None:
    """Show one run's utility, baselines and attacks."""
    utility = results["utility"] or {}
    rows = [(results["method"], utility), *utility.get("baselines", {}).items()]
    show_utility(rows)
    show_attacks([(results["method"], results["attacks"])])


def show_utility(rows: Sequence[tuple[str, Mapping[str, Any] | None]]) -> None:
    """Show a table of utilities."""
    table = Table(title="Utility on held-out records", title_justify="left")
    for heading in ("method", "metric", "value", "95 % interval", "rows"):
        table.add_column(heading)
    for method, utility in rows:
        if not utility or utility.get("value") is None:
            table.add_row(method, "-", "-", "-", "-")
            continue
        low, high = utility["interval"]
        table.add_row(
            method,
            utility["metric"],
            f"{utility['value']:.3f}",
            f"{low:.3f} to {high:.3f}",
            str(utility["count"]),
        )
    out.print(table)


def show_attacks(rows: Sequence[tuple[str, Mapping[str, Any] | None]]) -> None:
    """Show a table of attacks, and below it what could not run and why."""
    table = Table(title="Attacks by the coalition", title_justify="left")
    for heading in ("method", "attack", "relative", "centred", "rotation", "linkage", ""):
        table.add_column(heading, no_wrap=heading == "attack")
    for method, found in rows:
        for line in _lines(found):
            table.add_row(method, *line)
    out.print(table)
    for method, found in rows:
        for lacks, names in _impossible(found).items():
            out.print(
                f"{method}: {', '.join(names)} cannot run, which proves no safety; "
                f"the view lacks {lacks}."
            )
        if found and found["auditor"]:
            out.print(_judged(method, found), style="dim")
    out.print(LOWER_BOUND, style="dim")


def _lines(found: Mapping[str, Any] | None) -> list[tuple[str, ...]]:
    if not found:
        return [("none", "-", "-", "-", "-", "nothing was uploaded, or no attack was named")]
    if not found["attacks"]:
        return [("none", "-", "-", "-", "-", "see below")]
    worst = (found["leakage"] or {}).get("attack")
    return [
        (
            attack["name"],
            _figure(attack["relative"]),
            _figure(attack["centred_relative"]),
            _figure(attack["rotation"]),
            _with_interval(attack["linkage"], attack["interval"]),
            _mark(attack) if attack["name"] == worst else "",
        )
        for attack in found["attacks"]
    ]


def _impossible(found: Mapping[str, Any] | None) -> dict[str, list[str]]:
    """Return the attacks that cannot run, by what the view lacks."""
    grouped: dict[str, list[str]] = {}
    for name, lacks in (found or {}).get("impossible", {}).items():
        grouped.setdefault(" and ".join(lacks), []).append(name)
    return grouped


def _judged(method: str, found: Mapping[str, Any]) -> str:
    auditor = found["auditor"]
    return (
        f"{method}: linkage by {auditor['name']} over {auditor['people']} people in "
        f"{auditor['ways']}-way line-ups; clean records {_figure(found['ceiling'])}, "
        f"shuffled {_figure(found['floor'])}, chance {_figure(found['chance'])}."
    )


def _mark(worst: Mapping[str, Any]) -> str:
    """Return by which measure the attack is the strongest."""
    return "closest" if worst["linkage"] is None else "links most"


def _with_interval(value: float | None, interval: Sequence[float] | None) -> str:
    if value is None or interval is None:
        return "-"
    return f"{value:.2f} ({interval[0]:.2f} to {interval[1]:.2f})"


def _figure(value: float | None) -> str:
    return "-" if value is None else f"{value:.3g}"
