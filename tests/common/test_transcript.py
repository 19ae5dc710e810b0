"""Transcripts: what reading refuses, and what the digest covers and leaves out."""

import json
import os
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from collude.common.errors import RunDirectoryInvalid
from collude.common.ids import Round
from collude.common.protocol.parcel import Parcel
from collude.common.transcript import (
    Entry,
    FileTranscript,
    MemoryTranscript,
    read_parcels,
    read_transcript,
    transcript_digest,
)

PARCELS = [
    Parcel(b"", "r0_join", "participant-0", "analyst", 0, b"join"),
    Parcel(b"s" * 32, "r3_upload", "participant-0", "analyst", 1, bytes(range(256))),
    Parcel(b"s" * 32, "r6_evaluate", "participant-0", "analyst", 2, b""),
]


@pytest.fixture
def folder(tmp_path):
    transcript = FileTranscript(tmp_path, "analyst", clock=lambda: 12.5)
    for parcel in PARCELS:
        transcript.record(parcel)
    return tmp_path


def entries(parcels=PARCELS) -> list[Entry]:
    transcript = MemoryTranscript()
    for parcel in parcels:
        transcript.record(parcel)
    return transcript.entries


def test_the_bodies_are_for_their_owner_alone_wherever_they_lie(folder):
    assert (folder / "analyst").stat().st_mode & 0o077 == 0


@pytest.mark.parametrize(
    "line", ["{", "[]", "7", '{"round": "r0_join"}', "null", '{"more": 1}', "\x00", "\ufeff{}"]
)
def test_a_line_that_cannot_be_read_is_refused_by_name(folder, line):
    with (folder / "analyst.jsonl").open("a") as file:
        file.write(line + "\n")
    with pytest.raises(RunDirectoryInvalid) as caught:
        read_transcript(folder, "analyst")
    assert caught.value.party == "analyst"
    assert "analyst.jsonl" in caught.value.field


def test_a_transcript_that_is_not_text_is_refused(folder):
    (folder / "analyst.jsonl").write_bytes(b"\xff\xfe")
    with pytest.raises(RunDirectoryInvalid):
        read_transcript(folder, "analyst")


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("sequence", "1"), ("sequence", True), ("sequence", 1.0), ("round", 3), ("sender", None),
        ("sha256", "xy"), ("sha256", "ab"), ("session", "0"), ("session", 1), ("bytes", "4"),
        ("blob", 7), ("at", "now"), ("receiver", "participant-0"), ("sequence", None),
    ],
)  # fmt: skip
def test_a_value_of_another_kind_is_refused(folder, field, value):
    path = folder / "analyst.jsonl"
    first, *rest = path.read_text().splitlines()
    changed = json.dumps(json.loads(first) | {field: value})
    path.write_text("\n".join([changed, *rest]) + "\n")
    with pytest.raises(RunDirectoryInvalid):
        read_transcript(folder, "analyst")


@pytest.mark.parametrize("blob", ["../elsewhere.bin", "/etc/hostname", "analyst/../../x.bin"])
def test_a_body_outside_the_folder_is_not_read(folder, blob):
    path = folder / "analyst.jsonl"
    first, *rest = path.read_text().splitlines()
    path.write_text("\n".join([json.dumps(json.loads(first) | {"blob": blob}), *rest]) + "\n")
    with pytest.raises(RunDirectoryInvalid):
        list(read_parcels(folder, "analyst"))


def test_a_body_that_was_changed_cut_or_removed_is_refused(folder):
    blob = folder / read_transcript(folder, "analyst")[1].blob
    original = blob.read_bytes()
    for changed in (original[:-1], original + b"\0", bytes([original[0] ^ 1]) + original[1:], b""):
        blob.write_bytes(changed)
        with pytest.raises(RunDirectoryInvalid, match="changed after the run"):
            list(read_parcels(folder, "analyst"))
    blob.unlink()
    with pytest.raises(RunDirectoryInvalid, match="missing"):
        list(read_parcels(folder, "analyst"))


def test_a_party_that_received_nothing_has_no_lines(tmp_path):
    assert read_transcript(tmp_path, "participant-0") == []
    assert list(read_parcels(tmp_path, "participant-0")) == []


def test_what_was_recorded_comes_back(folder):
    assert list(read_parcels(folder, "analyst")) == PARCELS
    assert [replace(e, blob="", at=0.0) for e in read_transcript(folder, "analyst")] == entries()
    assert {e.at for e in read_transcript(folder, "analyst")} == {12.5}


def test_the_body_is_on_disk_before_the_line_that_names_it(tmp_path, monkeypatch):
    synced = []
    real = os.fsync

    def fsync(descriptor):
        synced.append(os.readlink(f"/proc/self/fd/{descriptor}"))
        real(descriptor)

    monkeypatch.setattr(os, "fsync", fsync)
    FileTranscript(tmp_path, "analyst", clock=lambda: 0.0).record(PARCELS[0])
    assert [name.rsplit(".", 1)[1] for name in synced] == ["bin", "jsonl"]


# --- the digest -----------------------------------------------------------------------------


@given(st.permutations(range(len(PARCELS))))
def test_the_order_of_arrival_is_not_in_the_digest(order):
    listed = entries()
    assert transcript_digest([listed[i] for i in order]) == transcript_digest(listed)


@pytest.mark.parametrize(
    "change",
    [
        {"round": "r1_anchor_commit"}, {"sender": "participant-1"}, {"receiver": "participant-1"},
        {"sequence": 7}, {"body": b"joi"}, {"body": b"Join"},
    ],
)  # fmt: skip
def test_every_part_of_a_digested_message_is_in_the_digest(change):
    changed = [replace(PARCELS[0], **change), *PARCELS[1:]]
    assert transcript_digest(entries(changed)) != transcript_digest(entries())


def test_a_message_that_is_missing_or_there_twice_is_in_the_digest():
    assert transcript_digest(entries(PARCELS[1:])) != transcript_digest(entries())
    assert transcript_digest(entries([PARCELS[0], *PARCELS])) != transcript_digest(entries())


def test_times_files_sessions_and_later_rounds_are_not_in_the_digest():
    base = transcript_digest(entries())
    listed = [replace(e, at=9.0, blob="x", session="00") for e in entries()]
    assert transcript_digest(listed) == base
    later = [Round.ALIGN, Round.DELIVER, Round.EVALUATE]
    more = [replace(PARCELS[0], round=r.value, sequence=9) for r in later]
    assert transcript_digest(entries([*PARCELS, *more])) == base


def test_every_round_before_the_learning_is_in_the_digest():
    base = transcript_digest(entries())
    for name in ("JOIN", "ANCHOR_COMMIT", "ANCHOR_REVEAL", "ANCHOR_CONFIRM", "UPLOAD"):
        more = replace(PARCELS[0], round=Round[name].value, sequence=9)
        assert transcript_digest(entries([*PARCELS, more])) != base


def _stored(path, body=b"0123456789"):
    path.write_bytes(body)
    parcel = Parcel(b"s" * 32, "r3_upload", "participant-0", "analyst", 0, body)
    return parcel.stored_at(path, parcel.digest())


def test_a_body_that_lies_on_the_disk_is_not_written_again(tmp_path):
    parcel = _stored(tmp_path / "stored")
    FileTranscript(tmp_path, "analyst", clock=lambda: 0.0).record(parcel)
    (entry,) = read_transcript(tmp_path, "analyst")
    assert (tmp_path / entry.blob).samefile(tmp_path / "stored")
    (tmp_path / "stored").unlink()
    assert list(read_parcels(tmp_path, "analyst")) == [parcel]


def test_a_body_that_cannot_be_linked_is_copied(tmp_path):
    parcel = _stored(tmp_path / "stored")
    (tmp_path / "stored").unlink()  # as on another disk: there is nothing to link to
    FileTranscript(tmp_path, "analyst", clock=lambda: 0.0).record(parcel)
    assert list(read_parcels(tmp_path, "analyst")) == [parcel]


@pytest.mark.parametrize(("forced", "times"), [(True, 2), (False, 0)])
def test_only_a_forced_transcript_waits_for_the_disk(tmp_path, monkeypatch, forced, times):
    synced = []
    monkeypatch.setattr(os, "fsync", synced.append)
    FileTranscript(tmp_path, "analyst", lambda: 0.0, forced=forced).record(PARCELS[0])
    assert len(synced) == times
    assert len(read_transcript(tmp_path, "analyst")) == 1
