"""Who answers: what is repeated, what is withheld, what is counted, and what is drawn."""

import numpy as np
import pytest
from scipy.stats import binom
from testkit.answering import (
    ATTRIBUTES,
    EVERYTHING,
    KEY,
    OTHER,
    PERSONS,
    QUERIER,
    SIGNING,
    SILO,
    silo,
)

from collude.codef.release import FileBook, Held, MemoryBook, handles_of
from collude.codef.release.receipts import receipt_of
from collude.codef.release.signing import check_answer
from collude.common.errors import DataInvalid
from collude.common.protocol.codec import digest_of

# --- what is repeated -----------------------------------------------------------------------


def test_a_repeated_question_has_the_same_answer_and_costs_nothing():
    here = silo()
    here.lease()
    first = here.ask(EVERYTHING)
    counts = here.responder.freeze().counts
    here.lease(level=3)  # a lower epsilon from now on
    assert here.ask(EVERYTHING) == first  # at the level of then
    frozen = here.responder.freeze()
    assert frozen.counts.tolist() == counts.tolist() == [3 * here.policy.charge(0)] * PERSONS
    assert frozen.receipts == ()


def test_a_question_twice_in_one_query_is_one_question():
    here = silo()
    here.lease(slots=1)
    replies = here.ask([(2, 1), (2, 1), (2, 0), (2, 1)])
    assert replies[0] == replies[1] == replies[3]
    assert replies[0][0] == 0
    assert replies[2] == (-1, 0)
    frozen = here.responder.freeze()
    assert frozen.counts[2] == here.policy.charge(0)
    assert len(frozen.receipts) == 1


def test_what_is_withheld_by_the_lease_is_repeated_if_it_was_answered():
    here = silo()
    here.lease()
    first = here.ask([(0, 0)])
    here.responder.freeze()
    here.lease(slots=0)
    assert here.ask([(0, 0), (0, 1)]) == [*first, (-1, 0)]


def test_while_no_lease_is_held_nothing_is_said_not_even_again():
    here = silo()
    assert here.ask(EVERYTHING) == [(-1, 0)] * len(EVERYTHING)
    here.lease()
    here.ask(EVERYTHING)
    here.responder.freeze()
    assert here.ask(EVERYTHING) == [(-1, 0)] * len(EVERYTHING)


def test_a_restart_draws_nothing_again(tmp_path):
    """Even under another level and another entropy: the answers are on the disk."""
    path = tmp_path / "answers"
    here = silo(book=FileBook(path, SILO))
    here.lease()
    first = here.ask(EVERYTHING[::2])
    here.book.close()
    again = silo(book=FileBook(path, SILO), party="participant-1")
    again.lease(level=2)
    assert again.ask(EVERYTHING[::2]) == first
    assert again.responder.freeze().counts.sum() == 0


def test_another_cohort_is_another_population():
    book = MemoryBook()
    plenty = 64
    bits = np.ones((plenty, ATTRIBUTES), np.int8)
    pairs = [(person, attribute) for person in range(plenty) for attribute in range(ATTRIBUTES)]
    replies = []
    for cohort in (0, 1):
        held = Held(cohort, bits, np.ones(plenty, np.bool_))
        here = silo(book=book, held=held)
        here.lease()
        replies.append(here.ask(pairs))
    assert replies[0] != replies[1]  # equal by chance with 0.6^192
    assert len(book) == 2 * len(pairs)


def test_the_order_of_questions_changes_nothing():
    shuffled = [EVERYTHING[at] for at in np.random.default_rng(3).permutation(len(EVERYTHING))]
    one, other = silo(), silo()
    one.lease()
    other.lease()
    whole = dict(zip(EVERYTHING, one.ask(EVERYTHING), strict=True))
    pieces = {pair: other.ask([pair], OTHER)[0] for pair in shuffled}
    assert whole == pieces


def test_a_full_disk_answers_charges_and_receipts_nothing(tmp_path, monkeypatch):
    here = silo(book=FileBook(tmp_path / "answers", SILO))
    here.lease(slots=2)
    here.ask([(0, 0)])

    def fails(*_args):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.write", fails)
    with pytest.raises(DataInvalid, match=SILO):
        here.ask([(0, 1), (1, 1)])
    monkeypatch.undo()
    assert here.ask([(0, 2), (0, 1)])[0][0] == 0  # the slot was not used up
    frozen = here.responder.freeze()
    assert frozen.counts.tolist() == [2 * here.policy.charge(0), *[0] * (PERSONS - 1)]
    assert len(frozen.receipts) == 2


# --- slots and counts -----------------------------------------------------------------------


def test_slots_are_of_a_person_over_all_queriers():
    here = silo("success")
    here.lease(slots=2)
    assert [level for level, _ in here.ask([(0, 0)])] == [0]
    assert [level for level, _ in here.ask([(0, 0), (0, 1), (0, 2)], OTHER)] == [0, 0, -1]
    assert [level for level, _ in here.ask([(0, 2), (0, 1)])] == [-1, 0]
    frozen = here.responder.freeze()
    assert frozen.counts.tolist() == [2, 0, 0, 0, 0, 0]
    assert frozen.queriers == (QUERIER, OTHER)


def test_a_lease_does_not_carry_over():
    here = silo("success")
    here.lease(slots=2)
    here.ask([(0, 0)])
    here.responder.freeze()
    here.lease(slots=1)
    assert [level for level, _ in here.ask([(0, 1), (0, 2)])] == [0, -1]


def test_counts_are_what_the_policy_charges_at_each_level():
    here = silo()
    charge = here.policy.charge
    given = np.array([0, 1, 2, 3, -1, 0])
    here.responder.lease(given, np.array([3, 3, 3, 3, 0, 1]))
    here.ask(EVERYTHING)
    frozen = here.responder.freeze()
    assert frozen.counts.dtype == np.uint64
    assert frozen.counts.tolist() == [
        3 * charge(0), 3 * charge(1), 3 * charge(2), 3 * charge(3), 0, charge(0)]  # fmt: skip
    here.lease(level=3, slots=2)
    here.ask(EVERYTHING)
    later = here.responder.freeze().counts
    assert later[5] == charge(0) + 2 * charge(3)  # of the period, not of the epoch
    assert later[4] == 2 * charge(3)
    assert frozen.counts[4] == 0  # what was frozen stays


def test_paper_answers_every_attribute_whatever_was_answered():
    here = silo("paper")
    here.lease(slots=ATTRIBUTES)
    assert {level for level, _ in here.ask(EVERYTHING)} == {0}
    assert here.responder.freeze().counts.tolist() == [ATTRIBUTES] * PERSONS


def test_a_lease_beyond_the_cap_is_not_used():
    """Too large a grant gets no count out of this silo that the sum cannot hold."""
    here = silo("success", max_success=0.004, attributes=0)
    assert here.policy.cap == 1
    here.lease(slots=3)
    assert [level for level, _ in here.ask([(0, 0), (0, 1)])] == [0, -1]
    assert here.responder.freeze().counts[0] == 1


# --- what is drawn --------------------------------------------------------------------------


@pytest.mark.parametrize("epsilon", [1.0, 3.0])
def test_answers_are_the_bits_flipped_as_often_as_epsilon_says(epsilon):
    """3,000 answers; an interval that a correct silo leaves with probability 1e-6."""
    rng = np.random.default_rng(5)
    bits = rng.integers(0, 2, (1000, ATTRIBUTES)).astype(np.int8)
    here = silo("success", held=Held(0, bits, np.ones(1000, np.bool_)), epsilon=epsilon)
    here.lease()
    pairs = [(person, attribute) for person in range(1000) for attribute in range(ATTRIBUTES)]
    values = np.array([value for _, value in here.ask(pairs)]).reshape(bits.shape)
    low, high = binom.interval(1 - 1e-6, bits.size, 1 / (1 + np.exp(epsilon)))
    assert low <= np.sum(values != bits) <= high


@pytest.mark.parametrize("bit", [0, 1])
def test_about_an_absent_person_it_answers_with_a_fair_coin(bit):
    """At an epsilon that leaves bits nearly as they are, whatever stands in the table."""
    bits = np.full((1000, ATTRIBUTES), bit, np.int8)
    present = np.arange(1000) % 2 == 0
    here = silo("information", held=Held(0, bits, present), epsilon_grid=(40.0, 0.1))
    here.lease()
    pairs = [(person, attribute) for person in range(1000) for attribute in range(ATTRIBUTES)]
    replies = here.ask(pairs)
    assert {level for level, _ in replies} == {0}  # nobody sees whom it knows
    values = np.array([value for _, value in replies]).reshape(bits.shape)
    assert (values[present] == bit).all()
    low, high = binom.interval(1 - 1e-6, 500 * ATTRIBUTES, 0.5)
    assert low <= values[~present].sum() <= high


def test_a_gaussian_silo_answers_in_grid_steps():
    bits = np.tile([0, 1, 1], (1000, 1)).astype(np.int8)
    present = np.ones(1000, np.bool_)
    here = silo("success", held=Held(0, bits, present), mechanism="gaussian", epsilon=20.0)
    here.lease()
    pairs = [(person, attribute) for person in range(1000) for attribute in range(ATTRIBUTES)]
    values = np.array([value for _, value in here.ask(pairs)]).reshape(bits.shape) / 2**20
    sigma = values.std(axis=0)
    assert np.abs(values.mean(axis=0) - bits[0]).max() < 5 * sigma.max() / np.sqrt(1000)


# --- signatures, receipts, secrets ----------------------------------------------------------


def test_an_answer_is_signed_over_its_query():
    here = silo()
    here.lease()
    query = here.query(EVERYTHING, OTHER, epoch=3)
    answer = here.responder.answer(query, OTHER)
    check_answer((SILO, OTHER), digest_of(query), answer, SIGNING.public)
    assert answer.epoch == 3


def test_an_empty_query_has_an_empty_answer():
    here = silo()
    here.lease()
    answer = here.answer([])
    assert answer.values.shape == answer.levels.shape == (0,)


def test_receipts_are_those_of_the_first_time_answers_in_order():
    here = silo()
    here.lease(slots=2)
    mine, theirs = [(1, 0), (0, 2), (1, 1), (1, 2)], [(1, 0), (4, 1)]
    replies = {
        QUERIER: dict(zip(mine, here.ask(mine, QUERIER, 5), strict=True)),
        OTHER: dict(zip(theirs, here.ask(theirs, OTHER, 5), strict=True)),
    }
    first_time = [(QUERIER, (1, 0)), (QUERIER, (0, 2)), (QUERIER, (1, 1)), (OTHER, (4, 1))]
    expected = []
    for querier, (person, attribute) in first_time:
        level, value = replies[querier][person, attribute]
        handle = handles_of(KEY, querier, PERSONS)[person]
        expected.append(receipt_of((SILO, querier), handle, attribute, (value, level), 5))
    frozen = here.responder.freeze()
    assert list(frozen.receipts) == expected
    assert list(frozen.queriers) == [querier for querier, _ in first_time]
    assert here.responder.freeze().receipts == frozen.receipts  # asking again changes nothing


def test_nothing_secret_is_shown_or_pickled():
    here = silo()
    here.lease()
    here.ask(EVERYTHING)
    for thing in (here.responder, here.responder.freeze(), here.book,
                  Held(0, np.ones((1, 1), int), np.ones(1, np.bool_))):  # fmt: skip
        assert repr(thing) == f"{type(thing).__name__}()"
        with pytest.raises(TypeError):
            thing.__reduce__()
