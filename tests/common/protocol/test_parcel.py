import dataclasses
import hashlib

import pytest

from collude.common.protocol.parcel import Outgoing, Parcel

SECRET = b"a-secret-body"


def parcel() -> Parcel:
    return Parcel(b"s", "r0_join", "participant-0", "analyst", 3, SECRET)


def test_a_parcel_cannot_be_changed():
    with pytest.raises(dataclasses.FrozenInstanceError):
        parcel().sequence = 4  # type: ignore[misc]


@pytest.mark.parametrize("message", [parcel(), Outgoing("analyst", "r0_join", b"s", SECRET)])
def test_the_body_is_not_in_the_repr(message):
    assert "secret" not in repr(message)
    assert "r0_join" in repr(message)


def test_the_digest_is_of_the_body_alone():
    assert parcel().digest() == hashlib.sha256(SECRET).digest()
    assert dataclasses.replace(parcel(), sequence=9).digest() == parcel().digest()


def test_what_is_known_of_a_stored_body_does_not_pass_to_a_copy_with_another(tmp_path):
    stored = parcel().stored_at(tmp_path / "body", parcel().digest())
    other = dataclasses.replace(stored, body=b"other")
    assert other.digest() == hashlib.sha256(b"other").digest()
    assert (stored.file, other.file) == (tmp_path / "body", None)
