"""The querier's session against silos that really answer: what it refuses, waits for and notes."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from testkit.asked_silos import DEADLINE, AnsweringSilo, Game, receipts_made

from collude.attacker.releases.strategies import strategy_named
from collude.attacker.releases.strategies.base import Questions
from collude.codef.release.signing import signed_answer
from collude.common.errors import (
    DeadlineExceeded,
    IdentityRefused,
    LedgerForked,
    LedgerRejected,
    ParameterInvalid,
    PluginInvalid,
    ProtocolViolation,
    ReleaseRefused,
)
from collude.common.ids import ATTACKER, Round
from collude.common.net.memory import FaultPlan
from collude.common.protocol.aborts import to_abort
from collude.common.protocol.codec import encode_message
from collude.common.protocol.parcel import Parcel
from collude.common.protocol.release_messages import Answer, Query, Receipts, Window
from collude.common.protocol.signing import SigningKey

STRATEGIES = ("everybody", "greedy-adaptive")
ONE = "participant-1"


def played(game, *, strategy="everybody", plan=None, seed=1, **special):
    """A session that was run to its end against the game's silos."""
    session = game.querier(lambda: strategy_named(strategy))
    silos = game.parties(**special)
    network = game.run(session, silos, plan, seed)
    assert not network.failures
    assert session.finished
    return session, silos


def altered(game, kind, change, name=ONE):
    """A silo that changes what it sends of one kind; `change` gets message and epoch."""

    def alter(message, epoch):
        return change(message, epoch) if isinstance(message, kind) else message

    return AnsweringSilo(game, name, alter)


def answered(view):
    """Handle, silo, attribute -> value, level, epoch."""
    a = view.answers
    keys = zip(a.handle.tolist(), a.silo.tolist(), a.attribute.tolist(), strict=True)
    values = zip(a.value.tolist(), a.level.tolist(), a.epoch.tolist(), strict=True)
    return dict(zip(keys, values, strict=True))


# --- what comes of it -------------------------------------------------------------------------


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_everything_that_leases_allow_is_heard_once_with_receipts(strategy):
    game = Game(epochs=2, slots=1, attributes=3)
    session, _ = played(game, strategy=strategy)
    (result,) = session.results
    assert not session.given_up
    assert not session.refused
    assert not session.strays
    assert not result.notes
    per_silo = Counter((handle, silo) for handle, silo, _ in answered(result.view))
    assert set(per_silo.values()) == {2}  # one slot in each of two epochs
    assert len(per_silo) == game.persons * game.silos
    assert result.view.handles == tuple(sorted(game.handles(0)))


def test_answers_are_those_of_the_silos():
    game = Game(epsilon=30.0, attributes=2, slots=2, epochs=1)  # hardly ever flipped
    session, _ = played(game)
    view, truth = session.results[0].view, game.truth()
    a = view.answers
    expected = game.bits[0][truth[a.handle], a.silo, a.attribute]
    assert np.array_equal(a.value, expected)
    assert len(a) == game.persons * game.silos * 2


def test_a_silo_that_withholds_is_asked_again_under_its_next_lease_only():
    game = Game(epochs=3, slots=1, attributes=2)
    session, silos = played(game, strategy="greedy-adaptive")
    view = session.results[0].view
    assert len(view.answers) == game.persons * game.silos * 2
    for silo in silos:
        # In an epoch a silo withholds at most once about a handle: then nobody asks on.
        for epoch in range(2):
            asked = Counter(
                query.handles[i : i + 16]
                for query in silo.heard
                if query.epoch == epoch
                for i in range(0, len(query.handles), 16)
            )
            assert max(asked.values()) <= game.slots + 1


def test_each_period_has_handles_and_answers_of_its_own():
    game = Game(periods=3, epochs=1, epsilon=30.0)
    session, _ = played(game)
    assert len(session.results) == 3
    for period, result in enumerate(session.results):
        a, truth = result.view.answers, game.truth(period)
        assert result.view.handles == tuple(sorted(game.handles(period)))
        assert np.array_equal(a.value, game.bits[period][truth[a.handle], a.silo, a.attribute])
        assert not result.notes


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_every_silo_is_told_once_that_nothing_follows(strategy):
    game = Game(epochs=3)
    _, silos = played(game, strategy=strategy)
    for silo in silos:
        last = [query.epoch for query in silo.heard if query.last]
        assert last == [0, 1, 2]


@given(seed=st.integers(0, 10_000), strategy=st.sampled_from(STRATEGIES), faulty=st.booleans())
@settings(max_examples=40, deadline=None)
def test_the_order_of_arrival_changes_nothing(seed, strategy, faulty):
    """Silos are deterministic, and questions of `everybody` depend on no answer."""
    game = Game(persons=6, silos=3, attributes=2, epochs=2, periods=2)
    calm, _ = played(game, strategy=strategy)
    links = FaultPlan(loss=0.1, duplicate=0.2, reorder=0.3, delay=(0.001, 0.02))
    stormy, _ = played(
        game, strategy=strategy, plan=links if faulty else FaultPlan(delay=(0.001, 0.5)), seed=seed
    )
    for one, other in zip(calm.results, stormy.results, strict=True):
        assert answered(one.view) == answered(other.view)
        for name in ("handle", "silo", "attribute", "value"):
            assert np.array_equal(
                getattr(one.view.answers, name), getattr(other.view.answers, name)
            )
        assert not other.notes


# --- who is silent ----------------------------------------------------------------------------


def test_a_silo_that_never_comes_is_given_up_by_name_after_one_deadline():
    game = Game()
    session, _ = played(game, plan=FaultPlan(crash={ONE: 0.0}))
    assert set(session.given_up) == {ONE}
    error = session.given_up[ONE]
    assert isinstance(error, DeadlineExceeded)
    assert error.party == ONE
    silos = set(session.results[0].view.answers.silo.tolist())
    assert silos == {0, 2, 3}


def test_the_others_are_not_kept_waiting_longer_than_their_windows_stay_open():
    game = Game(epochs=3)
    session = game.querier()
    network = game.run(session, game.parties(), FaultPlan(crash={ONE: 0.0}))
    assert DEADLINE <= network.now < 1.5 * DEADLINE  # waited once, not in every epoch


def test_when_most_have_ended_the_period_the_rest_is_not_waited_for_long():
    game = Game(epochs=1)
    session = game.querier()
    dumb = altered(game, Window, lambda message, _: message if message.open else None)
    network = game.run(session, game.parties(participant_1=dumb))
    assert set(session.given_up) == {ONE}
    assert DEADLINE <= network.now < 1.5 * DEADLINE


def test_a_silo_that_falls_silent_among_questions_loses_only_its_own_answers():
    game = Game(epochs=2, slots=2)
    calm, _ = played(game)

    def silent(message, epoch):
        opens = isinstance(message, Window) and message.open
        return message if epoch == 0 or opens else None

    session, _ = played(game, participant_1=AnsweringSilo(game, ONE, silent))
    assert set(session.given_up) == {ONE}
    lost = {key: value for key, value in answered(calm.results[0].view).items() if key[1] == 1}
    kept = answered(session.results[0].view)
    assert {key for key in kept if key[1] == 1} == {k for k, v in lost.items() if v[2] == 0}
    assert sum(key[1] != 1 for key in kept) == game.persons * 3 * 2


def test_a_silo_given_up_in_one_period_comes_back_in_the_next():
    game = Game(periods=2, epochs=1)

    class Late(AnsweringSilo):
        """Shows no window in its first period, as if it had been restarted in it."""

        def _begin(self):
            out = super()._begin()
            return out if self._period else super()._begin()

    session, _ = played(game, participant_1=Late(game, ONE))
    first, second = session.results
    assert not session.refused
    assert 1 not in first.view.answers.silo
    assert 1 in second.view.answers.silo
    assert not second.notes


def test_when_nobody_comes_it_ends_by_itself_and_names_all():
    game = Game(periods=2)
    session, _ = played(game, plan=FaultPlan(crash=dict.fromkeys(game.names, 0.0)))
    assert set(session.given_up) == set(game.names)
    assert [result.view for result in session.results] == [None, None]


def test_a_silo_that_cannot_be_reached_is_given_up_at_once():
    game = Game()
    session = game.querier()
    session.start(0.0)
    session.lose(ONE, DeadlineExceeded("is not there", party=ONE), 0.0)
    game.run(session, [s for s in game.parties() if s.name != ONE])
    assert session.finished
    assert session.given_up[ONE].reason == "is not there"


def test_whoever_ends_early_does_not_keep_the_others():
    game = Game(epochs=2)

    def gives_up(message, epoch):
        return Window(0, open=False, handles=b"") if message.open and not epoch else None

    session, _ = played(game, participant_1=altered(game, Window, gives_up))
    assert not session.given_up
    assert not session.refused
    assert set(session.results[0].view.answers.silo.tolist()) == {0, 2, 3}


def test_before_its_deadline_nobody_is_given_up():
    game = Game()
    session = game.querier()
    session.start(0.0)
    assert session.expire(session.deadline - 0.01) == []
    assert not session.given_up
    session.expire(session.deadline)
    assert set(session.given_up) == set(game.names)


# --- what is refused --------------------------------------------------------------------------


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


# --- receipts ---------------------------------------------------------------------------------


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


def test_a_later_epoch_s_receipts_are_judged_by_themselves():
    game = Game(epochs=2)
    session, _ = played(game, participant_1=altered(game, Receipts, missing))
    (note,) = session.results[0].notes
    assert (note.field, note.got) == ("receipts of epoch 0", "no receipts")


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


# --- strategies that ask what cannot be asked ---------------------------------------------------


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
