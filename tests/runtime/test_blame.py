"""One error out of many: whoever knows why, before whoever only waited."""

import pytest

from collude.common.errors import DeadlineExceeded, PartyFailed, UploadRejected
from collude.common.ids import ANALYST, ATTACKER
from collude.common.outcome import FAILED, FINISHED, INTERRUPTED, Outcome
from collude.runtime.blame import blame

WELL = Outcome(FINISHED)
P0, P1 = "participant-0", "participant-1"


def failed(code, party=None, state=FAILED):
    error = {"code": code, "reason": "because"} | ({"party": party} if party else {})
    return Outcome(state, error)


LATE = failed("E-DEADLINE", P1)
TOLD = failed("E-ABORTED", P1)
REFUSED = failed("E-UPLOAD", P1)
ALONE = failed("E-UNREACHABLE", ANALYST)


def test_nobody_is_blamed_when_all_went_well() -> None:
    assert blame({ANALYST: WELL, P0: WELL}, {ANALYST: 0, P0: 0}) is None


@pytest.mark.parametrize(
    ("outcomes", "code"),
    [
        ({ANALYST: LATE, P0: REFUSED}, "E-UPLOAD"),  # it knows why nothing came
        ({ANALYST: LATE, P0: TOLD}, "E-DEADLINE"),
        ({ANALYST: ALONE, P0: LATE}, "E-DEADLINE"),
        ({ANALYST: WELL, P0: ALONE}, "E-UNREACHABLE"),
        ({ANALYST: failed("E-PROTOCOL"), P0: REFUSED}, "E-PROTOCOL"),  # it sees everybody
        ({ANALYST: failed("E-PROTOCOL", state=INTERRUPTED), P0: TOLD}, "E-ABORTED"),
    ],
)
def test_the_most_specific_account_is_taken(outcomes, code) -> None:
    error = blame(outcomes, {})
    assert error.code == code


def test_it_is_rebuilt_with_its_class_and_parts() -> None:
    given = {"code": "E-DEADLINE", "reason": "late", "party": P1, "field": "deadline_s",
             "expected": "soon", "got": "never", "hint": "wait"}  # fmt: skip
    error = blame({ANALYST: Outcome(FAILED, given)}, {})
    assert isinstance(error, DeadlineExceeded)
    assert {name: getattr(error, name) for name in given} == given
    assert isinstance(blame({ANALYST: REFUSED}, {}), UploadRejected)


def test_without_a_party_whoever_failed_is_named() -> None:
    assert blame({P0: failed("E-DATA-INVALID")}, {}).party == P0


@pytest.mark.parametrize(("status", "words"), [(-9, "signal 9"), (2, "exit status 2")])
def test_who_died_without_a_word_comes_first(status, words) -> None:
    error = blame({ANALYST: REFUSED, P0: None}, {ANALYST: 3, P0: status})
    assert isinstance(error, PartyFailed)
    assert error.party == P0
    assert words in error.got
    assert f"logs/{P0}" in error.hint


def test_who_was_never_started_is_not_dead() -> None:
    assert blame({ANALYST: WELL, ATTACKER: None}, {}) is None
    assert blame({ANALYST: REFUSED, ATTACKER: None}, {}).code == "E-UPLOAD"


def test_who_was_left_out_is_not_blamed() -> None:
    analyst = Outcome(FINISHED, result={"left_out": [P0]})
    assert blame({ANALYST: analyst, P0: None, P1: WELL}, {ANALYST: 0, P0: -9, P1: 0}) is None
    assert blame({ANALYST: analyst, P0: None, P1: None}, {P0: -9, P1: -9}).party == P1


def test_an_unknown_code_is_still_an_error() -> None:
    error = blame({ANALYST: failed("E-FROM-THE-FUTURE")}, {})
    assert (error.party, error.reason) == (ANALYST, "because")
    assert blame({P0: Outcome(FAILED)}, {}).party == P0
