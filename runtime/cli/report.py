"""`collude report`: write the report of a run directory again."""

from typing import Annotated

import typer

from collude.runtime.cli.console import err, show_json, use_json
from collude.runtime.cli.options import Json, RunDir


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("report")(report)


def report(
    run_dir: RunDir,
    open_: Annotated[bool, typer.Option("--open", help="Open it in the browser.")] = False,
    json: Json = False,
) -> None:
    """Write `report.html` and the figures of a run directory, again.

    Example: collude report runs/quickstart-20261130-120000 --open
    """
    use_json(wanted=json)
    from collude.runtime.report import write_report

    path = write_report(run_dir)
    err.print(f"report: {path}", soft_wrap=True)
    if json:
        show_json({"report": str(path)})
    if open_:
        typer.launch(path.absolute().as_uri())
