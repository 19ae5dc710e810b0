"""Names of parties, roles and rounds."""

import re
from enum import StrEnum

from collude.common.errors import ScenarioInvalid

_NAME = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?")


class Role(StrEnum):
    """What a party does. A colluder is a participant that also discloses."""

    PARTICIPANT = "participant"
    ANALYST = "analyst"
    ATTACKER = "attacker"
    COORDINATOR = "coordinator"


class Round(StrEnum):
    """The rounds of all protocols. Values stand in transcripts."""

    JOIN = "r0_join"
    ANCHOR_COMMIT = "r1_anchor_commit"
    ANCHOR_REVEAL = "r1_anchor_reveal"
    ANCHOR_CONFIRM = "r1_anchor_confirm"
    UPLOAD = "r3_upload"
    ALIGN = "r4_align"
    DELIVER = "r5_deliver"
    EVALUATE = "r6_evaluate"
    CODEF_JOIN = "codef_join"
    CODEF_KEY = "codef_key"
    CODEF_CONFIRM = "codef_confirm"
    CODEF_ADAPT = "codef_adapt"
    CODEF_RELEASE = "codef_release"
    CODEF_COMMIT = "codef_commit"
    CODEF_HEAD = "codef_head"
    ADVERTISE_KEYS = "codef_advertise_keys"
    SHARE_KEYS = "codef_share_keys"
    MASKED_INPUT = "codef_masked_input"
    CONSISTENCY = "codef_consistency"
    UNMASK = "codef_unmask"
    WINDOW = "window"
    QUERY = "query"
    ANSWER = "answer"
    RECEIPT = "receipt"
    DONE = "done"
    ABORTED = "aborted"


DIGESTED_ROUNDS = frozenset({
    Round.JOIN,
    Round.ANCHOR_COMMIT,
    Round.ANCHOR_REVEAL,
    Round.ANCHOR_CONFIRM,
    Round.UPLOAD,
    Round.CODEF_JOIN,
    Round.CODEF_KEY,
    Round.CODEF_CONFIRM,
    Round.CODEF_ADAPT,
    Round.CODEF_COMMIT,
    Round.CODEF_HEAD,
    Round.ADVERTISE_KEYS,
    Round.SHARE_KEYS,
    Round.MASKED_INPUT,
    Round.CONSISTENCY,
    Round.UNMASK,
    Round.WINDOW,
    Round.QUERY,
    Round.ANSWER,
    Round.RECEIPT,
})
"""Rounds whose messages enter the transcript digest."""

ANALYST = "analyst"
ATTACKER = "attacker"
COORDINATOR = "coordinator"

_FIXED_ROLES = {
    ANALYST: Role.ANALYST,
    ATTACKER: Role.ATTACKER,
    COORDINATOR: Role.COORDINATOR,
}


def check_name(name: str) -> str:
    """Return `name` if it can be a party's name: a DNS label in lower case.

    Raises:
        ScenarioInvalid: it is not.
    """
    if not _NAME.fullmatch(name):
        raise ScenarioInvalid(
            "a party's name must be a DNS label",
            field="party",
            expected="a-z, 0-9 and inner hyphens, at most 63 characters",
            got=repr(name),
        )
    return name


def role_of(name: str) -> Role:
    """Return the role that a name stands for; any name but the fixed ones is a participant."""
    return _FIXED_ROLES.get(name, Role.PARTICIPANT)


def participant_name(index: int) -> str:
    """Return `participant-<index>`, index from 0."""
    return f"participant-{index}"
