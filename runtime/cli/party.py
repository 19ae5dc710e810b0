"""`collude participant | analyst | coordinator | ...`: one party as a process of its own."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from collude.runtime.cli.console import err, show_json, use_json
from collude.runtime.cli.options import Json

if TYPE_CHECKING:
    from collude.common.outcome import Outcome

Config = Annotated[
    Path, typer.Option("--config", help="The party file, as `collude pki init` writes it.")
]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    for command in (participant, analyst, coordinator, colluder, attacker):
        app.command(command.__name__)(command)


def participant(config: Config, json: Json = False) -> None:
    """Take part in one session as a participant, then exit.

    Example: collude participant --config consortium/participant-0/party.toml
    """
    _run(config, "participant", json=json)


def analyst(config: Config, json: Json = False) -> None:
    """Serve one session as the analyst, then exit.

    Example: collude analyst --config consortium/analyst/party.toml
    """
    _run(config, "analyst", json=json)


def coordinator(config: Config, json: Json = False) -> None:
    """Serve the silos' budget periods as the coordinator, then exit: it sums, and sees no count.

    Example: collude coordinator --config consortium/coordinator/party.toml
    """
    _run(config, "coordinator", json=json)


def colluder(config: Config, json: Json = False) -> None:
    """Take part as a participant that also discloses to the attacker, on a port of its own.

    Example: collude colluder --config consortium/participant-0/party.toml
    """
    _run(config, "participant", json=json, colludes=True)


def attacker(config: Config, json: Json = False) -> None:
    """Attack, and write what came out: ask analyst and colluders for what they know, or silos.

    Where silos answer about persons, it is the one who asks.

    Example: collude attacker --config consortium/attacker/party.toml
    """
    _run(config, "attacker", json=json)


def show_outcome(role: str, outcome: "Outcome") -> None:
    """Say how a party's part ended, and what somebody should look at though it ended well."""
    err.print(f"{role}: {outcome.state}")
    for name, value in outcome.error.items():
        err.print(f"  {name:9} {value}", markup=False, soft_wrap=True)
    for warning in outcome.warnings:
        err.print(f"  warning   {warning}", markup=False, soft_wrap=True)


def _run(config: Path, role: str, *, json: bool, colludes: bool = False) -> None:
    use_json(wanted=json)
    from dataclasses import asdict

    from collude.common.ids import Role
    from collude.runtime.party import run_party

    outcome = run_party(config, Role(role), colluder=colludes, echo=sys.stderr)
    if json:
        show_json(asdict(outcome))
    show_outcome(role, outcome)
    codes = {"finished": 0, "interrupted": 130}
    raise typer.Exit(codes.get(outcome.state, 3))
