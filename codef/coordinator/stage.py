"""What every stage of the coordinator looks like: collect from those who come in time, close."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from collude.common.ids import Round
from collude.common.protocol.kinds import AnyMessage


@dataclass(frozen=True, slots=True)
class Letter:
    """One message for one silo.

    Attributes:
        receiver: name.
        round: the round that it ends or opens.
        session: the id under which it goes.
        message: what it says.
    """

    receiver: str
    round: Round
    session: bytes
    message: AnyMessage


@dataclass(frozen=True, slots=True)
class Closed:
    """What a closed stage leaves: letters to send, and the next stage, or None at the end."""

    letters: Sequence[Letter]
    after: "Stage | None"


class Stage(Protocol):
    """One round, on the coordinator's side.

    Attributes:
        round: which.
        session: the id that its messages carry.
        eligible: whose message may come, sorted.
        least: with fewer it cannot be closed.
    """

    round: Round
    session: bytes
    eligible: tuple[str, ...]
    least: int

    def take(self, sender: str, message: AnyMessage) -> None:
        """Check and keep one silo's message; it is of this round's class, and its first.

        Raises:
            RemoteError: refused; nothing changed.
        """

    def close(self, came: tuple[str, ...], /) -> Closed:
        """End the stage with those who came, sorted.

        Raises:
            RemoteError: the period ends.
        """
