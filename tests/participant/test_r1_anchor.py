"""A participant's anchor round: what it refuses from the analyst, and from another participant."""

from dataclasses import replace

import pytest
from testkit.faults import at, ends, nothing_was_uploaded
from testkit.federation import P0, P1, P2, federation, parties
from testkit.hostile import Insider, flipped
from testkit.network import by_analyst, rewrite, talk

from collude.common.errors import AnchorAborted, IdentityRefused
from collude.common.ids import ANALYST
from collude.common.methods import METHODS
from collude.common.protocol import messages as m
from collude.common.protocol.codec import decode_message, encode_message

FED = federation()
INSIDER = Insider(FED, P2)
WITH_SEED = [name for name, traits in METHODS.items() if traits.anchor or traits.common_secret]


def refused(kind, change, error, party):
    """The analyst shows P0, and P0 alone, a changed message."""
    talked = ends(FED, by_analyst(rewrite(kind, change, to=P0)), error, party, by=P0)
    # Whoever has seen everybody's equal confirmation may upload; P0 has not.
    assert nothing_was_uploaded(talked.parties) or kind is m.AnchorConfirms
    assert not talked.parties.silos[P0].has_uploaded
    return talked.errors[P0]


def betrays(kind, change, error, party=P2, by=P0):
    """P2 sends a changed message, rightly signed or sealed where it must be."""
    talked = ends(FED, {P2: INSIDER.sends(kind, change)}, error, party, by=by)
    assert nothing_was_uploaded(talked.parties)
    return talked.errors[by]


SETS = {
    "one missing": lambda items: items[:-1],
    "nobody": lambda items: (),
    "twice": lambda items: (*items, items[-1]),
    "order": lambda items: items[::-1],
    "repeated": lambda items: at(items, 1, items[0]),
}


# --- commitments ----------------------------------------------------------------------------


@pytest.mark.parametrize("change", SETS.values(), ids=SETS)
def test_another_set_of_commitments_is_refused(change):
    def changed(message):
        return m.AnchorCommits(change(message.commits))

    error = refused(m.AnchorCommits, changed, AnchorAborted, ANALYST)
    assert (error.field, error.expected) == ("commits", f"{P0}, {P1}, {P2}")


def other_commit(change, index=2):
    def changed(message):
        named = message.commits[index]
        new = replace(named, commit=change(named.commit))
        return m.AnchorCommits(at(message.commits, index, new))

    return changed


@pytest.mark.parametrize("field", ["commitment", "signature"])
def test_a_commitment_altered_on_the_way_is_refused(field):
    change = other_commit(lambda c: replace(c, **{field: flipped(getattr(c, field))}))
    refused(m.AnchorCommits, change, IdentityRefused, P2)


@pytest.mark.parametrize("field", ["commitment", "signature"])
def test_my_own_commitment_altered_is_the_analysts_fault(field):
    change = other_commit(lambda c: replace(c, **{field: flipped(getattr(c, field))}), index=0)
    assert refused(m.AnchorCommits, change, AnchorAborted, ANALYST).field == "commits"


def test_two_commitments_swapped_are_refused():
    def swapped(message):
        first, second, third = message.commits
        return m.AnchorCommits((
            first, replace(second, commit=third.commit), replace(third, commit=second.commit)
        ))  # fmt: skip

    refused(m.AnchorCommits, swapped, IdentityRefused, P1)


def test_a_commitment_of_another_session_is_refused_though_it_is_signed():
    elsewhere = INSIDER.commit(bytes(32), INSIDER.share, INSIDER.nonce)
    refused(m.AnchorCommits, other_commit(lambda _: elsewhere), IdentityRefused, P2)


# --- reveals --------------------------------------------------------------------------------


@pytest.mark.parametrize("change", SETS.values(), ids=SETS)
def test_another_set_of_envelopes_is_refused(change):
    def changed(message):
        return m.AnchorReveals(change(message.envelopes))

    assert refused(m.AnchorReveals, changed, AnchorAborted, ANALYST).field == "reveals"


@pytest.mark.parametrize("field", ["ciphertext", "ephemeral_key"])
def test_an_envelope_altered_on_the_way_is_refused(field):
    def changed(message):
        sealed = message.envelopes[1]
        return m.AnchorReveals(at(
            message.envelopes, 1, replace(sealed, **{field: flipped(getattr(sealed, field))})
        ))  # fmt: skip

    error = refused(m.AnchorReveals, changed, AnchorAborted, P2)
    assert "carried" in error.hint


@pytest.mark.parametrize("change", [{"counter": 1}, {"recipient": P1}])
def test_an_envelope_addressed_otherwise_is_refused_though_its_content_opens(change):
    def changed(message):
        return m.AnchorReveals(at(message.envelopes, 1, replace(message.envelopes[1], **change)))

    refused(m.AnchorReveals, changed, AnchorAborted, P2)


def test_two_envelopes_under_each_others_names_are_refused():
    def swapped(message):
        first, second = message.envelopes
        return m.AnchorReveals((
            replace(second, sender=first.sender), replace(first, sender=second.sender)
        ))  # fmt: skip

    refused(m.AnchorReveals, swapped, AnchorAborted, P1)


class HandsOver:
    """An analyst that keeps P0's envelopes until it has P1's, and gives P0 one of those."""

    def __init__(self):
        self.kept = None

    def __call__(self, old, message):
        if not isinstance(message, m.AnchorReveals) or old.receiver == P2:
            return [old]
        if old.receiver == P0:  # letters go out in the order of names
            self.kept = old
            return []
        taken = replace(message.envelopes[1], recipient=P0)
        mine = decode_message(self.kept.body).envelopes
        changed = m.AnchorReveals(at(mine, 1, taken))
        return [old, replace(self.kept, body=encode_message(changed))]


def test_an_envelope_for_somebody_else_does_not_open():
    ends(FED, {ANALYST: HandsOver()}, AnchorAborted, P2, by=P0)


PAYLOADS = {
    "another share": bytes(32) + INSIDER.nonce,
    "another nonce": INSIDER.share + bytes(32),
    "swapped": INSIDER.nonce + INSIDER.share,
    "too short": (INSIDER.share + INSIDER.nonce)[:63],
    "share alone": INSIDER.share,
    "too long": INSIDER.share + INSIDER.nonce + b"\0",
    "empty": b"",
}


@pytest.mark.parametrize("payload", PAYLOADS.values(), ids=PAYLOADS)
def test_a_reveal_that_does_not_match_its_commitment_is_refused(payload):
    def changed(session, message):
        envelopes = tuple(
            INSIDER.envelope(session, sealed.recipient, payload) for sealed in message.envelopes
        )
        return m.AnchorReveal(envelopes)

    error = betrays(m.AnchorReveal, changed, AnchorAborted)
    assert error.field == "commitment"
    assert INSIDER.share.hex() not in str(error)


@pytest.mark.parametrize("nonce", [b"", bytes(31), bytes(33), bytes(10_000)])
def test_a_nonce_of_another_length_is_refused_though_it_matches_its_commitment(nonce):
    lies = INSIDER.liar(
        lambda session: INSIDER.commit(session, INSIDER.share, nonce), INSIDER.share + nonce
    )
    talked = ends(FED, {P2: lies}, AnchorAborted, P2, by=P0)
    assert nothing_was_uploaded(talked.parties)


@pytest.mark.parametrize(
    "route",
    [{"session": bytes(32)}, {"roster_hash": bytes(32)}, {"counter": 1}, {"sender": P1}],
    ids=["session", "roster", "counter", "sender"],
)
def test_an_envelope_sealed_for_another_route_does_not_open(route):
    def changed(session, message):
        payload = INSIDER.share + INSIDER.nonce
        return m.AnchorReveal(tuple(
            replace(INSIDER.envelope(session, s.recipient, payload, route), sender=P2, counter=0)
            for s in message.envelopes
        ))  # fmt: skip

    betrays(m.AnchorReveal, changed, AnchorAborted)


def test_a_share_that_differs_by_recipient_is_caught_by_the_one_that_it_does_not_match():
    def changed(session, message):
        wrong = INSIDER.envelope(session, P1, bytes(64))
        return m.AnchorReveal(at(message.envelopes, 1, wrong))

    betrays(m.AnchorReveal, changed, AnchorAborted, by=P1)


# --- confirmations --------------------------------------------------------------------------


@pytest.mark.parametrize("change", SETS.values(), ids=SETS)
def test_another_set_of_confirmations_is_refused(change):
    def changed(message):
        return m.AnchorConfirms(change(message.confirms))

    assert refused(m.AnchorConfirms, changed, AnchorAborted, ANALYST).field == "confirms"


FIELDS = ("contributors", "seed_hash", "stream_hash", "signature")


def altered(confirm, field):
    value = getattr(confirm, field)
    return replace(confirm, **{field: value[:-1] if field == "contributors" else flipped(value)})


@pytest.mark.parametrize(("index", "error", "party"), [
    (2, IdentityRefused, P2), (0, AnchorAborted, ANALYST),
])  # fmt: skip
@pytest.mark.parametrize("field", FIELDS)
def test_a_confirmation_altered_on_the_way_is_refused(field, index, error, party):
    def changed(message):
        named = message.confirms[index]
        new = replace(named, confirm=altered(named.confirm, field))
        return m.AnchorConfirms(at(message.confirms, index, new))

    refused(m.AnchorConfirms, changed, error, party)


@pytest.mark.parametrize("field", FIELDS[:3])
def test_a_participant_that_holds_something_else_ends_it_for_all(field):
    def changed(session, confirm):
        return INSIDER.confirm(session, confirm, **{field: getattr(altered(confirm, field), field)})

    error = betrays(m.AnchorConfirm, changed, AnchorAborted)
    assert error.field == field


def test_a_confirmation_of_another_session_is_refused():
    def changed(_, confirm):
        return INSIDER.confirm(bytes(32), confirm)

    talked = talk(parties(FED), hands={P2: INSIDER.sends(m.AnchorConfirm, changed)})
    assert type(talked.parties.analyst.refused[0]) is IdentityRefused
    assert talked.parties.analyst.terms.left_out == (P2,)
    assert talked.errors[P0] is talked.errors[P1] is None
    assert not talked.parties.silos[P2].has_uploaded


# --- what is right --------------------------------------------------------------------------


@pytest.mark.parametrize("method", WITH_SEED)
def test_everybody_holds_the_same_seed_and_every_run_another(method):
    def seeds(fed):
        talked = talk(parties(fed))
        assert set(talked.errors.values()) == {None}
        return {silo.seed for silo in talked.parties.silos.values()}

    assert len(seeds(federation(method))) == 1
    assert len(seeds(federation(method)) | seeds(federation(method, seed=2))) == 2


@pytest.mark.parametrize("name", [P0, P1, P2])
def test_every_share_is_in_the_seed(name):
    base = talk(parties(FED)).parties.silos[P0].seed
    made, insider = parties(FED), Insider(FED, name)
    other = bytes(range(32))

    class Draws:
        """The participant's own source, but another share."""

        def __init__(self, entropy):
            self._entropy = entropy

        def secret(self, purpose, counter=0, length=32):
            share = purpose == "anchor-share"
            return other if share else self._entropy.secret(purpose, counter, length)

        def __getattr__(self, attribute):
            return getattr(self._entropy, attribute)

    session = made.participants[name]
    object.__setattr__(session._core, "entropy", Draws(insider.core.entropy))
    talked = talk(made)
    assert set(talked.errors.values()) == {None}
    assert made.silos[P0].seed != base
    assert len({silo.seed for silo in made.silos.values()}) == 1
