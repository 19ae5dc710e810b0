"""A run beside others, by the command itself in a process of its own: it takes the other core."""

import contextlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from collude.common.errors import PartyFailed

STOP_S = 5.0
"""Seconds to end when asked to, before it is killed."""


class Aside:
    """A run that is under way."""

    def __init__(self, child: subprocess.Popen[str], out: Path) -> None:
        """Watch a child that writes its results to stdout as JSON."""
        self._child, self._out = child, out

    def results(self) -> dict[str, Any]:
        """Wait for the end and return the content of its `results.json`.

        Raises:
            PartyFailed: it failed; its run directory holds what there is.
        """
        said, _ = self._child.communicate()
        try:
            document = json.loads(said)
        except ValueError:
            document = {}
        if self._child.returncode or "codef" not in document:
            error = document.get("error", {})
            raise PartyFailed(
                error.get("reason", "the run beside the others failed"),
                field=str(self._out),
                got=f"exit status {self._child.returncode}",
                hint=error.get("hint"),
            )
        return dict(document)


@contextlib.contextmanager
def aside(scenario: Path, changes: Sequence[str], out: Path) -> Iterator[Aside]:
    """Start a run in one process of its own; when the block is left, it is over.

    Args:
        scenario: TOML.
        changes: `key=value`, as `collude run --set` takes them.
        out: the run directory that it makes.
    """
    words = [word for change in changes for word in ("--set", change)]
    # A new session: Ctrl-C reaches this process alone, which then ends the other in order.
    child = subprocess.Popen(  # noqa: S603 -- our own command, no shell
        [sys.executable, "-m", "collude.runtime.cli", "run", str(scenario), "--out", str(out),
         "--json", *words],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        encoding="utf-8",
        env=os.environ,
        start_new_session=True,
    )  # fmt: skip
    try:
        yield Aside(child, out)
    finally:
        _end(child)


def _end(child: subprocess.Popen[str]) -> None:
    if child.poll() is None:
        child.terminate()
        try:
            child.communicate(timeout=STOP_S)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()
    if child.stdout is not None:
        child.stdout.close()
