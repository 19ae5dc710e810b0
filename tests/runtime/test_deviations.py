"""A deviation is looked at before anybody runs it."""

import sys

import pytest

from collude.common.errors import PluginInvalid, PluginUnknown, ScenarioInvalid
from collude.runtime.deviators import deviation_of


def test_a_deviation_is_for_one_role():
    assert deviation_of("participant-1", "under-reporter").role == "participant"
    with pytest.raises(ScenarioInvalid, match="a coordinator"):
        deviation_of("participant-1", "false-lease")
    with pytest.raises(PluginUnknown, match="under-reporter"):
        deviation_of("participant-1", "underreporter")


@pytest.mark.parametrize(
    "body",
    [
        "Mute = 3",
        "class Mute: role = 'participant'",
        "from collude.runtime.deviators import Deviator\nclass Mute(Deviator): pass",
    ],
)
def test_what_is_no_deviation_is_refused_by_name(body, tmp_path, monkeypatch):
    folder = tmp_path / "other-1.0.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: other\nVersion: 1.0\n")
    (folder / "entry_points.txt").write_text("[collude.deviators]\nmute = planted_mute:Mute\n")
    (tmp_path / "planted_mute.py").write_text(body + "\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "planted_mute", raising=False)
    with pytest.raises(PluginInvalid, match="mute is no deviation"):
        deviation_of("participant-1", "mute")
