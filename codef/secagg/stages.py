"""The stages of secure aggregation: which message may come when, as data.

A message that is not in the table is refused and changes nothing. A silo that has answered the
unmask request is done: a second request finds no entry.
"""

from collections.abc import Mapping
from enum import StrEnum

from collude.codef.secagg import messages as m
from collude.common.errors import ProtocolViolation


class Stage(StrEnum):
    """Where a party stands. A silo in a stage has sent its message and waits for the answer."""

    ADVERTISE_KEYS = "advertise_keys"
    SHARE_KEYS = "share_keys"
    MASKED_INPUT = "masked_input"
    CONSISTENCY = "consistency"
    UNMASK = "unmask"
    DONE = "done"
    ABORTED = "aborted"


STAGES = tuple(stage for stage in Stage if stage not in {Stage.DONE, Stage.ABORTED})
"""Those in which silos send something, in order."""

CLIENT: Mapping[tuple[Stage, type], Stage] = {
    (Stage.ADVERTISE_KEYS, m.AdvertisedKeys): Stage.SHARE_KEYS,
    (Stage.SHARE_KEYS, m.SharedKeys): Stage.MASKED_INPUT,
    (Stage.MASKED_INPUT, m.InputsReceived): Stage.CONSISTENCY,
    (Stage.CONSISTENCY, m.UnmaskRequest): Stage.DONE,
}

SERVER: Mapping[tuple[Stage, type], Stage] = {
    (Stage.ADVERTISE_KEYS, m.AdvertiseKeys): Stage.SHARE_KEYS,
    (Stage.SHARE_KEYS, m.ShareKeys): Stage.MASKED_INPUT,
    (Stage.MASKED_INPUT, m.MaskedInput): Stage.CONSISTENCY,
    (Stage.CONSISTENCY, m.Consistency): Stage.UNMASK,
    (Stage.UNMASK, m.Unmask): Stage.DONE,
}


def following(
    table: Mapping[tuple[Stage, type], Stage], stage: Stage, message: object, party: str
) -> Stage:
    """Return the stage that `message` of `party` leads to.

    Raises:
        ProtocolViolation: the message does not belong in this stage.
    """
    try:
        return table[stage, type(message)]
    except KeyError:
        expected = [kind.__name__ for (now, kind) in table if now is stage]
        raise ProtocolViolation(
            f"a message does not belong in stage {stage}",
            party=party,
            field="kind",
            expected=" or ".join(expected) or "nothing: the session is over",
            got=type(message).__name__,
        ) from None
