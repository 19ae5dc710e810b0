"""Loaded first by every Python that a test starts with this folder on PYTHONPATH.

Notes who it is and what it opens, one JSON line each, in `$COLLUDE_TEST_HOOK/<pid>.jsonl`. A
party that is named in `$COLLUDE_TEST_HOLD` stops before it reads its party file, with all code
loaded, until somebody writes to its gate.
"""

import json
import os
import select
import sys
from pathlib import Path

WATCHED = {"open", "os.listdir", "os.scandir"}


FOLDER = os.environ.get("COLLUDE_TEST_HOOK", "")
HELD = os.environ.get("COLLUDE_TEST_HOLD", "").split()
PARTY_FILE = "party.toml"


def _config() -> str:
    words = sys.orig_argv
    return words[words.index("--config") + 1] if "--config" in words else ""


PARTY = Path(_config()).parent.name


def _watch(folder: Path) -> None:
    note = os.open(folder / f"{os.getpid()}.jsonl", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    held = [PARTY] if PARTY in HELD else []

    def write(**values: object) -> None:
        os.write(note, json.dumps(values).encode() + b"\n")

    def hook(event: str, arguments: tuple[object, ...]) -> None:
        if event not in WATCHED or not isinstance(arguments[0], str | bytes | os.PathLike):
            return
        path = os.path.realpath(os.fsdecode(arguments[0]))
        write(event=event, path=path)
        if held and Path(path).name == PARTY_FILE:
            held.clear()
            _hold(folder)

    write(party=PARTY, argv=sys.orig_argv, environ=dict(os.environ), parent=os.getppid())
    sys.addaudithook(hook)


def _hold(folder: Path) -> None:
    gate = os.open(folder / PARTY, os.O_RDONLY | os.O_NONBLOCK)
    watch = [gate, sys.stdin] if os.environ.get("COLLUDE_WATCH_PARENT") else [gate]
    ready, _, _ = select.select(watch, [], [])
    if gate not in ready:  # whoever started this party has died
        os._exit(1)


if FOLDER:
    _watch(Path(FOLDER))
