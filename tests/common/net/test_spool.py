"""What lies on the disk of an upload, at every moment at which a process can end."""

import dataclasses
import hashlib
import os
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st
from testkit.disk import files_up_to, lies_in, without_privileges

from collude.common.errors import UploadOverQuota, WireInvalid
from collude.common.net.head import head_of
from collude.common.net.part import SYNC_BYTES
from collude.common.net.quota import Quota
from collude.common.net.spool import Spool
from collude.common.protocol.parcel import Parcel

BODY = bytes(range(256)) * 40_000  # over one flush
HEAD = head_of(Parcel(b"session", "r3_upload", "participant-0", "analyst", 3, BODY))
EXIT = 9


def head(**changes):
    return dataclasses.replace(HEAD, **changes)


@pytest.fixture
def spool(tmp_path):
    return Spool(tmp_path)


def finished(spool, head_=HEAD, body=BODY):
    part = spool.open(head_)
    part.write([body[part.received :]])
    path = part.finish()
    part.close()
    return path


@pytest.mark.parametrize(
    ("wrong", "body"),
    [
        ({"sha256": bytes(32)}, BODY),
        ({}, BODY[:-1]),
        ({}, BODY[:-1] + b"x"),
        ({"length": len(BODY) + 1}, BODY),
    ],
    ids=["checksum", "too short", "another body", "declared too long"],
)
def test_a_body_that_is_not_what_was_declared_is_not_accepted(spool, tmp_path, wrong, body):
    part = spool.open(head(**wrong))
    part.write([body])
    with pytest.raises(WireInvalid, match="checksum") as caught:
        part.finish()
    assert caught.value.party == "participant-0"
    part.discard()
    assert lies_in(tmp_path) == []


def test_a_closed_part_takes_no_more(spool):
    part = spool.open(HEAD)
    part.write([BODY[:10]])
    part.close()
    part.write([BODY[10:]])
    with pytest.raises(OSError, match="closed"):
        part.finish()
    assert spool.open(HEAD).received == 10


@given(st.lists(st.integers(1, 300), max_size=200))
def test_pieces_of_any_size_come_together_as_they_were_cut(tmp_path_factory, cuts):
    spool = Spool(tmp_path_factory.mktemp("spool"))
    body = BODY[: sum(cuts)] or b"x"
    whole = head_of(Parcel(b"", "r3_upload", "participant-0", "analyst", 0, body))
    part, pieces, start = spool.open(whole), [], 0
    for size in cuts:
        pieces.append(memoryview(body)[start : start + size])
        start += size
    part.write(pieces or [b"x"])
    path = part.finish()
    part.close()
    assert path.read_bytes() == body


def test_what_was_received_is_accepted_whole_and_private(spool, tmp_path):
    path = finished(spool)
    assert path.read_bytes() == BODY
    assert lies_in(tmp_path) == [".whole"]
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700


def test_the_disk_space_is_taken_before_anything_comes(spool, tmp_path):
    part = spool.open(HEAD)
    (path,) = (p for p in tmp_path.rglob("*.part"))
    assert path.stat().st_size == len(BODY)
    assert path.stat().st_blocks * 512 >= len(BODY)
    part.discard()
    assert lies_in(tmp_path) == []


@pytest.mark.skipif(not os.path.exists("/proc/self/fd"), reason="no /proc here")
def test_the_order_in_which_things_reach_the_disk(spool, monkeypatch):
    """Bytes before the mark that vouches for them; all of them before the name; then the name."""
    done = []

    def noting(call):
        real = getattr(os, call)

        def noted(where, *rest):
            target = os.readlink(f"/proc/self/fd/{where}") if isinstance(where, int) else str(where)
            kind = target.rpartition(".")[2] if "." in target else "folder"
            done.append(f"{call} {kind}")
            return real(where, *rest)

        monkeypatch.setattr(os, call, noted)

    part = spool.open(HEAD)
    for call in ("pwritev", "pwrite", "fdatasync", "fsync", "replace"):
        noting(call)
    part.write([BODY])
    assert done == ["pwritev part", "fdatasync part", "pwrite mark"]
    done.clear()
    part.finish()
    assert done == [
        "fdatasync part", "pwrite mark", "fsync part", "replace part", "fsync folder",
    ]  # fmt: skip


def test_bytes_count_as_stored_only_once_they_are_flushed(spool):
    part = spool.open(HEAD)
    part.write([BODY[: SYNC_BYTES - 1]])
    assert (part.received, part.stored) == (SYNC_BYTES - 1, 0)
    part.write([BODY[SYNC_BYTES - 1 : SYNC_BYTES]])
    assert part.stored == SYNC_BYTES
    part.close()


@pytest.mark.parametrize("mark", [b"", b"1", (len(BODY) + 1).to_bytes(8, "big"), b"\xff" * 8])
def test_a_mark_that_cannot_be_means_that_nothing_came(spool, tmp_path, mark):
    part = spool.open(HEAD)
    part.write([BODY[:100]])
    part.close()
    (path,) = tmp_path.rglob("*.mark")
    path.write_bytes(mark)
    assert spool.open(HEAD).received == 0
    assert finished(spool).read_bytes() == BODY


def test_bytes_that_changed_on_the_disk_meanwhile_are_not_accepted(spool, tmp_path):
    part = spool.open(HEAD)
    part.write([BODY[:100]])
    part.close()
    (path,) = tmp_path.rglob("*.part")
    with path.open("r+b") as file:
        file.write(b"changed")
    part = spool.open(HEAD)
    part.write([BODY[100:]])
    with pytest.raises(WireInvalid):
        part.finish()


@pytest.mark.parametrize("field", [f.name for f in dataclasses.fields(HEAD)])
def test_a_head_that_differs_in_anything_is_another_transfer(spool, field):
    part = spool.open(HEAD)
    part.write([BODY[:100]])
    part.close()
    value = getattr(HEAD, field)
    changed = value + {int: 1, str: "x", bytes: b"x"}[type(value)]
    assert spool.open(head(**{field: changed})).received == 0
    assert spool.open(HEAD).received == 100


def test_a_session_clears_away_what_others_left(spool, tmp_path):
    finished(spool)
    spool.open(head(session=b"earlier")).close()
    spool.keep_only(b"session")
    assert lies_in(tmp_path) == [".whole"]
    spool.keep_only(None)
    assert list(tmp_path.iterdir()) == []


def test_a_party_has_one_unfinished_part(spool, tmp_path):
    finished(spool)
    spool.open(head(sequence=4)).close()
    spool.open(head(sequence=4, sender="participant-1")).close()
    spool.drop_others(head(sequence=5))
    assert lies_in(tmp_path) == [".part", ".whole"]
    spool.drop_others(head(sequence=4, sender="participant-1"))
    assert lies_in(tmp_path) == [".part", ".whole"]


def test_an_accepted_body_is_found_again_unless_it_was_changed(spool):
    assert spool.whole(HEAD) is None
    path = finished(spool)
    assert spool.whole(HEAD) == path
    path.write_bytes(BODY[:-1] + b"x")
    assert spool.whole(HEAD) is None
    assert not path.exists()


@pytest.mark.parametrize("name", ["round", "session", "spool"])
def test_what_is_over_a_quota_is_refused_and_the_quota_named(spool, name):
    finished(spool)
    limits = {name: 2 * len(BODY) - 1}
    with pytest.raises(UploadOverQuota) as caught:
        Quota(**limits).check(head(sequence=4), spool)
    assert (caught.value.party, caught.value.field) == ("participant-0", f"quota.{name}")
    Quota(**{name: 2 * len(BODY)}).check(head(sequence=4), spool)


def test_quotas_are_of_one_party_round_and_session_and_what_was_given_up_is_free(spool):
    finished(spool)
    quota = Quota(round=len(BODY), session=2 * len(BODY), spool=3 * len(BODY))
    quota.check(head(sender="participant-1"), spool)
    quota.check(head(round="r6_evaluate"), spool)
    quota.check(head(session=b"next"), spool)
    part = spool.open(head(sender="participant-1"))
    with pytest.raises(UploadOverQuota, match="round"):
        quota.check(head(sender="participant-1", sequence=4), spool)
    part.discard()
    quota.check(head(sender="participant-1", sequence=4), spool)


@pytest.mark.parametrize(("end", "left"), [("finish", len(BODY)), ("discard", 0)])
def test_a_body_that_is_accepted_or_discarded_while_it_is_counted(spool, end, left):
    parts = {name: spool.open(head(sender=name)) for name in ("participant-0", "participant-1")}
    for part in parts.values():
        part.write([BODY])
    held = spool.held(HEAD.session)
    first = next(held)  # the folder has been read now
    (other,) = (part for name, part in parts.items() if name != first.sender)
    getattr(other, end)()
    assert [body.bytes for body in held] == [left]


# --- a process that ends -----------------------------------------------------------------------

_PROCESS = """
import os, sys
from pathlib import Path
from collude.common.net.head import Head
from collude.common.net.spool import Spool

folder, moment, body = Path(sys.argv[1]), sys.argv[2], bytes(range(256)) * 40_000
head = Head(b"session", "r3_upload", "participant-0", "analyst", 3, len(body),
            bytes.fromhex(sys.argv[3]))
part = Spool(folder, lambda: os._exit(9)).open(head)
part.write([body[:9_000_000]])
if moment == "half way":
    os._exit(9)
part.write([body[9_000_000:]])
part.finish()
"""


@pytest.mark.parametrize(
    ("moment", "resumed_from"), [("half way", 9_000_000), ("before the rename", len(BODY))]
)
def test_a_process_that_dies_leaves_nothing_accepted_and_its_part(
    spool, tmp_path, moment, resumed_from
):
    digest = hashlib.sha256(BODY).hexdigest()
    command = [sys.executable, "-c", _PROCESS, str(tmp_path), moment, digest]
    assert subprocess.run(command, check=False).returncode == EXIT
    assert lies_in(tmp_path) == [".mark", ".part"]
    assert spool.whole(HEAD) is None
    part = spool.open(HEAD)
    assert (part.received, part.stored) == (resumed_from, resumed_from)
    part.close()
    assert finished(spool).read_bytes() == BODY


# --- a disk that refuses -----------------------------------------------------------------------


def test_a_disk_without_room_is_met_before_anything_comes_and_nothing_is_left(spool, tmp_path):
    with files_up_to(len(BODY) - 1), pytest.raises(OSError, match="large"):
        spool.open(HEAD)
    assert lies_in(tmp_path) == []
    assert finished(spool).read_bytes() == BODY


@pytest.fixture
def full_disk(tmp_path):
    size = len(BODY) // 2
    mount = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(tmp_path)]
    if os.geteuid() != 0 or subprocess.run(mount, check=False, capture_output=True).returncode:
        pytest.skip("only root can mount a small disk")
    yield tmp_path
    subprocess.run(["umount", str(tmp_path)], check=True)


def test_a_disk_that_is_really_full_likewise(full_disk):
    spool = Spool(full_disk)
    with pytest.raises(OSError, match="No space"):
        spool.open(HEAD)
    assert lies_in(full_disk) == []


def test_a_folder_that_cannot_be_written_is_an_error_and_nothing_is_left(spool, tmp_path):
    with without_privileges(tmp_path), pytest.raises(PermissionError):
        spool.open(HEAD)
    assert lies_in(tmp_path) == []
    assert finished(spool).read_bytes() == BODY
