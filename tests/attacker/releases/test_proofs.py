"""Answers without a valid receipt are noted by the silo's name, and stop nothing."""

from dataclasses import replace

import pytest
from testkit.asked_silos import AnsweringSilo, Game, altered, played, receipts_made

from collude.common.errors import (
    IdentityRefused,
    LedgerForked,
    LedgerRejected,
    ReleaseRefused,
)
from collude.common.protocol.release_messages import Receipts

STRATEGIES = ("everybody", "greedy-adaptive")
ONE = "participant-1"


def missing(message, epoch):
    return None if epoch == 0 else message


def unsigned(message, epoch):
    return replace(message, entry=replace(message.entry, signature=bytes(64)))


def misplaced(message, epoch):
    return replace(message, places=message.places[::-1].copy())


def shorter(message, epoch):
    return replace(message, places=message.places[1:])


def cut(message, epoch):
    return replace(message, siblings=message.siblings[:-1])


@pytest.mark.parametrize("change", [missing, unsigned, misplaced, shorter, cut])
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_answers_without_a_valid_receipt_are_noted_by_name_and_stop_nothing(change, strategy):
    game = Game(epochs=2)
    silo = altered(game, Receipts, change)
    session, _ = played(game, strategy=strategy, participant_1=silo)
    (result,) = session.results
    assert result.notes
    assert {note.party for note in result.notes} == {ONE}
    assert all(isinstance(note, ReleaseRefused | IdentityRefused) for note in result.notes)
    assert not session.refused
    assert len(result.view.answers) == game.persons * game.silos * 2


def test_receipts_that_are_missing_must_come_with_the_next_entry():
    """A silo that was late for one phase records its answers in the next; this one does not."""
    game = Game(epochs=2)
    session, _ = played(game, participant_1=altered(game, Receipts, missing))
    (note,) = session.results[0].notes
    assert (note.field, note.expected, note.got) == (
        "receipts of epoch 1",
        "24 proofs",
        "12 proofs",
    )


def test_a_silo_that_records_half_of_its_answers_is_noted():
    game = Game(persons=16, epochs=1)

    class Half(AnsweringSilo):
        def _receipts(self):
            frozen = self._responder.freeze().receipts
            return receipts_made(bytes(32), self.name, self._key, 0, frozen[::2], depth=5)

    session, _ = played(game, participant_1=Half(game, ONE))
    noted = [note for note in session.results[0].notes if note.field.startswith("receipts")]
    assert {note.party for note in noted} >= {ONE}
    note = next(n for n in noted if isinstance(n, ReleaseRefused))
    assert (note.expected, note.got) == ("16 proofs", "8 proofs")


def test_a_receipt_of_another_value_does_not_hold():
    """The silo answers one thing and records another."""
    game = Game(epochs=1)

    class Other(AnsweringSilo):
        def _receipts(self):
            frozen = self._responder.freeze().receipts
            twisted = [bytes([1]) + receipt[1:] for receipt in frozen]
            return receipts_made(bytes([0, 0]) * 16, self.name, self._key, 0, twisted, depth=5)

    session, _ = played(game, participant_1=Other(game, ONE))
    (note,) = session.results[0].notes
    assert note.party == ONE
    assert "do not hold" in note.got


def test_receipts_twice_or_too_early_are_noted_as_strays():
    game = Game(epochs=2)

    class Twice(AnsweringSilo):
        def _close(self):
            out = super()._close()
            return [out[0], *out]

    session, _ = played(game, participant_1=Twice(game, ONE))
    assert {error.field for error in session.strays} == {"epoch"}
    assert not session.results[0].notes


def test_receipts_of_another_phase_than_the_others_show_a_fork():
    game = Game(epochs=1)

    class Forked(AnsweringSilo):
        def _receipts(self):
            frozen = self._responder.freeze().receipts
            return receipts_made(bytes([9]) * 32, self.name, self._key, 0, frozen, depth=5)

    session, _ = played(game, participant_1=Forked(game, ONE))
    (note,) = session.results[0].notes
    assert isinstance(note, LedgerForked)
    assert isinstance(note, LedgerRejected)
    assert note.party == ONE
