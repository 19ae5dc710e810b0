"""`collude run`: one run of one scenario."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from collude.runtime.cli.console import Steps, err, show_json, use_json
from collude.runtime.cli.options import Force, Json, Out, out_or_default

if TYPE_CHECKING:
    from collude.common.scenario import Scenario


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("run")(run)


def run(  # noqa: PLR0913 -- one argument for each option of the command
    scenario: Annotated[Path, typer.Argument(help="Scenario file (TOML).")],
    runtime: Annotated[
        str,
        typer.Option(
            help="`inprocess`; or each party by itself, over mutual TLS: `processes`, or "
            "`compose`, in containers."
        ),
    ] = "inprocess",
    seed: Annotated[
        int | None, typer.Option(help="Replaces scenario.seed.", show_default=False)
    ] = None,
    out: Out = None,
    set_: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="Replaces one value; may be repeated."),
    ] = None,
    force: Force = False,
    compare: Annotated[
        bool, typer.Option(help="Also measure Local, C-GDP and I-GDP on the same records.")
    ] = True,
    json: Json = False,
) -> None:
    """Run a scenario once and write a run directory with a report.

    Example: collude run deploy/scenarios/quickstart.toml --runtime processes
    --set mechanism.anchor_noise=0.1
    """
    use_json(wanted=json)
    from collude.common.scenario import load_scenario
    from collude.runtime.runner import Options, run_scenario

    loaded = load_scenario(scenario, set_ or (), seed)
    target = out_or_default(out, loaded.scenario.name)
    with Steps() as steps:
        options = Options(out=target, runtime=runtime, force=force, compare=compare, progress=steps)
        results = run_scenario(loaded, options)
    show_run(results, loaded, target, json=json)


def show_run(results: dict[str, Any], scenario: "Scenario", target: Path, *, json: bool) -> None:
    """Say what came out of a run, and where it lies."""
    from collude.runtime.cli.release_tables import show_release
    from collude.runtime.cli.tables import show_results

    if json:
        show_json(results)
    elif scenario.releases:
        show_release(results["codef"])
    else:
        show_results(results)
    if (target / "report.html").exists():
        err.print(f"report: {target / 'report.html'}", soft_wrap=True)
    else:
        err.print(f"run directory: {target}", soft_wrap=True)
