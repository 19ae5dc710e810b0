"""Options that several commands share, each declared once."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

Json = Annotated[
    bool, typer.Option("--json", help="One JSON document on stdout; prose goes to stderr.")
]
Out = Annotated[
    Path | None,
    typer.Option("--out", help="Directory to make; default runs/NAME-TIME.", show_default=False),
]
Force = Annotated[
    bool, typer.Option("--force", help="Replace an existing run directory, and nothing else.")
]
RunDir = Annotated[
    Path, typer.Argument(help="A run directory, as `collude run` and `collude demo` make it.")
]


def out_or_default(out: Path | None, name: str) -> Path:
    """Return the directory asked for, or `runs/<name>-<time>`."""
    if out is not None:
        return out
    stamp = datetime.now(UTC).strftime("%Y%m%d-%H%M%S")
    return Path("runs") / f"{name}-{stamp}"
