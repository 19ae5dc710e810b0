"""`collude attack`: attack a recorded run, by any coalition."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from collude.runtime.cli.console import err, show_json, use_json
from collude.runtime.cli.options import Json, RunDir

if TYPE_CHECKING:
    from collude.common.scenario import Scenario
    from collude.runtime.rundir import RunDirectory


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("attack")(attack)


def attack(
    run_dir: RunDir,
    attack: Annotated[
        list[str] | None,
        typer.Option(help="An attack; may be repeated. Default: the scenario's."),
    ] = None,
    colluder: Annotated[
        list[str] | None,
        typer.Option(
            help="A participant that discloses; may be repeated. Default: the scenario's."
        ),
    ] = None,
    target: Annotated[
        str | None, typer.Option(help="Whose records to reconstruct. Default: the scenario's.")
    ] = None,
    save: Annotated[
        bool, typer.Option("--save", help="Put the outcome into results.json and the report.")
    ] = False,
    json: Json = False,
) -> None:
    """Attack what a finished run left behind; several colluders pool what they know.

    Example: collude attack runs/demo/runs/naa-gdp-s0.4 --colluder participant-0
    --colluder participant-2 --attack procrustes
    """
    use_json(wanted=json)
    from dataclasses import replace

    from collude.attacker.output import write_campaign
    from collude.runtime.cli.tables import show_attacks
    from collude.runtime.recorded import attack_recorded, recorded_scenario
    from collude.runtime.report import write_report
    from collude.runtime.rundir import RunDirectory

    run = RunDirectory.open(run_dir)
    scenario = recorded_scenario(run)
    if scenario.releases:
        given = {"--colluder": colluder, "--target": target, "--save": save}
        _answers(run, scenario, attack or (), json=json, given=[o for o, it in given.items() if it])
        return
    campaign, scored = attack_recorded(run, colluder or None, attack or (), target)
    if json:
        show_json(scored)
    else:
        show_attacks([(scenario.mechanism.method, scored)])
        helpers = " and ".join(("the analyst", *campaign.colluders))
        kept = "kept in the run directory" if save else "not kept (--save keeps it)"
        err.print(f"{helpers} attacked {campaign.target}; {kept}", soft_wrap=True)
    if save:
        write_campaign(run.root / "attacks", replace(campaign, others={}))
        run.write_results(run.results() | {"attacks": scored})
        err.print(f"report: {write_report(run.root)}", soft_wrap=True)


def _answers(
    run: "RunDirectory",
    scenario: "Scenario",
    attacks: Sequence[str],
    *,
    json: bool,
    given: Sequence[str],
) -> None:
    """Attack the answers of a recorded release."""
    from collude.common.errors import ScenarioInvalid
    from collude.runtime.cli.release_tables import show_release_attacks
    from collude.runtime.releases.recorded import attack_recorded

    if given:
        raise ScenarioInvalid(
            "answers about persons are attacked by who asked, all persons at once; what it finds "
            "afterwards is shown and not kept",
            field=", ".join(given),
            expected="--attack or --json alone",
            hint="Leave it out; to keep what an attack finds, name it in collusion.attacks and run "
            "the scenario again.",
        )
    periods = attack_recorded(run, scenario, attacks)
    if json:
        show_json({"target": None, "colluders": [], "periods": periods})
    else:
        show_release_attacks(periods, pairs=scenario.data.source == "xor-persons")
        err.print(
            f"the answers are those that {scenario.codef.strategy} asked for: an attack's own way "
            "of asking takes another run, with codef.strategy; nothing was kept",
            soft_wrap=True,
        )
