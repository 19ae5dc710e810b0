"""What an attack of somebody else's returns is looked at before it is scored."""

import sys

import numpy as np
import pytest
from testkit.asked_silos import Game, played

from collude.attacker.releases.campaign import posterior_by
from collude.common.errors import PluginInvalid, PluginUnknown

MODULE = """
import numpy as np

class Mine:
    name, title, source = "mine", "Mine", "made up"

    def missing(self, view):
        return ()

    def identify(self, view, rng):
        n = view.knowledge.persons
        handles = len(view.handles)
        return RETURNED
"""


def streams(purpose, counter):
    return np.random.default_rng(counter)


@pytest.fixture
def says(tmp_path, monkeypatch):
    """A view, and what the attack says of it whose `identify` returns this expression."""
    session, _ = played(Game(persons=6))
    folder = tmp_path / "other-1.0.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: other\nVersion: 1.0\n")
    (folder / "entry_points.txt").write_text("[collude.attacks]\nmine = planted_release:Mine\n")
    monkeypatch.syspath_prepend(str(tmp_path))

    def call(returned):
        (tmp_path / "planted_release.py").write_text(MODULE.replace("RETURNED", returned))
        monkeypatch.delitem(sys.modules, "planted_release", raising=False)
        return posterior_by("mine", session.results[0].view, streams, 0)

    return call


def test_a_posterior_is_taken(says):
    assert np.allclose(says("np.full((handles, n), 1 / n)"), 1 / 6)


@pytest.mark.parametrize(
    "returned",
    [
        "np.ones(3)",
        "np.full((n, handles + 1), 1 / n)",
        "np.ones((handles, n))",
        "np.full((handles, n), np.nan)",
        "np.eye(handles, n) * 2 - np.eye(handles, n)[::-1]",
        "np.eye(handles, n, dtype=int)",
        "None",
    ],
)
def test_what_is_no_posterior_is_refused_and_the_attack_named(says, returned):
    with pytest.raises(PluginInvalid, match=r"the attack mine returns no posterior .*sum 1"):
        says(returned)


def test_an_attack_that_nobody_registered_is_unknown(says):
    with pytest.raises(PluginUnknown):
        posterior_by("mime", None, streams, 0)
