"""Handles: how a querier names a person whom it does not know."""

import hmac
from collections.abc import Sequence
from hashlib import sha256

from collude.codef.numeric.checks import refuse
from collude.common.encoding import encode
from collude.common.protocol.release_messages import HANDLE_BYTES
from collude.common.secret import Secret

HANDLE_TAG = "codef/v1/handle"
KEY_BYTES = 32


def handles_of(key: bytes, querier: str, persons: int) -> list[bytes]:
    """Return every person's handle for one querier, 16 bytes each, by person.

    HMAC-SHA256 under the silos' shared key, cut to 16 bytes: the same at every silo, another for
    each querier, and without the key no different from random bytes.

    Args:
        key: 32 bytes, of one period.
        querier: name.
        persons: n.

    Raises:
        ParameterInvalid: the key has another length, or two persons share a handle.
    """
    if len(key) != KEY_BYTES:
        refuse("key", f"{KEY_BYTES} bytes", f"{len(key)} bytes")
    handles = [
        hmac.digest(key, encode(HANDLE_TAG, querier, person), sha256)[:HANDLE_BYTES]
        for person in range(persons)
    ]
    if len(set(handles)) < persons:
        refuse("key", "one under which all handles differ", "another", "start a new period")
    return handles


class HandleTable(Secret):
    """What a silo needs to know whom one querier asks about."""

    __slots__ = ("_persons", "querier")

    def __init__(self, key: bytes, querier: str, persons: int) -> None:
        """Compute the handles; arguments and errors as for `handles_of`."""
        self.querier = querier
        self._persons = {
            handle: person for person, handle in enumerate(handles_of(key, querier, persons))
        }

    @property
    def handles(self) -> bytes:
        """All handles, ascending, 16 bytes each: their order tells nothing of the persons'."""
        return b"".join(sorted(self._persons))

    def persons(self, handles: Sequence[bytes]) -> list[int | None]:
        """Return the person of each handle, None where it is nobody's."""
        return [self._persons.get(handle) for handle in handles]
