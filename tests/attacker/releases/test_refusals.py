"""What the querier's session refuses, by name, while the others go on."""

from dataclasses import replace

import numpy as np
import pytest
from testkit.asked_silos import AnsweringSilo, Game, altered, played

from collude.attacker.releases.strategies.base import Questions
from collude.codef.release.signing import signed_answer
from collude.common.errors import (
    IdentityRefused,
    ParameterInvalid,
    PluginInvalid,
    ProtocolViolation,
    ReleaseRefused,
)
from collude.common.ids import ATTACKER, Round
from collude.common.protocol.aborts import to_abort
from collude.common.protocol.codec import encode_message
from collude.common.protocol.parcel import Parcel
from collude.common.protocol.release_messages import Answer, Query, Window
from collude.common.protocol.signing import SigningKey

ONE = "participant-1"


def other_handles(message, epoch):
    return (
        replace(message, handles=bytes([1]) + message.handles[1:]) if message.handles else message
    )


def descending(message, _):
    return replace(message, handles=message.handles[16:] + message.handles[:16])


def too_few(message, _):
    return replace(message, handles=message.handles[16:])


@pytest.mark.parametrize("change", [other_handles, descending, too_few])
@pytest.mark.parametrize("name", ["participant-0", "participant-3"])
def test_a_silo_with_other_handles_is_refused_by_name_and_the_others_go_on(change, name):
    game = Game(persons=20)
    liar = altered(game, Window, change, name)
    session, _ = played(game, **{name.replace("-", "_"): liar})
    assert set(session.refused) == {name}
    assert isinstance(session.refused[name], ReleaseRefused)
    assert session.refused[name].party == name
    assert session.refused[name].field == "handles"
    assert len(set(session.results[0].view.answers.silo.tolist())) == 3


def test_handles_that_change_within_a_period_are_refused():
    game = Game()

    def later(message, epoch):
        other = b"".join(bytes([i]) * 16 for i in range(12))
        return replace(message, handles=other) if epoch == 1 else message

    session, _ = played(game, participant_1=altered(game, Window, later))
    assert session.refused[ONE].reason == "changes the handles"


def test_handles_that_are_shown_again_are_no_fault():
    game = Game()
    shown = b"".join(sorted(game.handles(0)))

    def again(message, _):
        return replace(message, handles=shown) if message.open else message

    session, _ = played(game, participant_1=altered(game, Window, again))
    assert not session.refused


def other_key(message, _):
    return replace(message, signature=bytes(64))


def other_value(message, _):
    return replace(message, values=np.where(message.levels < 0, 0, 1 - message.values))


def impossible_value(message, _):
    return replace(message, values=message.values + 2)


def impossible_level(message, _):
    return replace(message, levels=message.levels + 2)


def value_of_withheld(message, _):
    return replace(message, values=np.ones_like(message.values), levels=message.levels * 0 - 1)


def fewer(message, _):
    return replace(message, values=message.values[1:], levels=message.levels[1:])


def other_lengths(message, _):
    return replace(message, values=message.values[1:])


def other_epoch(message, _):
    return replace(message, epoch=message.epoch + 1)


@pytest.mark.parametrize(
    ("change", "error"),
    [
        (other_key, IdentityRefused),
        (other_value, IdentityRefused),
        (impossible_value, ReleaseRefused),
        (impossible_level, ReleaseRefused),
        (value_of_withheld, ReleaseRefused),
        (fewer, ReleaseRefused),
        (other_lengths, ReleaseRefused),
        (other_epoch, ReleaseRefused),
    ],
)
def test_an_answer_that_cannot_be_is_refused_and_nothing_of_it_counts(change, error):
    game = Game()
    session, _ = played(game, participant_1=altered(game, Answer, change))
    assert isinstance(session.refused[ONE], error)
    assert session.refused[ONE].party == ONE
    assert set(session.results[0].view.answers.silo.tolist()) == {0, 2, 3}


def test_an_answer_to_another_query_is_refused():
    """A well-signed one: the silo answers what the querier asked before."""
    game = Game(epochs=2, slots=0)
    kept: list[Answer] = []

    def replay(message, epoch):
        kept.append(message)
        return replace(kept[0], epoch=message.epoch)

    session, _ = played(game, participant_1=altered(game, Answer, replay))
    assert isinstance(session.refused[ONE], IdentityRefused)


def test_an_answer_signed_by_another_silo_is_refused():
    game = Game()
    foreign = game.key("participant-2")

    class Borrowed(AnsweringSilo):
        def receive(self, parcel, now):
            out = super().receive(parcel, now)
            query = self.heard[-1]
            zeros = np.zeros(len(query.attributes), dtype=np.int64)
            made = signed_answer(("participant-2", ATTACKER), query, zeros, zeros, foreign)
            return [replace(out[0], body=encode_message(made)), *out[1:]]

    session, _ = played(game, participant_1=Borrowed(game, ONE))
    assert isinstance(session.refused[ONE], IdentityRefused)


def test_a_message_that_does_not_belong_changes_nothing_and_is_noted():
    game = Game()

    class Chatty(AnsweringSilo):
        def start(self, now):
            out = super().start(now)
            query = Query(0, b"", np.zeros(0, dtype=np.int64), last=True)
            return [replace(out[0], body=encode_message(query)), *out, replace(out[0], round="x")]

    session, _ = played(game, participant_1=Chatty(game, ONE))
    assert len(session.strays) == 2
    assert {error.party for error in session.strays} == {ONE}
    assert not session.refused
    assert 1 in session.results[0].view.answers.silo


def test_an_answer_that_nobody_asked_for_is_noted():
    game = Game()

    class Eager(AnsweringSilo):
        def start(self, now):
            out = super().start(now)
            nothing = np.zeros(0, dtype=np.int64)
            answer = Answer(0, nothing, nothing, bytes(64))
            eager = replace(out[0], round=Round.ANSWER.value, body=encode_message(answer))
            return [eager, *out]

    session, _ = played(game, participant_1=Eager(game, ONE))
    assert [error.field for error in session.strays] == ["answer"]


def test_who_sends_too_much_that_does_not_belong_is_refused():
    game = Game()

    class Flood(AnsweringSilo):
        def start(self, now):
            (window,) = super().start(now)
            return [window] * 40

    session, _ = played(game, participant_1=Flood(game, ONE))
    assert isinstance(session.refused[ONE], ProtocolViolation)
    assert len(session.strays) == 33


def test_who_sends_too_much_of_a_period_to_come_is_refused():
    game = Game()

    class Flood(AnsweringSilo):
        def _close(self):
            out = super()._close()
            return [*out, *[out[-1]] * 40] if self.finished else out

    session, _ = played(game, participant_1=Flood(game, ONE))
    assert isinstance(session.refused[ONE], ProtocolViolation)


def test_bytes_that_cannot_be_decoded_refuse_their_sender():
    game = Game()
    session = game.querier()
    session.start(0.0)
    session.receive(Parcel(b"", Round.WINDOW.value, ONE, ATTACKER, 0, b"\xff"), 0.0)
    assert session.refused[ONE].code == "E-WIRE"


def test_a_stranger_is_noted_and_nothing_else():
    game = Game()
    session = game.querier()
    session.start(0.0)
    body = encode_message(Window(0, open=True, handles=b""))
    parcel = Parcel(b"", Round.WINDOW.value, "coordinator", ATTACKER, 0, body)
    assert session.receive(parcel, 0.0) == []
    assert [error.party for error in session.strays] == ["coordinator"]


def test_no_silo_opens_more_windows_than_there_are_epochs():
    game = Game(epochs=2)

    class Endless(AnsweringSilo):
        def _close(self):
            self._receipts()
            self._epoch += 1
            return self._open() if self._epoch < 500 else []

    session, _ = played(game, participant_1=Endless(game, ONE))
    assert session.finished
    assert any("one too many" in error.reason for error in session.strays)


def test_a_refusal_in_place_of_an_answer_is_withheld():
    """Its window closed while the query was on its way."""
    game = Game(epochs=2)
    closed = ProtocolViolation("asks while the window is closed", party=ATTACKER, field="round")

    def refuse(message, epoch):
        return to_abort(closed, ONE) if epoch == 0 else message

    session, _ = played(game, participant_1=altered(game, Answer, refuse))
    (result,) = session.results
    epochs = result.view.answers.epoch[result.view.answers.silo == 1]
    assert set(epochs.tolist()) == {1}
    assert not session.refused
    assert not session.given_up
    assert any(note.reason == closed.reason for note in result.notes)


@pytest.mark.parametrize(
    "columns", [([0, 0], [0, 0], [0, 0]), ([0], [0], [9]), ([99], [0], [0]), ([0], [-1], [0])]
)
def test_a_strategy_that_asks_what_is_not_open_is_named(columns):
    class Bad:
        name = "bad"

        def next(self, turn):
            return Questions(*(np.array(column) for column in columns))

    game = Game()
    session = game.querier(Bad)
    network = game.run(session, game.parties())
    assert isinstance(network.failures[ATTACKER], PluginInvalid)
    assert network.failures[ATTACKER].field == "bad"


def test_a_plan_about_other_silos_is_refused():
    game, other = Game(silos=4), Game(silos=3)
    session = other.querier()
    with pytest.raises(ParameterInvalid, match="silos"):
        type(session)(session._terms, [replace(session._plans[0], knowledge=game.knowledge())])


def test_keys_are_in_no_repr():
    game = Game()
    assert game.key(ONE).public.hex()[:8] not in repr(game.querier()._terms)
    assert SigningKey is type(game.key(ONE))
