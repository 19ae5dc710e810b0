"""What is said of a period: each sentence only where it is true."""

import pytest
from pydantic import ValidationError

from collude.runtime.report.codef_documents import Period, PersonReleases
from collude.runtime.report.release_words import (
    answers_words,
    exceeds,
    limit_words,
    of_100,
    over_words,
    switches,
    used_words,
    verdict,
)
from collude.runtime.report.words import ABSENT

PERSONS = 10
LEDGER = {"entries": 5, "head": "ab"}


def spread(value, most=None):
    return {"least": value, "mean": value, "most": most or value}


def answers(*by_level):
    about = sum(by_level) / PERSONS
    total = sum(by_level)
    return {"asked": total, "answered": total, "by_level": by_level, "per_target": spread(about)}


def named(rate=0.5, low=0.4, high=0.6, name="maximum-likelihood", guaranteed=0.7):
    return {
        "name": name, "success": rate, "interval": (low, high), "answers_per_target": 6,
        "targets": PERSONS, "exact": 0.5, "guaranteed": guaranteed,
    }  # fmt: skip


def overshoot(spent, limit, over, unit="nats"):
    return {
        "unit": unit, "limit": limit, "spent": spread(spent), "persons_over": over,
        "share_used": spent / limit,
    }  # fmt: skip


def at(epoch, level):
    return {"epoch": epoch, "persons_by_level": {"1": 0, "0.5": 0, "withheld": 0, level: PERSONS}}


def paper(**changed):
    facts = {
        "policy": "paper", "guarantee": "It promises nothing.", "levels": (1.0, 0.5),
        "leased": False, "ledger": LEDGER, "budget": 2.0, "thresholds": (4, 9), "risk": 0.1,
        "safe_at_risk": 2, "answers": answers(60, 0), "attacks": [named()],
        "overshoot": overshoot(5.0, 2.0, PERSONS), "epochs": [at(0, "1"), at(1, "0.5")],
    }  # fmt: skip
    return Period.model_validate(facts | changed)


def success(**changed):
    facts = {
        "policy": "success", "guarantee": "At most 0.1.", "levels": (1.0,), "ledger": LEDGER,
        "safe_slots": 2, "max_success": 0.1, "risk": 0.1, "safe_at_risk": 2,
        "answers": answers(20), "attacks": [named(0.08, 0.03, 0.2, guaranteed=0.09)],
        "overshoot": overshoot(2.0, 2.0, 0, "answers"), "epochs": [at(0, "1"), at(1, "withheld")],
    }  # fmt: skip
    return Period.model_validate(facts | changed)


def of(period, source="persons"):
    return PersonReleases(persons=PERSONS, policies=(period,), source=source)


def said(period, source="persons"):
    return verdict(period, of(period, source))


def test_a_rule_that_exceeds_its_threshold_before_a_count_is_told_so() -> None:
    text = said(paper())
    assert "maximum-likelihood names 50 of 100 (40 to 60)" in text
    assert "more than the chosen risk, 10 of 100" in text
    assert "Its own threshold is 4 at epsilon 1, but 6 had been answered before" in text
    assert "Safe for that risk are 2 answers at epsilon 1" in text
    assert "forgot" not in text  # nothing was answered after the switch


def test_a_rule_that_goes_on_after_the_switch_is_told_what_it_forgot() -> None:
    text = said(paper(answers=answers(40, 30)))
    assert "threshold at epsilon 0.5 forgot what was answered at epsilon 1" in text
    assert "had been answered before" not in text  # 4 of 4: the threshold was kept


def test_a_rule_that_stays_below_the_risk_is_not_blamed() -> None:
    text = said(paper(attacks=[named(0.12, 0.05, 0.3)], answers=answers(40, 0)))
    assert "more than" not in text
    assert "Safe for" not in text


def test_a_promise_that_was_kept_is_named_beside_the_measurement() -> None:
    assert said(success()).endswith("Promised: at most 10 of 100.")


def test_a_measurement_above_the_promise_within_its_error_breaks_nothing() -> None:
    assert not exceeds(success(attacks=[named(0.12, 0.09, 0.2)]))
    assert "more than" not in said(success(attacks=[named(0.12, 0.09, 0.2, guaranteed=0.1)]))


def test_a_promise_that_was_broken_is_said_so() -> None:
    text = said(success(attacks=[named(0.3, 0.2, 0.4)]))
    assert "more than the 10 of 100 that the policy promises" in text


def test_who_beats_the_bound_for_one_person_is_told_apart_from_a_fault() -> None:
    whole = named(0.9, 0.8, 0.95, name="one-to-one")
    assert "does not cover who names all persons together" in said(paper(attacks=[whole]))
    alone = named(0.9, 0.8, 0.95)
    assert "something is wrong" in said(paper(attacks=[alone]))


def test_a_budget_that_was_exceeded_is_not_called_kept() -> None:
    kept = success(safe_slots=None, max_success=None, budget=2.0, overshoot=overshoot(1.9, 2.0, 0))
    assert "The budget was kept (1.9 of 2 nats)" in said(kept)
    over = success(overshoot=overshoot(3.0, 2.0, 4, "answers"))
    assert "More than the limit was released about 4 of 10 persons" in said(over)
    assert "kept" not in said(over)


def test_where_nobody_asked_or_nobody_knows_nothing_is_claimed() -> None:
    assert said(paper(answers=None, attacks=[])) == "Nobody asked, so nothing was answered."
    assert "is not known here" in said(paper(attacks=[], overshoot=None))
    assert used_words(paper(overshoot=None)) == over_words(paper(overshoot=None), 3) == ABSENT


def test_of_pairs_pairs_are_counted() -> None:
    assert "After 6 pairs of answers" in said(paper(), "xor-persons")


@pytest.mark.parametrize(
    ("share", "text"), [(0, "0 of 100"), (0.0654, "6.5 of 100"), (0.7333, "73 of 100")]
)
def test_shares_keep_two_digits_that_count(share, text) -> None:
    assert of_100(share) == text


def test_limits_are_in_the_unit_of_the_policy() -> None:
    assert limit_words(success()) == "2 answers"
    assert limit_words(paper()) == (
        "meant: 2 nats; it leaves epsilon 1 at 4 and epsilon 0.5 at 9 answers"
    )
    assert limit_words(paper(thresholds=None)) == "2 nats"
    assert limit_words(paper(thresholds=None, budget=None)) == "no limit that is known here"


def test_persons_who_were_answered_about_differently_are_a_range() -> None:
    facts = answers(60, 0) | {"per_target": {"least": 4, "mean": 6, "most": 9}}
    assert answers_words(paper(answers=facts)) == "4 to 9, mean 6"
    assert said(paper(answers=facts)).startswith("After 6 or more answers about each person")


def test_the_switch_is_told_with_its_epoch_and_the_end_is_no_switch() -> None:
    leases = [at(0, "1"), at(1, "1"), at(2, "0.5"), at(3, "withheld")]
    told = switches(paper(epochs=leases))
    assert told == "Most persons began at epsilon 1; epsilon 0.5 from epoch 3."
    assert "stayed at one level" in switches(paper(epochs=[at(0, "1"), at(1, "withheld")]))


def test_a_document_without_its_parts_is_refused() -> None:
    with pytest.raises(ValidationError):
        PersonReleases.model_validate({"persons": 3, "policies": [{"policy": "paper"}]})
