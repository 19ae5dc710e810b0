"""Reading logs while somebody writes them."""

import json

from collude.common.logs import closing_log
from collude.runtime.timeline import Follower, entered, events


def test_there_may_be_no_log_yet(tmp_path) -> None:
    assert events(tmp_path / "none.jsonl") == []
    assert entered(tmp_path / "none.jsonl") is None


def test_an_unfinished_line_is_left_for_later(tmp_path) -> None:
    path = tmp_path / "log.jsonl"
    whole = json.dumps({"event": "entered", "round": "r0_join"})
    path.write_text(f'{whole}\n{{"event": "enter')
    assert [event["event"] for event in events(path)] == ["entered"]


def test_the_last_round_entered_counts(tmp_path) -> None:
    with closing_log("analyst", tmp_path / "log.jsonl") as log:
        log.info("entered", round="r0_join")
        log.info("entered", round="r3_upload")
        log.info("received", round="r1_anchor_commit")
    assert entered(tmp_path / "log.jsonl") == "r3_upload"


def test_a_follower_reads_each_line_once_and_leaves_an_unfinished_one(tmp_path) -> None:
    path = tmp_path / "log.jsonl"
    follower = Follower(path)
    assert follower.entered() is None
    path.write_text('{"event": "entered", "round": "r0_join"}\nno json\n{"event": "ent')
    assert follower.entered() == "r0_join"
    with path.open("a") as file:
        file.write('ered", "round": "r3_upload"}\n{"event": "other", "round": "x"}\n')
    assert follower.entered() == "r3_upload"
    assert follower.entered() == "r3_upload"
