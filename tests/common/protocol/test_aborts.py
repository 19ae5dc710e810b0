"""Errors as messages: nothing of a party's own leaves, and nothing that comes is believed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from testkit.messages import messages

from collude.common.errors import (
    ColludeError,
    DataInvalid,
    LocalError,
    RemoteError,
    SessionAborted,
    UploadRejected,
)
from collude.common.protocol.aborts import from_abort, to_abort
from collude.common.protocol.codec import decode_message, encode_message
from collude.common.protocol.messages import Abort


def classes(base):
    return [base, *(kind for below in base.__subclasses__() for kind in classes(below))]


def filled(kind: type[ColludeError]) -> ColludeError:
    return kind("reason", party="participant-1", field="f", expected="e", got="g", hint="h")


@pytest.mark.parametrize("kind", classes(LocalError))
def test_of_an_error_of_its_own_a_party_tells_no_detail(kind):
    error = kind(
        "SECRET", party="SECRET", field="/home/SECRET", expected="SECRET", got="SECRET",
        hint="SECRET",
    )  # fmt: skip
    abort = to_abort(error, "participant-0")
    assert b"SECRET" not in encode_message(abort)
    assert abort.party == "participant-0"
    assert kind.code in abort.got


@pytest.mark.parametrize("kind", classes(RemoteError))
def test_an_error_about_another_party_comes_back_as_it_was(kind):
    told = decode_message(encode_message(to_abort(filled(kind), "participant-0")))
    back = from_abort(told, "analyst")
    assert type(back) is kind
    assert {**vars(back)} == {**vars(filled(kind))}


def test_codes_are_unique():
    codes = [kind.code for kind in classes(ColludeError)]
    assert len(codes) == len(set(codes))


@given(messages(Abort))
def test_whatever_another_party_tells_becomes_a_short_printable_remote_error(abort):
    error = from_abort(abort, "participant-2")
    assert isinstance(error, RemoteError)
    assert str(error).isprintable()
    assert len(str(error).encode()) < 3000
    assert error.party


@pytest.mark.parametrize("field", ["code", "reason", "party", "field", "expected", "got", "hint"])
def test_a_flood_and_terminal_escapes_are_cut(field):
    hostile = "\x1b[2J\n\r" + "A" * 10_000_000
    abort = Abort(**dict.fromkeys(Abort.__dataclass_fields__, "") | {field: hostile})
    text = str(from_abort(abort, "analyst"))
    assert "\x1b" not in text
    assert "\n" not in text
    assert len(text) < 1000


@pytest.mark.parametrize("code", ["", "E-NOBODY-KNOWS", DataInvalid.code, LocalError.code])
def test_an_unknown_or_local_code_ends_the_session_without_blaming_this_party(code):
    error = from_abort(Abort(code, "why", "", "", "", "", ""), "participant-2")
    assert type(error) is SessionAborted
    assert error.party == "participant-2"


def test_an_abort_without_a_word_still_names_its_sender():
    error = from_abort(Abort(*[""] * 7), "analyst")
    assert error.party == "analyst"
    assert error.reason


@given(st.text(st.characters(codec="utf-8")))
def test_any_text_of_an_error_can_be_told(text):
    abort = to_abort(UploadRejected(text, party="participant-0", got=text))
    assert decode_message(encode_message(abort)) == abort
