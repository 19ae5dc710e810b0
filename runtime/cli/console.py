"""What the command line says: prose and progress on stderr, results on stdout."""

import json
import sys
from types import TracebackType
from typing import Any, Self

from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from collude.common.errors import ColludeError

err = Console(stderr=True, highlight=False)
out = Console(highlight=False)


def show_error(error: ColludeError) -> None:
    """Say what went wrong, whose fault it is, and what to do next."""
    err.print(f"[bold red]error[/] [dim]{error.code}[/] {_escaped(error.reason)}", soft_wrap=True)
    for name, value in _parts(error).items():
        err.print(f"  [bold]{name:9}[/] {_escaped(value)}", soft_wrap=True)
    if _JSON:
        show_json({"error": {"code": error.code, "reason": error.reason, **_parts(error)}})


def _parts(error: ColludeError) -> dict[str, str]:
    parts = {name: getattr(error, name) for name in ("party", "field", "expected", "got")}
    return {name: value for name, value in parts.items() if value} | {"hint": error.next_step}


def _escaped(text: str) -> str:
    return str(text).replace("[", "\\[")


_JSON: list[bool] = []
"""Not empty once a command was asked for JSON: then an error is one JSON document too."""


def use_json(*, wanted: bool) -> bool:
    """Remember that the answer is to be JSON, and return whether it is."""
    if wanted:
        _JSON.append(True)
    return wanted


def show_json(document: Any) -> None:
    """Write one JSON document to stdout."""
    _SHOWN.append(True)
    sys.stdout.write(json.dumps(document, indent=2, allow_nan=False) + "\n")


def show_bare_error(code: str, reason: str) -> None:
    """Write an error as JSON, unless the one document was written already."""
    if not _SHOWN:
        show_json({"error": {"code": code, "reason": reason}})


_SHOWN: list[bool] = []
"""Not empty once the one document was written."""


class Steps:
    """Progress in plain words: a spinner on a terminal, one line a step elsewhere."""

    def __init__(self, total: int | None = None) -> None:
        """Expect `total` runs, or one."""
        self._terminal = err.is_terminal
        self._bar = Progress(
            SpinnerColumn(),
            TextColumn("{task.description}"),
            TimeElapsedColumn(),
            console=err,
            transient=True,
        )
        self._task = self._bar.add_task("starting", total=None)
        self._prefix = ""
        self._total, self._number = total, 0

    def __enter__(self) -> Self:
        """Show the spinner."""
        if self._terminal:
            self._bar.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Take it away."""
        if self._terminal:
            self._bar.stop()

    def run(self, name: str) -> None:
        """Begin the next of several runs."""
        self._number += 1
        self._prefix = f"[{self._number}/{self._total}] {name}: " if self._total else ""

    def step(self, text: str) -> None:
        """Say what is done now."""
        line = f"{self._prefix}{text}"
        if self._terminal:
            self._bar.update(self._task, description=_escaped(line))
        else:
            err.print(_escaped(line))
