"""`collude demo`: the main job, without questions and without downloads."""

from typing import Annotated

import typer

from collude.runtime.cli.console import Steps, err, show_json, use_json
from collude.runtime.cli.options import Force, Json, Out, out_or_default


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("demo")(demo)


def demo(
    out: Out = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="Only one run over the network: half the time.")
    ] = False,
    force: Force = False,
    json: Json = False,
) -> None:
    """Hide real faces by several methods, let one participant collude, and show what it rebuilds.

    Four participants with five people each, an analyst and an attacker, each a process of its
    own, talk gRPC with mutual TLS on this machine. The report shows the faces beside what the
    colluders made of them. Then twenty silos answer about 500 persons under three policies, and
    an attacker names whom it can.

    Example: collude demo --out demo
    """
    use_json(wanted=json)
    from collude.runtime.cli.release_tables import show_release
    from collude.runtime.cli.tables import show_attacks, show_utility
    from collude.runtime.demo import PLAN, DemoOptions, run_demo

    target = out_or_default(out, "demo")
    with Steps(len(PLAN) + 1) as steps:
        results = run_demo(DemoOptions(target, quick=quick, force=force), steps)
    runs = results["runs"]
    if json:
        show_json(results)
    else:
        show_utility([(run["run"], run["utility"]) for run in runs if run["utility"]])
        show_attacks([(run["run"], run["attacks"]) for run in runs if run["attacks"]])
        for run in runs:
            if run["codef"]:
                show_release(run["codef"])
    err.print(f"report: {target / 'report.html'}", soft_wrap=True)
