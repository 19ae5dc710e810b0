"""The registry of reconstruction attacks."""

import pytest

from collude.attacker.attacks import membership_registry, registry, release_registry
from collude.common.errors import PluginInvalid


def test_it_holds_what_works_and_nothing_else():
    assert list(registry()) == [
        "alignment-map", "centred-procrustes", "exact-inversion", "moment-map", "moore-penrose",
        "procrustes", "shrunk-centre", "wiener",
    ]  # fmt: skip
    assert list(membership_registry()) == ["distance-inference"]
    assert list(release_registry()) == [
        "greedy-adaptive",
        "maximum-likelihood",
        "one-to-one",
        "xor-pair",
    ]


def test_every_attack_says_what_it_is():
    for name, attack in (registry() | release_registry() | membership_registry()).items():
        assert attack.name == name
        assert attack.title
        assert attack.source


def test_it_cannot_be_changed():
    with pytest.raises(TypeError, match="item assignment"):
        registry()["procrustes"] = None


@pytest.mark.parametrize(
    "body",
    ["class Mine: name = 'mine'", "import types; Mine = types.SimpleNamespace()", "Mine = 3"],
)
def test_a_plug_in_that_is_no_attack_is_refused_by_name(body, tmp_path, monkeypatch):
    folder = tmp_path / "other-1.0.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: other\nVersion: 1.0\n")
    (folder / "entry_points.txt").write_text("[collude.attacks]\nmine = planted_attack:Mine\n")
    (tmp_path / "planted_attack.py").write_text(body + "\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(PluginInvalid, match="mine"):
        registry()
    monkeypatch.delitem(__import__("sys").modules, "planted_attack")
