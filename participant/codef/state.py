"""What every round looks like on a silo's side: an opening, and what one letter leads to."""

from collections.abc import Sequence
from typing import Protocol

from collude.common.ids import Round
from collude.common.protocol.kinds import AnyMessage


class State(Protocol):
    """One round of a silo.

    Attributes:
        round: which.
        session: the id that its messages carry, both ways.
    """

    round: Round
    session: bytes

    def opening(self) -> Sequence[AnyMessage]:
        """Return what to send to the coordinator on entering."""

    def receive(self, message: AnyMessage, /) -> "State":
        """Take the letter that ends this round; return the next state.

        Raises:
            RemoteError: it is not what it must be; the silo's part ends.
        """
