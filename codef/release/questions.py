"""What a query asks, once it is known to be one."""

from typing import NoReturn

from collude.codef.release.handles import HandleTable
from collude.common.errors import ReleaseRefused
from collude.common.protocol.release_messages import HANDLE_BYTES, Query


def questions_of(
    query: Query, table: HandleTable, attributes: int, most: int
) -> list[tuple[int, int]]:
    """Return the (person, attribute) of each pair in a query.

    Args:
        query: as it came.
        table: of the one who asks.
        attributes: m.
        most: pairs that one query may hold.

    Raises:
        ReleaseRefused: the query cannot be answered; names the querier and the field.
    """
    count = len(query.attributes) if query.attributes.ndim == 1 else -1
    if count < 0 or query.attributes.dtype.kind not in "iu":
        got = f"{query.attributes.dtype} of shape {query.attributes.shape}"
        _refuse(table, "attributes", "whole numbers in one row", got)
    if count > most:
        _refuse(table, "attributes", f"at most {most}, each question once", count)
    if len(query.handles) != HANDLE_BYTES * count:
        expected = f"{HANDLE_BYTES} bytes for each of {count} attributes"
        _refuse(table, "handles", expected, f"{len(query.handles)} bytes")
    asked = query.attributes.tolist()
    for attribute in asked:
        if not 0 <= attribute < attributes:
            _refuse(table, "attributes", f"from 0 to {attributes - 1}", attribute)
    places = range(0, len(query.handles), HANDLE_BYTES)
    handles = [query.handles[at : at + HANDLE_BYTES] for at in places]
    persons = []
    for handle, person in zip(handles, table.persons(handles), strict=True):
        if person is None:
            _refuse(table, "handles", "handles of this querier and period", handle.hex())
        persons.append(person)
    return list(zip(persons, asked, strict=True))


def _refuse(table: HandleTable, field: str, expected: str, got: object) -> NoReturn:
    raise ReleaseRefused(
        "a query cannot be answered as it stands",
        party=table.querier,
        field=f"query/{field}",
        expected=expected,
        got=got,
    )
