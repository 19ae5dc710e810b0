"""What a silo's ledger entry must prove of one answer: a receipt is one leaf under its root.

No period or session is in it: the leaf around it binds the phase that recorded it, and a handle is
of one period and one querier. Both sides compute the same bytes; nothing of it travels.
"""

from collude.codef.numeric.checks import refuse
from collude.common.encoding import digest

RECEIPT_TAG = "codef/v1/receipt"


def receipt_of(
    route: tuple[str, str], handle: bytes, attribute: int, answer: tuple[int, int], epoch: int
) -> bytes:
    """Return the 32-byte receipt of one first-time answer.

    Args:
        route: names of silo and querier.
        handle: the person's, 16 bytes.
        attribute: from 0.
        answer: value and level, the level from 0: what is withheld has no receipt.
        epoch: in which it was answered, from 0.
    """
    value, level = answer
    return digest(RECEIPT_TAG, *route, handle, attribute, value, level, epoch)


def release_depth(persons: int, attributes: int) -> int:
    """Return the depth of every release tree: room for an answer about each attribute of each.

    It is ceil(log2(max(2, persons * attributes))), the same for all silos and epochs, so that a
    proof's length tells nothing of how much was released.

    Raises:
        ParameterInvalid: there are no persons or no attributes.
    """
    for name, value in (("persons", persons), ("attributes", attributes)):
        if value < 1:
            refuse(name, "1 or more", value)
    return (max(2, persons * attributes) - 1).bit_length()
