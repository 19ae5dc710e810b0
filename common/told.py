"""What one party tells another of an error, and what it believes of another's account.

Only an error about another party is told with its details. An error of the teller's own may
hold a path or a figure of its records, so no more of it leaves than its class. What comes in is
another party's text: made one printable line of bounded length, and no local error.
"""

from collections.abc import Mapping

from collude.common.errors import ColludeError, PartyFailed, RemoteError, by_code

PARTS = ("reason", "party", "field", "expected", "got", "hint")
"""What travels, beside the code."""

LONGEST_PART = 300
"""Bytes of each part; all six, quoted and in base64, stay under gRPC's 8 KiB of metadata."""


def may_be_told(error: ColludeError, party: str | None = None) -> RemoteError:
    """Return what others may hear of an error of `party`."""
    if isinstance(error, RemoteError):
        return error
    kind = type(error)
    return PartyFailed("cannot go on", party=party, got=f"{kind.code}: {kind.sentence()}")


def as_told(
    code: str, parts: Mapping[str, object], teller: str, unknown: type[RemoteError]
) -> RemoteError:
    """Return the error that another party told of.

    Args:
        code: of the class, as the teller knows it.
        parts: values for `PARTS`; empty and None mean that the teller does not say.
        teller: who told, and who is at fault unless `parts` names somebody else.
        unknown: the class for a code that this version does not know.
    """
    kind = by_code(RemoteError).get(code)
    values = {name: plain(parts.get(name)) or None for name in PARTS}
    reason = values.pop("reason") or "failed without saying why"
    if kind is None:
        kind, reason = unknown, f"{reason} [{plain(code)}]" if code else reason
    values["party"] = values["party"] or teller
    return kind(reason, **values)


def plain(value: object) -> str | None:
    """Return a text as one printable line of at most `LONGEST_PART` bytes; None stays None."""
    if value is None:
        return None
    printable = "".join(c if c.isprintable() else " " for c in str(value)[:LONGEST_PART])
    return printable.encode()[:LONGEST_PART].decode("utf-8", "ignore")
