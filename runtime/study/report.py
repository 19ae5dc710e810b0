"""report.html of a study: one file that opens offline."""

import base64
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from collude.runtime.study.engine import Found
from collude.studies.agreement import SIMULATION
from collude.studies.study import of_table
from collude.studies.words import FALSE, HOLDS

SHOWN = 20
TOLD = {"table", "of", "trials", "simulated", "exact", "z"}


def page(found: Found, picture: bytes | None) -> str:
    """Return the page.

    Args:
        found: what came out.
        picture: the figure as PNG, or None.
    """
    environment = Environment(
        loader=PackageLoader("collude.runtime.study", "."),
        autoescape=True,
        undefined=StrictUndefined,
        keep_trailing_newline=True,
    )
    simulated = of_table(found.outcome.rows, SIMULATION)
    return environment.get_template("report.html.jinja").render(
        found=found,
        kind=kind,
        where=where,
        title=found.asked.study.figure(found.outcome.rows).title,
        picture=None if picture is None else _uri(picture),
        simulated=simulated,
        shown=sorted(simulated, key=lambda row: -abs(row["z"]))[:SHOWN],
        facts=facts(found),
    )


def kind(verdict: str) -> str:
    """Return `holds`, `false` or `other`: how a verdict is coloured."""
    if verdict.startswith(FALSE) or verdict.endswith(FALSE):
        return "false"
    return "holds" if verdict == HOLDS or verdict.startswith(f"{HOLDS}:") else "other"


def where(row: Mapping[str, Any]) -> str:
    """Return at which parameters a simulated point lies."""
    return ", ".join(f"{name} {value:g}" for name, value in row.items() if name not in TOLD)


def facts(found: Found) -> list[tuple[str, str]]:
    """Return parameters, seed and seconds in words."""
    parameters = [(name, str(value)) for name, value in asdict(found.parameters).items()]
    seconds = [(name, f"{value:.3g}") for name, value in found.timings.items()]
    return [("seed", str(found.seed)), *parameters, *seconds]


def _uri(png: bytes) -> str:
    return f"data:image/png;base64,{base64.b64encode(png).decode()}"
