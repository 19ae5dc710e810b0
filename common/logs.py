"""A party's log: JSON lines in its own file. No record, secret or message body is logged."""

from collections.abc import Iterator, Mapping, MutableMapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol, TextIO

import structlog

from collude.common.protocol.parcel import Parcel


class Log(Protocol):
    """Where a party says what it does: an event in a word, and named values."""

    def info(self, event: str, **values: Any) -> Any:
        """Note what happened as it should."""

    def warning(self, event: str, **values: Any) -> Any:
        """Note what somebody should look at."""


def party_log(party: str, path: Path, echo: TextIO | None = None) -> Log:
    """Return a log that appends one JSON object a line to `path`, with time, level and party.

    It stays open as long as the process; `closing_log` ends with its block.

    Args:
        party: whose log.
        path: the file; its folder is made.
        echo: where each event is also said in one short line, for somebody who watches.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    return _log_to(path.open("a", encoding="utf-8", buffering=1), party, echo)


@contextmanager
def closing_log(party: str, path: Path) -> Iterator[Log]:
    """Give the same log, and close it afterwards."""
    with path.open("a", encoding="utf-8") as file:
        yield _log_to(file, party)


def _log_to(file: TextIO, party: str, echo: TextIO | None = None) -> Log:
    def say(_logger: Any, _method: str, event: MutableMapping[str, Any]) -> Mapping[str, Any]:
        if echo is not None:
            known = {k: v for k, v in event.items() if k not in {"event", "level", "party"}}
            parts = " ".join(f"{key}={value}" for key, value in known.items())
            echo.write(f"{event['party']}: {event['event']} {parts}".rstrip() + "\n")
            echo.flush()
        return event

    log: Log = structlog.wrap_logger(
        structlog.WriteLogger(file),
        processors=[
            say,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.JSONRenderer(sort_keys=True),
        ],
    ).bind(party=party)
    return log


class SilentLog:
    """A log that keeps nothing."""

    def info(self, event: str, **values: Any) -> None:
        """Keep nothing."""

    def warning(self, event: str, **values: Any) -> None:
        """Keep nothing."""


def facts(parcel: Parcel) -> dict[str, str | int]:
    """Return what may be logged of a parcel: where it belongs and how large it is."""
    return {
        "round": parcel.round,
        "sender": parcel.sender,
        "receiver": parcel.receiver,
        "sequence": parcel.sequence,
        "bytes": len(parcel.body),
    }
