"""`collude pki init | check`: a consortium's certificates and party files."""

from pathlib import Path
from typing import Annotated

import typer

from collude.runtime.cli.console import err, out, show_json, use_json
from collude.runtime.cli.options import Json

CHECK_FAILED = 4

app = typer.Typer(no_args_is_help=True, help="A consortium CA and one certificate per party.")


@app.command()
def init(
    directory: Annotated[Path, typer.Argument(help="Directory to make.")],
    party: Annotated[
        list[str],
        typer.Option(metavar="NAME[=HOST,...]", help="A party, and where others reach it."),
    ],
    json: Json = False,
) -> None:
    """Make a CA, and for each party a certificate, a signing key and a party file.

    The CA's key stays in DIRECTORY/ca: keep it from the analyst, who could otherwise add a
    participant of its own. Hand DIRECTORY/NAME to the party NAME alone. The parties are analyst,
    attacker, and the scenario's participants by their names.

    Example: collude pki init consortium --party analyst=analyst.example.org
    --party participant-0 --party participant-1 --party attacker
    """
    use_json(wanted=json)
    from collude.common.net import pki

    named = (text.partition("=") for text in party)
    parties = {name: tuple(h for h in hosts.split(",") if h) for name, _, hosts in named}
    pki.init(directory, parties)
    err.print(f"made {directory}: a CA and {len(parties)} parties", soft_wrap=True)
    err.print(
        f"next: put the scenario at {directory / 'scenario.toml'}, or change its path in every "
        f"party.toml; hand each party its folder alone; start it with its command, for example "
        f"collude participant --config {directory / 'participant-0' / 'party.toml'}",
        soft_wrap=True,
        markup=False,
    )
    if json:
        show_json({"directory": str(directory), "parties": sorted(parties)})


@app.command()
def check(
    directory: Annotated[Path, typer.Argument(help="Directory that `pki init` made.")],
    json: Json = False,
) -> None:
    """Check certificates, keys, rosters and file modes; exit code 4 if something is wrong.

    Example: collude pki check consortium
    """
    use_json(wanted=json)
    from dataclasses import asdict

    from collude.common.net import pki

    findings = pki.check(directory)
    if json:
        show_json({"findings": [asdict(finding) for finding in findings]})
    else:
        for finding in findings:
            out.print(str(finding), markup=False)
    count = "1 finding" if len(findings) == 1 else f"{len(findings)} findings"
    err.print(count if findings else "all is well")
    if findings:
        raise typer.Exit(CHECK_FAILED)
