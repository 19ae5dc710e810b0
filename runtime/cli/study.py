"""`collude study`: a paper's experiments, and which of its claims hold."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from collude.common.errors import ParameterInvalid
from collude.runtime.cli.console import Steps, err, out, show_json, use_json
from collude.runtime.cli.options import Json

if TYPE_CHECKING:
    from collude.runtime.study.engine import Asked, Found

DISAGREES = 4
COLOURS = {"holds": "green", "false": "red", "other": "yellow"}


Preset = Annotated[
    str,
    typer.Option(
        help="smoke: tiny; paper: the paper's grids; honest: grids that show what those do not."
    ),
]
StudyOut = Annotated[
    Path | None,
    typer.Option(
        "--out",
        help="Also write study.json, report.html and the figure into this new directory.",
        show_default=False,
    ),
]
Jobs = Annotated[
    int | None,
    typer.Option(min=1, help="Processes for --check; default: one a core.", show_default=False),
]
Backend = Annotated[
    str, typer.Option(help="What runs them: loky (this machine), dask or ray, if installed.")
]
Resume = Annotated[
    bool, typer.Option("--resume", help="Go on in --out: finished cells are not repeated.")
]
Check = Annotated[
    bool,
    typer.Option(
        "--check",
        help="Play the games too (Monte Carlo); exit code 4 if one disagrees with its formula.",
    ),
]


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("study")(study)


def study(  # noqa: PLR0913 -- one argument for each option of the command
    name: Annotated[
        str | None, typer.Argument(help="A study; --list shows them.", show_default=False)
    ] = None,
    preset: Preset = "paper",
    out_dir: StudyOut = None,
    jobs: Jobs = None,
    backend: Backend = "loky",
    resume: Resume = False,
    check: Check = False,
    list_studies: Annotated[bool, typer.Option("--list", help="Name the studies.")] = False,
    json: Json = False,
) -> None:
    """Repeat an experiment of paper 2: what the paper says, what is measured, the verdict.

    Numbers are exact formulas, in about a second. `--check` plays the games as well and compares;
    its seeds are fixed, so it comes out the same every time.

    Example: collude study phase-transition --check --out runs/phase-transition
    """
    use_json(wanted=json)
    if list_studies:
        _list(json=json)
        return
    if name is None:
        raise ParameterInvalid(
            "name a study", field="NAME", hint="`collude study --list` shows them"
        )
    if resume and out_dir is None:
        raise ParameterInvalid(
            "there is nothing to resume", field="--resume", hint="--out says which directory"
        )
    from collude.runtime.study.engine import Asked
    from collude.studies.registry import study_named

    asked = Asked(study_named(name), preset, check, jobs or os.cpu_count() or 1, backend)
    found = _run(asked, out_dir, resume=resume)
    if json:
        show_json(found.document)
    else:
        _show(found)
    _judge(found)


def _run(asked: "Asked", out_dir: Path | None, *, resume: bool) -> "Found":
    from collude.runtime.study.engine import execute
    from collude.runtime.study.kept import StudyDirectory
    from collude.runtime.study.pools import check_backend
    from collude.runtime.study.write import write_study
    from collude.studies.preset import load

    check_backend(asked.backend)
    _, seed = load(asked.study, asked.preset)
    place = None
    if out_dir is not None:
        named = (asked.study.name, asked.preset, seed)
        place = StudyDirectory.open(out_dir, *named, resume=resume)
    with Steps() as steps:
        found = execute(asked, place, steps.step)
    if place is not None:
        write_study(found, place)
        err.print(f"wrote {place.root / 'report.html'}", markup=False, soft_wrap=True)
    return found


def _list(*, json: bool) -> None:
    from collude.studies.preset import PRESETS
    from collude.studies.registry import STUDIES

    if json:
        show_json({
            "studies": [
                {"name": study.name, "summary": study.summary, "presets": list(PRESETS)}
                for study in STUDIES.values()
            ]
        })
        return
    for study in STUDIES.values():
        out.print(f"{study.name:18} {study.summary}", markup=False, soft_wrap=True)


def _show(found: "Found") -> None:
    from rich.table import Table
    from rich.text import Text

    from collude.runtime.study.report import kind

    asked = found.asked
    out.print(f"{asked.study.summary} (preset {asked.preset})", markup=False, soft_wrap=True)
    table = Table(show_lines=True)
    for heading in ("claim", "paper says", "we measure", "verdict"):
        table.add_column(heading, overflow="fold")
    for claim in found.outcome.claims:
        verdict = Text(claim.verdict, style=COLOURS[kind(claim.verdict)])
        table.add_row(Text(claim.claim), Text(claim.paper), Text(claim.measured), verdict)
    out.print(table)
    if not asked.check:
        out.print("Exact formulas alone; --check plays the games as well.", style="dim")


def _judge(found: "Found") -> None:
    """End with exit code 4 if a game disagrees with its formula."""
    wrong = found.disagreements
    for row in wrong:
        words = ", ".join(f"{name} {value}" for name, value in row.items())
        err.print(f"disagrees: {words}", markup=False, soft_wrap=True)
    if wrong:
        raise typer.Exit(DISAGREES)
