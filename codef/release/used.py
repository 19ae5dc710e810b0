"""Sessions that a silo has taken part in: none is entered twice, not even after a restart."""

from pathlib import Path
from typing import Protocol

from collude.codef.release.journal import Journal
from collude.common.errors import SessionUsed


class UsedSessions(Protocol):
    """A silo's record of sessions."""

    def use(self, session: bytes) -> None:
        """Note a session, lastingly, before any key of it is drawn.

        Raises:
            SessionUsed: it was noted before.
        """
        ...


class MemorySessions:
    """A record that is gone with the process: for runs in which no silo comes back."""

    def __init__(self) -> None:
        """Begin empty."""
        self._used: set[bytes] = set()

    def use(self, session: bytes) -> None:
        """Note a session.

        Raises:
            SessionUsed: it was noted before.
        """
        _refuse_again(session, self._used)
        self._used.add(session)


class FileSessions:
    """A record in a file, mode 0600: a line a session, in hexadecimal digits."""

    def __init__(self, path: Path, party: str) -> None:
        """Open or make the record of a party; its folder must exist.

        Raises:
            DataInvalid: it cannot be used, is another party's, or is damaged; names the line.
        """
        self._journal = Journal(path, "sessions", party)
        self._used = set(self._journal.lines)

    def use(self, session: bytes) -> None:
        """Note a session; it is on the disk when it returns.

        Raises:
            SessionUsed: it was noted before.
            DataInvalid: it could not be noted, so the session must not be entered.
        """
        _refuse_again(session.hex(), self._used)
        self._journal.append([session.hex()])
        self._used.add(session.hex())

    def close(self) -> None:
        """Let go of the file."""
        self._journal.close()


def _refuse_again(session: object, used: set[str] | set[bytes]) -> None:
    if session in used:
        shown = session.hex() if isinstance(session, bytes) else session
        raise SessionUsed("a session is entered twice", field="session", got=shown)
