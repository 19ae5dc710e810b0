"""The digests in the results, and what `results.json` is made of."""

import hashlib
import json

import pytest

from collude.common.ids import ANALYST
from collude.common.transcript import Entry, transcript_digest
from collude.runtime.finish import entries, outcomes, results_digest
from collude.runtime.recorded import recorded_scenario

TAG = "collude/v1/transcript"
ROUNDS = ("r0_join", "r1_anchor_commit", "r1_anchor_reveal", "r1_anchor_confirm", "r3_upload")


def prefixed(part) -> bytes:
    raw = part if isinstance(part, bytes) else str(part).encode()
    return len(raw).to_bytes(4, "big") + raw


def recomputed(transcripts) -> str:
    """The digest once more, from the files and the page in the documentation alone."""
    items = []
    for path in transcripts.glob("*.jsonl"):
        for line in path.read_text().splitlines():
            entry = json.loads(line)
            if entry["round"] not in ROUNDS:
                continue
            body = (transcripts / entry["blob"]).read_bytes()
            parts = (entry["round"], entry["sender"], path.stem, entry["sequence"])
            items.append(b"".join(map(prefixed, (*parts, hashlib.sha256(body).digest()))))
    everything = b"".join(map(prefixed, (TAG, *sorted(items))))
    return hashlib.sha256(everything).hexdigest()


def test_the_digest_can_be_recomputed_from_the_files(finished) -> None:
    assert recomputed(finished.transcripts) == finished.results()["transcript_digest"]


def test_one_changed_byte_changes_it(mine) -> None:
    for blob in sorted(mine.transcripts.glob("*/*-r3_upload.bin")):
        content = blob.read_bytes()
        changed = bytearray(content)
        changed[len(changed) // 2] ^= 1
        blob.write_bytes(changed)
        assert recomputed(mine.transcripts) != mine.results()["transcript_digest"]
        blob.write_bytes(content)
    assert recomputed(mine.transcripts) == mine.results()["transcript_digest"]


def test_neither_order_nor_time_nor_later_rounds_enter(finished) -> None:
    found = entries(finished, recorded_scenario(finished))
    digest = finished.results()["transcript_digest"]
    assert transcript_digest(found) == digest
    assert transcript_digest(reversed(found)) == digest
    early = [e for e in found if e.round in ROUNDS]
    assert len(early) < len(found)
    assert transcript_digest(early) == digest
    later = [Entry(**{**vars_of(e), "at": 0.0, "blob": "", "session": ""}) for e in found]
    assert transcript_digest(later) == digest


def vars_of(entry):
    return {name: getattr(entry, name) for name in Entry.__slots__}


@pytest.mark.parametrize("field", ["round", "sender", "receiver", "sequence", "sha256"])
def test_what_was_sent_enters(finished, field) -> None:
    first, *rest = entries(finished, recorded_scenario(finished))
    other = {"round": "r3_upload", "sender": "x", "receiver": "x", "sequence": 99,
             "sha256": "00" * 32}[field]  # fmt: skip
    assert first.round in ROUNDS
    assert other != getattr(first, field)
    changed = Entry(**{**vars_of(first), field: other})
    assert transcript_digest([changed, *rest]) != finished.results()["transcript_digest"]


def test_every_message_counts_once(finished) -> None:
    found = entries(finished, recorded_scenario(finished))
    keys = [(e.sender, e.receiver, e.sequence) for e in found]
    assert len(set(keys)) == len(keys)


def test_the_last_digits_of_a_figure_do_not_enter_the_results_digest() -> None:
    figures = {"a": [0.123456789, {"b": 1e-9}], "c": None, "d": "text", "e": 3}
    near = {"e": 3, "d": "text", "c": None, "a": (0.1234567, {"b": 1.0000001e-9})}
    assert results_digest(figures) == results_digest(near)
    for other in ({"a": [0.12346]}, {"d": "other"}, {"e": 4}, {"c": 0.0}):
        assert results_digest(figures | other) != results_digest(figures)


def test_everybody_left_an_outcome(finished) -> None:
    left = outcomes(finished, recorded_scenario(finished))
    assert set(left) == {ANALYST, "participant-0", "participant-1", "participant-2", "attacker"}
    assert {outcome.state for outcome in left.values()} == {"finished"}
    assert left[ANALYST].result["left_out"] == []
