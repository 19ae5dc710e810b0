"""Shorthand for planting one fault in a run and looking at how it ends."""

from collections.abc import Mapping
from dataclasses import replace

from testkit.federation import Parties, parties
from testkit.network import Sends, Talk, talk

from collude.common.ids import Round
from collude.common.protocol.messages import Join
from collude.common.protocol.signing import SigningKey
from collude.common.protocol.terms import JOIN_TAG, join_items
from collude.runtime.federation import Federation


def ends(
    who: Federation | Parties,
    hands: Mapping[str, Sends],
    error: type,
    party: str,
    *,
    by: str,
) -> Talk:
    """Run with a fault; `by` must find it, and all honest ones must end with the same named error.

    Args:
        who: a federation, or its sessions if some are not the usual ones.
        hands: party -> what happens to its messages.
        error: class of the error.
        party: whom it must name.
        by: who finds it.
    """
    talked = talk(who if isinstance(who, Parties) else parties(who), hands=hands)
    found = talked.errors[by]
    assert type(found) is error, found
    assert found.party == party, found
    for name in set(talked.errors) - set(hands):
        told = talked.errors[name]
        assert (type(told), told.party) == (error, party), (name, told)
    assert all(session.round is Round.ABORTED for session in talked.parties.sessions)
    return talked


def nothing_was_uploaded(made: Parties) -> bool:
    return made.analyst.collected is None and not any(s.has_uploaded for s in made.silos.values())


def resigned(join: Join, name: str, key: SigningKey, **changes) -> Join:
    """The join of `name` with other content, signed with `key`."""
    changed = replace(join, **changes)
    return replace(changed, signature=key.sign(JOIN_TAG, *join_items(name, changed)))


def at(items, index, item):
    """The tuple with one item replaced."""
    return (*items[:index], item, *items[index + 1 :])
