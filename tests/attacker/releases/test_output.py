"""Releases on disk, and views out of transcripts alone."""

import json
from dataclasses import replace

import numpy as np
import pytest
from testkit.asked_silos import AnsweringSilo, Game
from testkit.naming import drawn, play

from collude.attacker.releases.channels import DiscreteGaussian, RandomisedResponse
from collude.attacker.releases.evidence import posterior_of
from collude.attacker.releases.output import (
    INDEX,
    RecordedPeriod,
    named_by,
    read_releases,
    write_releases,
)
from collude.attacker.releases.strategies import strategy_named
from collude.attacker.releases.strategies.everybody import Everybody
from collude.attacker.releases.transcripts import view_from_transcripts
from collude.attacker.releases.view import COLUMNS
from collude.common.errors import RunDirectoryInvalid
from collude.common.net.memory import FaultPlan
from collude.common.outcome import error_facts
from collude.common.protocol.recorded import Recorded
from collude.common.protocol.release_messages import Window
from collude.common.transcript import FileTranscript

BITS = RandomisedResponse((1.0, 0.5))


def period(name="success", channel=BITS, kind="plain"):
    rng = np.random.default_rng(4)
    view, _ = play(drawn((6, 4, 2), channel, rng, kind), Everybody(), rng, answers=3)
    named = {"maximum-likelihood": named_by(posterior_of(view))}
    return RecordedPeriod(name, view, 48, ({"party": "x"},), named, {"xor-pair": ("secrets",)})


@pytest.mark.parametrize("kind", ["plain", "xor"])
@pytest.mark.parametrize("channel", [BITS, DiscreteGaussian((1.5, 2.5), 2.0**-20)])
def test_what_is_written_is_read_again(tmp_path, channel, kind):
    written = [period("paper", channel, kind), period("success", channel, kind)]
    write_releases(tmp_path / "releases", written)
    read = read_releases(tmp_path / "releases")
    for one, other in zip(written, read, strict=True):
        assert (one.name, one.asked, one.notes, one.impossible) == (
            other.name, other.asked, other.notes, other.impossible,
        )  # fmt: skip
        assert one.view.handles == other.view.handles
        assert one.view.knowledge.channel == other.view.knowledge.channel
        assert one.view.knowledge.silos == other.view.knowledge.silos
        assert np.array_equal(one.view.knowledge.attributes, other.view.knowledge.attributes)
        for column in COLUMNS:
            assert np.array_equal(
                getattr(one.view.answers, column), getattr(other.view.answers, column)
            )
        assert np.array_equal(posterior_of(one.view), posterior_of(other.view))
        for column, value in vars(one.named["maximum-likelihood"]).items():
            assert np.array_equal(value, getattr(other.named["maximum-likelihood"], column))


def test_what_is_said_of_each_handle():
    said = named_by(np.array([[0.5, 0.25, 0.25], [0.4, 0.4, 0.2], [0.0, 1.0, 0.0]]))
    assert said.person.tolist() == [0, 0, 1]
    assert said.ties.tolist() == [1, 2, 1]
    assert said.probability.tolist() == [0.5, 0.4, 1.0]
    assert said.entropy == pytest.approx([1.5 * np.log(2), 1.0549202, 0.0])


def test_nothing_is_nothing(tmp_path):
    assert read_releases(tmp_path) is None


def test_names_that_are_paths_or_twice_are_refused(tmp_path):
    with pytest.raises(ValueError, match="cannot be the name"):
        write_releases(tmp_path, [period("../up")])
    with pytest.raises(ValueError, match="share a name"):
        write_releases(tmp_path, [period(), period()])


def damaged_index(folder):
    (folder / INDEX).write_text("{")


def missing_file(folder):
    (folder / "success.npz").unlink()


def truncated(folder):
    path = folder / "success.npz"
    path.write_bytes(path.read_bytes()[:200])


def objects(folder):
    np.savez(folder / "success.npz", handle=np.array([{}], dtype=object))


def another_level(folder):
    index = json.loads((folder / INDEX).read_text())
    index["periods"][0]["channel"]["epsilons"] = []
    (folder / INDEX).write_text(json.dumps(index))


def another_mechanism(folder):
    index = json.loads((folder / INDEX).read_text())
    index["periods"][0]["channel"]["mechanism"] = "laplace"
    (folder / INDEX).write_text(json.dumps(index))


def another_place(folder):
    index = json.loads((folder / INDEX).read_text())
    index["periods"][0]["name"] = "../success"
    (folder / INDEX).write_text(json.dumps(index))


@pytest.mark.parametrize(
    "damage",
    [
        damaged_index, missing_file, truncated, objects,
        another_level, another_mechanism, another_place,
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_refused(tmp_path, damage):
    write_releases(tmp_path, [period()])
    damage(tmp_path)
    with pytest.raises(RunDirectoryInvalid):
        read_releases(tmp_path)


def test_an_error_can_be_a_note(tmp_path):
    facts = error_facts(RunDirectoryInvalid("was not there", party="participant-1"))
    write_releases(tmp_path, [replace(period(), notes=(facts,))])
    assert read_releases(tmp_path)[0].notes == (facts,)


# --- transcripts ------------------------------------------------------------------------------


def recorded(game, folder, strategy, plan=None, **special):
    session = game.querier(lambda: strategy_named(strategy))
    parties = [session, *game.parties(**special)]
    recorders = [
        Recorded(party, FileTranscript(folder, party.name, lambda: 0.0)) for party in parties
    ]
    network = game.run(recorders[0], recorders[1:], plan)
    assert not network.failures
    keys = {name: game.key(name).public for name in game.names}
    knowledge = [game.knowledge(p) for p in range(game.periods)]
    return session, view_from_transcripts(folder, knowledge, keys)


def rows(view):
    columns = (getattr(view.answers, name).tolist() for name in COLUMNS)
    return list(zip(*columns, strict=True))


@pytest.mark.parametrize("strategy", ["everybody", "greedy-adaptive"])
def test_a_view_out_of_transcripts_is_the_querier_s(tmp_path, strategy):
    game = Game(persons=8, silos=3, attributes=2, epochs=2, periods=2)
    plan = FaultPlan(loss=0.1, duplicate=0.1, reorder=0.2, delay=(0.001, 0.05))
    session, views = recorded(game, tmp_path, strategy, plan)
    for result, view in zip(session.results, views, strict=True):
        assert sorted(rows(result.view)) == sorted(rows(view))
        assert result.view.handles == view.handles
        assert np.allclose(posterior_of(result.view), posterior_of(view), atol=1e-12)
        if strategy == "greedy-adaptive":  # one question at a time: in the same order
            for handle in range(game.persons):
                mine = [row for row in rows(result.view) if row[0] == handle]
                assert mine == [row for row in rows(view) if row[0] == handle]


def test_a_silo_that_shows_other_handles_is_left_out(tmp_path):
    game = Game(persons=20, silos=4)

    def other(message, _):
        if isinstance(message, Window) and message.handles:
            return replace(message, handles=bytes([1]) + message.handles[1:])
        return message

    liar = AnsweringSilo(game, "participant-1", other)
    session, (view,) = recorded(game, tmp_path, "everybody", participant_1=liar)
    assert sorted(rows(session.results[0].view)) == sorted(rows(view))


def test_an_answer_that_nobody_asked_for_is_refused(tmp_path):
    game = Game(persons=8, silos=3, periods=1)
    recorded(game, tmp_path, "everybody")
    (tmp_path / "participant-2.jsonl").unlink()
    keys = {name: game.key(name).public for name in game.names}
    with pytest.raises(RunDirectoryInvalid, match="participant-2"):
        view_from_transcripts(tmp_path, [game.knowledge()], keys)


def test_an_answer_about_a_handle_that_nobody_showed_is_refused(tmp_path):
    game = Game(persons=8, silos=3)
    recorded(game, tmp_path, "everybody")
    path = tmp_path / "attacker.jsonl"
    lines = path.read_text().splitlines(keepends=True)
    shown = [line for line in lines if json.loads(line)["round"] == "window"]
    # Of each silo's two windows that open, the first has the handles.
    first = {json.loads(line)["sender"]: line for line in reversed(shown)}
    path.write_text("".join(line for line in lines if line not in first.values()))
    keys = {name: game.key(name).public for name in game.names}
    with pytest.raises(RunDirectoryInvalid, match="not shown"):
        view_from_transcripts(tmp_path, [game.knowledge()], keys)


def test_more_periods_than_are_known_are_refused(tmp_path):
    game = Game(persons=8, silos=3, periods=2)
    recorded(game, tmp_path, "everybody")
    keys = {name: game.key(name).public for name in game.names}
    with pytest.raises(RunDirectoryInvalid, match="more periods"):
        view_from_transcripts(tmp_path, [game.knowledge()], keys)
