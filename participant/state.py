"""What every round's state on the participant's side looks like."""

from collections.abc import Sequence
from typing import Protocol

from collude.common.protocol.messages import Message


class State(Protocol):
    """One round, on one side: what it says on entering, and what it makes of the answer.

    A state holds only what is known in it; leaving it, it returns the facts that the next one
    needs, and everything else is dropped.
    """

    def opening(self) -> Sequence[Message]:
        """Return what is sent to the analyst on entering, in order."""

    def receive(self, message: Message) -> object:
        """Take the round's message and return the facts for the next state.

        Raises:
            RemoteError: the content is not what it must be; names the party at fault.
        """
