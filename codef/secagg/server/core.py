"""What every round of the coordinator has, and what a round is to its session."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn, Protocol

from collude.codef.secagg import messages as m
from collude.codef.secagg.stages import Stage
from collude.common.errors import ProtocolViolation

Letters = Mapping[str, m.ToClient]


@dataclass(frozen=True, slots=True)
class Step:
    """A stage is over: what is known now, and a letter for every silo that is still there."""

    facts: Any
    letters: Letters


class State(Protocol):
    """One round: takes a message of each expected silo, then ends with those that came."""

    @property
    def expected(self) -> Sequence[str]:
        """Silos whose messages are waited for."""

    def take(self, sender: str, message: Any) -> None:
        """Check one silo's message and keep what is needed of it.

        Raises:
            RemoteError: it is not what it must be; nothing changed.
        """

    def close(self, came: Sequence[str]) -> Step:
        """End the round with the silos whose messages came, in the order of names.

        Raises:
            AggregationAborted: too few came, or what came gives no sum.
        """


def refuse_message(
    stage: Stage,
    sender: str,
    reason: str,
    *,
    what: str,
    expected: object = None,
    got: object = None,
) -> NoReturn:
    """Refuse one silo's message; the session goes on without it.

    Raises:
        ProtocolViolation: always; names the silo.
    """
    field = f"{stage}/{what}"
    raise ProtocolViolation(reason, party=sender, field=field, expected=expected, got=got)
