"""`collude new`: a plug-in project with its test."""

from pathlib import Path
from typing import Annotated

import typer

from collude.runtime.cli.console import err, show_json, use_json
from collude.runtime.cli.options import Json


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("new")(new)


def new(
    kind: Annotated[str, typer.Argument(help="attack, mechanism or alignment.")],
    name: Annotated[str, typer.Argument(help="Its name: a-z, 0-9 and hyphens.")],
    out: Annotated[Path, typer.Option(help="Where the project's folder is made.")] = Path(),
    json: Json = False,
) -> None:
    """Write a small project: a plug-in that works, its registration and its test.

    Example: collude new attack first-guess
    """
    use_json(wanted=json)
    from collude.runtime.scaffold import write_skeleton

    made = write_skeleton(kind, name, out)
    if json:
        show_json({"files": [str(path) for path in made]})
    err.print(f"made {out / name}; next:", soft_wrap=True)
    err.print(f"  cd {out / name} && pip install -e '.[test]' && pytest", soft_wrap=True)
