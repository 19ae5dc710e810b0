"""What a silo signs of an answer, so that it cannot deny having given it, nor another forge it.

The digest of the query binds epoch, handles, attributes and their order: an answer serves no other
question. Handles are of one period and one querier, so it serves no other period.
"""

import numpy as np

from collude.common.protocol.codec import digest_of
from collude.common.protocol.fields import IntVector
from collude.common.protocol.release_messages import Answer, Query
from collude.common.protocol.signing import SigningKey, verify

ANSWER_TAG = "codef/v1/answer"

Item = bytes | str | int


def answer_items(
    route: tuple[str, str], query: bytes, epoch: int, values: IntVector, levels: IntVector
) -> tuple[Item, ...]:
    """Return what the signature of an answer covers, after `ANSWER_TAG`.

    Args:
        route: names of silo and querier.
        query: 32 bytes, `digest_of` the query that is answered.
        epoch: from 0.
        values: (q,) int64.
        levels: (q,) int64.
    """
    return *route, query, epoch, _bytes(values), _bytes(levels)


def _bytes(numbers: IntVector) -> bytes:
    return np.asarray(numbers, dtype="<i8").tobytes()


def signed_answer(
    route: tuple[str, str], query: Query, values: IntVector, levels: IntVector, key: SigningKey
) -> Answer:
    """Return a silo's signed answer to a query.

    Args:
        route: names of silo and querier.
        query: what was asked.
        values: (q,) int64 in the order of the query.
        levels: (q,) int64.
        key: the silo's Ed25519 key.
    """
    items = answer_items(route, digest_of(query), query.epoch, values, levels)
    return Answer(query.epoch, values, levels, key.sign(ANSWER_TAG, *items))


def check_answer(route: tuple[str, str], query: bytes, answer: Answer, public: bytes) -> None:
    """Return if the silo, who holds the key `public`, gave this answer to this query.

    Args:
        route: names of silo and querier.
        query: 32 bytes, `digest_of` the query.
        answer: as it came.
        public: raw 32-byte Ed25519 key of the silo, as pinned.

    Raises:
        IdentityRefused: it did not; names the silo.
    """
    items = answer_items(route, query, answer.epoch, answer.values, answer.levels)
    verify(public, answer.signature, ANSWER_TAG, *items, party=route[0])
