"""The `collude` command, in this process or as one of its own."""

import contextlib
import io
import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple
from unittest import mock

from collude.runtime.cli import console
from collude.runtime.cli.app import main

ROOT = Path(__file__).parents[3]
QUICKSTART = ROOT / "deploy" / "scenarios" / "quickstart.toml"
COLLUDE = (sys.executable, "-m", "collude.runtime.cli")


class Said(NamedTuple):
    """What a command left: exit code, stdout and stderr."""

    code: int
    out: str
    err: str

    @property
    def json(self):
        """The one JSON document on stdout; anything beside it is an error."""
        return json.loads(self.out)

    @property
    def words(self) -> str:
        """What stands on stderr, line breaks taken out."""
        return " ".join(self.err.split())


def collude(*words: object) -> Said:
    """Run the command line here: the same code as the program, without starting Python."""
    out, err = io.StringIO(), io.StringIO()
    code = 0
    with (
        mock.patch.object(sys, "argv", ["collude", *map(str, words)]),
        mock.patch.object(console, "_JSON", []),  # both end with a process
        mock.patch.object(console, "_SHOWN", []),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        try:
            main()
        except SystemExit as ending:
            code = int(ending.code or 0)
    return Said(code, out.getvalue(), err.getvalue())


def program(*words: object, env: Mapping[str, str] | None = None) -> Said:
    """Run the command as a process of its own."""
    done = subprocess.run(
        [*COLLUDE, *map(str, words)],
        check=False, capture_output=True, text=True, env={**os.environ, **(env or {})},
    )  # fmt: skip
    return Said(done.returncode, done.stdout, done.stderr)
