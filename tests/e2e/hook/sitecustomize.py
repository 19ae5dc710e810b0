"""Loaded first by every Python that a test starts with this folder on PYTHONPATH.

Notes who it is and what it opens, one JSON line each, in `$COLLUDE_TEST_HOOK/<pid>.jsonl`. A
party that is named in `$COLLUDE_TEST_HOLD` stops here until somebody writes to its gate.
"""

import json
import os
import select
import sys
from pathlib import Path

WATCHED = {"open", "os.listdir", "os.scandir", "socket.connect", "subprocess.Popen"}


def _party() -> str:
    words = sys.orig_argv
    return Path(words[words.index("--config") + 1]).parent.name if "--config" in words else ""


def _watch(folder: Path) -> None:
    note = os.open(folder / f"{os.getpid()}.jsonl", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)

    def write(**values: object) -> None:
        os.write(note, json.dumps(values).encode() + b"\n")

    def hook(event: str, arguments: tuple[object, ...]) -> None:
        if event in WATCHED and arguments and isinstance(arguments[0], str | bytes | os.PathLike):
            path = os.path.realpath(os.fsdecode(arguments[0]))
            write(event=event, path=path, mode=str(arguments[1:2]))

    write(party=_party(), argv=sys.orig_argv, environ=dict(os.environ), parent=os.getppid())
    sys.addaudithook(hook)


def _hold(folder: Path) -> None:
    gate = os.open(folder / _party(), os.O_RDONLY | os.O_NONBLOCK)
    ready, _, _ = select.select([gate, sys.stdin], [], [])
    if gate not in ready:  # whoever started this party has died
        os._exit(1)


if folder := os.environ.get("COLLUDE_TEST_HOOK"):
    _watch(Path(folder))
    if _party() and _party() in os.environ.get("COLLUDE_TEST_HOLD", "").split():
        _hold(Path(folder))
