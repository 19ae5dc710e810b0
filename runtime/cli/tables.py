"""Results as tables on the terminal: utility, and how close each attack came."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from rich.table import Table

from collude.runtime.cli.console import out
from collude.runtime.cli.release_tables import show_counted

Column = Callable[[Mapping[str, Any]], str]

LOWER_BOUND = (
    "A measured attack is a lower bound on what leaks, never a guarantee. "
    "Errors are squared and relative: 0 is exact; centred 1 is what the mean record scores."
)


def show_results(results: Mapping[str, Any]) -> None:
    """Show one run's utility, baselines and attacks, and the noise that CoDef set."""
    utility = results["utility"] or {}
    rows = [(results["method"], utility), *utility.get("baselines", {}).items()]
    show_utility(rows)
    show_attacks([(results["method"], results["attacks"])])
    if results["codef"]:
        show_counted(results["codef"])


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
    """Show a table of attacks, and below it what could not run and why.

    Where linkage was judged it stands in place of two of the errors: 80 columns hold no more.
    """
    columns = JUDGED if any(found and found["auditor"] for _, found in rows) else UNJUDGED
    table = Table(title="Attacks by the coalition", title_justify="left")
    for heading in ("method", "attack", *columns, ""):
        table.add_column(heading, no_wrap=bool(heading))
    for method, found in rows:
        for line in _lines(found, columns):
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


def _lines(
    found: Mapping[str, Any] | None, columns: Mapping[str, Column]
) -> Iterator[tuple[str, ...]]:
    nothing = ["-"] * len(columns)
    if not found:
        yield ("none", *nothing, "nothing was uploaded, or no attack was named")
        return
    if not found["attacks"]:
        yield ("none", *nothing, "see below")
        return
    worst = (found["leakage"] or {}).get("attack")
    for attack in found["attacks"]:
        mark = _mark(attack) if attack["name"] == worst else ""
        yield (attack["name"], *(show(attack) for show in columns.values()), mark)


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
    return "closest" if worst["linkage"] is None else "most"


def _interval(attack: Mapping[str, Any]) -> str:
    ends = attack["interval"]
    return "-" if ends is None else f"{ends[0]:.2f}-{ends[1]:.2f}"


def _figure(value: float | None) -> str:
    return "-" if value is None else f"{value:.3g}"


def _shown(key: str) -> Column:
    return lambda attack: _figure(attack[key])


UNJUDGED: Mapping[str, Column] = {
    "relative": _shown("relative"),
    "centred": _shown("centred_relative"),
    "rotation": _shown("rotation"),
}
JUDGED: Mapping[str, Column] = {
    "centred": _shown("centred_relative"),
    "linkage": _shown("linkage"),
    "95 %": _interval,
}
"""Heading -> what stands below it."""
