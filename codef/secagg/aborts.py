"""Refusals of secure aggregation: in which stage, whose fault, and what is wrong."""

from collections.abc import Sequence
from typing import NoReturn

from collude.codef.secagg.stages import Stage
from collude.common.errors import AggregationAborted, IdentityRefused
from collude.common.ids import COORDINATOR
from collude.common.protocol.signing import verify


def abort(
    stage: Stage,
    reason: str,
    *,
    party: str = COORDINATOR,
    what: str = "",
    expected: object = None,
    got: object = None,
) -> NoReturn:
    """End the session in `stage`; `what` names the part of the message that is wrong.

    Raises:
        AggregationAborted: always.
    """
    field = f"{stage}/{what}" if what else str(stage)
    raise AggregationAborted(reason, party=party, field=field, expected=expected, got=got)


def check_signed(
    stage: Stage, key: bytes, signature: bytes, tag: str, items: Sequence[bytes | str], party: str
) -> None:
    """Return if `party` signed these items with `key`.

    Raises:
        AggregationAborted: it did not.
    """
    try:
        verify(key, signature, tag, *items, party=party)
    except IdentityRefused as error:
        raise AggregationAborted(
            error.reason, party=party, field=f"{stage}/signature", expected=error.expected
        ) from error


def check_list(
    stage: Stage, what: str, names: Sequence[str], among: Sequence[str], least: int
) -> None:
    """Return if `names` are some of `among`, in their order, each once, and `least` or more.

    Raises:
        AggregationAborted: they are not: the coordinator's fault.
    """
    known = set(names)
    if tuple(names) != tuple(name for name in among if name in known):
        abort(
            stage,
            "a list of silos is not part of the list before it",
            what=what,
            expected="each at most once, in the order of names: " + ", ".join(among),
            got=", ".join(names) or "none",
        )
    if len(names) < least:
        too_few(stage, names, least)


def too_few(stage: Stage, names: Sequence[str], least: int) -> NoReturn:
    """End the session for want of silos.

    Raises:
        AggregationAborted: always.
    """
    abort(
        stage,
        "too few silos are left",
        what="silos",
        expected=f"{least} or more",
        got=f"{len(names)}: {', '.join(names) or 'none'}",
    )
