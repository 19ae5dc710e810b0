import json

import grpc
import grpc.aio
import pytest
from hypothesis import given
from hypothesis import strategies as st

from collude.common import errors
from collude.common.net.faults import DETAILS_KEY, from_status, has_details, to_status

ADDRESS = "127.0.0.1:7400"
METADATA_LIMIT = 8 * 1024

KINDS = [
    kind
    for kind in vars(errors).values()
    if isinstance(kind, type) and issubclass(kind, errors.ColludeError)
]
REMOTE = [kind for kind in KINDS if issubclass(kind, errors.RemoteError)]
PARTS = ("reason", "party", "field", "expected", "got", "hint")


def through(code, text, metadata):
    """The error as gRPC hands it to the caller."""
    trailing = grpc.aio.Metadata(*metadata)
    return grpc.aio.AioRpcError(code, grpc.aio.Metadata(), trailing, details=text)


def back(error):
    return from_status(through(*to_status(error)), "analyst", ADDRESS)


printable = st.text(
    st.characters(exclude_categories=["C", "Z"]) | st.just(" "), min_size=1, max_size=70
)


@pytest.mark.parametrize("kind", REMOTE)
@given(reason=printable, parts=st.fixed_dictionaries(dict.fromkeys(PARTS[1:], printable)))
def test_a_remote_error_comes_back_as_it_was(kind, reason, parts):
    error = kind(reason, **parts)
    told = back(error)
    assert type(told) is kind
    assert str(told) == str(error)


@pytest.mark.parametrize("kind", [k for k in KINDS if k not in REMOTE])
def test_an_error_of_the_servers_own_is_told_without_its_content(kind):
    error = kind("secret", field="secret", got="secret")
    assert "secret" not in repr(to_status(error))
    told = back(error)
    assert type(told) is errors.PartyFailed
    assert told.party == "analyst"


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=5000))
def test_any_text_becomes_one_printable_line_that_fits(text):
    error = errors.WireInvalid(text, **dict.fromkeys(PARTS[1:], text))
    _, details, metadata = to_status(error)
    assert 4 * len(metadata[0][1]) / 3 + 3 * len(details.encode()) < METADATA_LIMIT
    assert str(back(error)).isprintable()


RUBBISH = [b"", b"\xff", b"[]", b"7", b'{"code": 7}', b'{"code": "E-LISTEN"}', b"[" * 100_000,
           json.dumps({"code": "E-UPLOAD", "reason": {"a": [1]}, "party": 7}).encode()]  # fmt: skip


@pytest.mark.parametrize("details", RUBBISH)
def test_details_that_make_no_sense_are_still_a_remote_error_of_the_peer(details):
    told = from_status(
        through(grpc.StatusCode.ABORTED, "x", [(DETAILS_KEY, details)]), "analyst", ADDRESS
    )
    assert isinstance(told, errors.RemoteError)
    assert told.party in {"analyst", "7"}
    assert str(told).isprintable()


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        (grpc.StatusCode.UNAVAILABLE, errors.PeerUnreachable),
        (grpc.StatusCode.DEADLINE_EXCEEDED, errors.DeadlineExceeded),
        (grpc.StatusCode.PERMISSION_DENIED, errors.IdentityRefused),
        (grpc.StatusCode.INTERNAL, errors.PartyFailed),
    ],
)
def test_a_status_without_details_names_peer_and_address(code, kind):
    error = through(code, "line one\nline two\x1b[31m", [])
    told = from_status(error, "analyst", ADDRESS)
    assert type(told) is kind
    assert (told.party, told.field) == ("analyst", ADDRESS)
    assert str(told).isprintable()
    assert not has_details(error)
