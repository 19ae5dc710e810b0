"""`collude plugins`: what is registered, and from where."""

import typer

from collude.runtime.cli.console import out, show_json, use_json
from collude.runtime.cli.options import Json


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("plugins")(plugins)


def plugins(json: Json = False) -> None:
    """List what a scenario can name: attacks, mechanisms, alignments, data sets and the like.

    Example: collude plugins --json
    """
    use_json(wanted=json)
    from collude.common.plugins import GROUPS, provider, registered

    found = [
        {"group": group, "name": name, "value": entry.value, "from": provider(entry)}
        for group in GROUPS
        for name, entry in registered(group).items()
    ]
    if json:
        show_json({"plugins": found})
        return
    widest = max(len(row["name"]) for row in found)
    for group in GROUPS:
        out.print(group, style="bold")
        for row in found:
            if row["group"] == group:
                line = f"  {row['name']:{widest}}  {row['from']}  {row['value']}"
                out.print(line, soft_wrap=True, highlight=False, markup=False)
