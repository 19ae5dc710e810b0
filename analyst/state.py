"""What every round's state on the analyst's side looks like: collect from all, then go on."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from collude.common.protocol.messages import Message

Letters = Mapping[str, Message]
"""One message for each participant, by name."""


@dataclass(frozen=True, slots=True)
class Step:
    """What a complete round leaves: facts for the next state, and what goes out."""

    facts: object
    letters: Letters


class State(Protocol):
    """One round, on the analyst's side."""

    def check(self, sender: str, message: Message) -> Sequence[Message]:
        """Check one participant's message and return what to answer it at once.

        Raises:
            RemoteError: refused; the state does not change and the sender may try again.
        """

    def complete(self, messages: Letters) -> Step:
        """Return what follows when every participant's message has come, sorted by name.

        Raises:
            RemoteError: the messages do not go together; the session ends.
        """
