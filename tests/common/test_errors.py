"""The tree of errors: stable codes, advice for everybody, and nothing lost between parties."""

import ast
import json
import pickle
from pathlib import Path

import grpc
import grpc.aio
import pytest
from hypothesis import given
from hypothesis import strategies as st
from testkit.command import ROOT, collude

from collude.common import errors
from collude.common.error_base import LONGEST
from collude.common.errors import (
    ColludeError,
    LocalError,
    ProtocolViolation,
    RemoteError,
    by_code,
    tree,
)
from collude.common.net.faults import from_status, status_of, to_status
from collude.common.protocol.aborts import from_abort, to_abort
from collude.common.protocol.codec import decode_message, encode_message
from collude.common.protocol.messages import Abort
from collude.common.told import LONGEST_PART, PARTS
from collude.runtime.cli import console

KINDS = list(tree(ColludeError))
REMOTE = list(tree(RemoteError))
PRODUCT = ("common", "participant", "analyst", "attacker", "runtime")

PUBLISHED = frozenset({
    "E-ABORTED", "E-AGGREGATION", "E-ANCHOR", "E-ANCHOR-ABORT", "E-ATTACK", "E-AUDITOR",
    "E-CODEF", "E-COLLUDE", "E-DATA", "E-DATA-INVALID", "E-DEADLINE", "E-DISCLOSURE", "E-EXTRA",
    "E-IDENTITY", "E-LEDGER", "E-LEDGER-FORK", "E-LISTEN", "E-LOCAL", "E-MODEL", "E-NO-UPLOAD",
    "E-OUT-EXISTS", "E-PARAMETER", "E-PARTY", "E-PLUGIN", "E-PLUGIN-UNKNOWN", "E-PROTOCOL",
    "E-RELEASE", "E-REMOTE", "E-ROSTER", "E-RUN-DIR", "E-SCENARIO", "E-SESSION-USED",
    "E-TLS-LOCAL", "E-UNREACHABLE",
    "E-UPLOAD", "E-UPLOAD-ANCHOR", "E-UPLOAD-EMPTY", "E-UPLOAD-LABELS", "E-UPLOAD-NONFINITE",
    "E-UPLOAD-QUOTA", "E-UPLOAD-RANGE", "E-UPLOAD-RANK", "E-UPLOAD-SHAPE", "E-UPLOAD-STORE",
    "E-UPLOAD-TYPE", "E-WIRE",
})  # fmt: skip
"""Codes that somebody's script may know. A code may be added here; none may go."""

words = st.text(
    st.characters(exclude_categories=["C", "Z"]) | st.just(" "), min_size=1, max_size=70
)
parts = st.fixed_dictionaries({}, optional=dict.fromkeys(PARTS[1:], words))


def named(kind):
    return kind.__name__


def test_the_product_defines_errors_in_one_place_only():
    bases = {named(kind) for kind in KINDS}
    found = {
        file.relative_to(ROOT).as_posix()
        for folder in PRODUCT
        for file in (ROOT / folder).rglob("*.py")
        for node in ast.walk(ast.parse(file.read_text("utf-8")))
        if isinstance(node, ast.ClassDef)
        and bases & {base.id for base in node.bases if isinstance(base, ast.Name)}
    }
    assert found == {"common/error_base.py", "common/errors.py"}


def test_a_code_belongs_to_one_class_and_none_has_gone():
    codes = [kind.code for kind in KINDS]
    assert len(set(codes)) == len(codes)
    assert not PUBLISHED - set(codes)
    assert set(codes) == PUBLISHED, "a new code: add it to PUBLISHED, it stays for ever"
    assert by_code(ColludeError) == dict(zip(codes, KINDS, strict=True))


@pytest.mark.parametrize("kind", KINDS, ids=named)
def test_every_class_says_whose_fault_what_is_wrong_and_what_to_do(kind):
    assert kind.code == kind.code.upper()
    assert kind.code.startswith("E-")
    assert "code" in vars(kind), "a code of its own"
    assert kind.sentence().endswith(".")
    assert kind.sentence() not in {k.sentence() for k in KINDS if k is not kind}
    assert kind.advice.endswith((".", "?"))
    if kind is not ColludeError:
        assert issubclass(kind, LocalError) != issubclass(kind, RemoteError)
        assert kind.exit_code == (2 if issubclass(kind, LocalError) else 3)


@pytest.mark.parametrize("kind", KINDS, ids=named)
def test_all_parts_stand_in_its_text_and_survive_a_pool_of_processes(kind):
    error = kind("reason", **{name: f"the {name}" for name in PARTS[1:]})
    for part in (kind.code, "reason", *(f"the {name}" for name in PARTS[1:])):
        assert part in str(error)
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is kind
    assert vars(again) == vars(error)


@pytest.mark.parametrize("kind", KINDS, ids=named)
def test_without_a_hint_the_advice_for_its_class_is_shown(kind):
    assert kind.advice in str(kind("reason"))
    assert kind.advice not in str(kind("reason", hint="another way"))


@pytest.mark.parametrize("kind", REMOTE, ids=named)
@given(reason=words, others=parts)
def test_an_error_comes_back_out_of_an_abort_message(kind, reason, others):
    error = kind(reason, **others)
    abort = decode_message(encode_message(to_abort(error, "participant-0")))
    back = from_abort(abort, "analyst")
    assert type(back) is kind
    assert vars(back) == vars(error) | {"party": others.get("party", "participant-0")}


@pytest.mark.parametrize("kind", REMOTE, ids=named)
@given(reason=words, others=parts)
def test_an_error_comes_back_out_of_a_grpc_status(kind, reason, others):
    error = kind(reason, **others)
    code, text, metadata = to_status(error)
    failed = grpc.aio.AioRpcError(
        code, grpc.aio.Metadata(), grpc.aio.Metadata(*metadata), details=text
    )
    back = from_status(failed, "analyst", "127.0.0.1:7400")
    assert type(back) is kind
    assert vars(back) == vars(error) | {"party": others.get("party", "analyst")}


@pytest.mark.parametrize("kind", [k for k in KINDS if k not in REMOTE], ids=named)
def test_of_a_partys_own_error_others_hear_its_class_and_no_more(kind):
    error = kind(
        "private", field="/home/private", expected="private", got="private", hint="private"
    )
    abort = to_abort(error, "participant-0")
    assert "private" not in repr(abort)
    assert "private" not in repr(to_status(error))
    back = from_abort(abort, "participant-0")
    assert (type(back), back.party) == (errors.PartyFailed, "participant-0")
    assert back.got == f"{kind.code}: {kind.sentence()}"


def test_a_class_has_the_status_of_its_nearest_ancestor():
    assert status_of(errors.UploadNotFinite) is status_of(errors.UploadRejected)
    assert status_of(errors.RosterMismatch) is grpc.StatusCode.FAILED_PRECONDITION
    assert status_of(errors.DataInvalid) is grpc.StatusCode.INTERNAL


@pytest.mark.parametrize("code", ["", "E-LISTEN", "E-COLLUDE", "E-FROM-THE-FUTURE", "\x1b[31m"])
def test_a_code_that_no_peer_may_send_is_an_aborted_session(code):
    back = from_abort(Abort(code, "words", "", "", "", "", ""), "participant-0")
    assert type(back) is errors.SessionAborted
    assert back.party == "participant-0"
    assert back.reason.startswith("words")
    assert str(back).isprintable()


@given(text=st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=5000))
def test_another_partys_text_is_one_short_printable_line(text):
    back = from_abort(Abort("E-PROTOCOL", *[text] * len(PARTS)), "participant-0")
    for name in PARTS:
        value = getattr(back, name) or ""
        assert value.isprintable()
        assert len(value.encode()) <= LONGEST_PART


ERROR = errors.UploadNotFinite(
    "the upload [was] refused", party="participant-1", field="private[3]", expected="numbers",
    got="NaN", hint="clean them",
)  # fmt: skip


@pytest.mark.parametrize("hint", ["clean them", None])
def test_the_command_line_shows_party_field_expected_got_and_hint(capsys, monkeypatch, hint):
    monkeypatch.setattr(console, "_JSON", [])
    ERROR.hint = hint
    console.show_error(ERROR)
    said = capsys.readouterr()
    assert said.out == ""
    shown = {line.split()[0]: line.split(maxsplit=1)[1] for line in said.err.splitlines()[1:]}
    assert said.err.splitlines()[0].split(maxsplit=2)[1:] == [ERROR.code, ERROR.reason]
    assert shown == {
        "party": "participant-1", "field": "private[3]", "expected": "numbers", "got": "NaN",
        "hint": hint or "The named party must clean its records: no missing values, no overflow.",
    }  # fmt: skip


def test_with_json_the_same_parts_are_one_document(tmp_path):
    missing = tmp_path / "missing.toml"
    said = collude("run", missing, "--json")
    error = json.loads(said.out)["error"]
    assert said.code == 2
    assert error["code"] == "E-SCENARIO"
    assert set(error) <= {"code", *PARTS}
    assert error["hint"]
    assert str(missing) in Path(error["field"]).as_posix() + error["reason"]


def test_what_another_party_sent_is_kept_up_to_a_length():
    """A thousand refused messages of one party would else hold all that it may deliver."""
    error = ProtocolViolation("junk", party="participant-1", got="x" * 10**7, expected="y" * 10**7)
    assert len(str(error)) < 3 * LONGEST
    assert error.got == "x" * LONGEST + "... (10000000 characters)"
    assert ProtocolViolation("junk", got="x" * LONGEST).got == "x" * LONGEST
