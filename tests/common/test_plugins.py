"""Plug-ins of another distribution, planted on the path."""

import sys

import pytest

from collude.common import plugins
from collude.common.errors import PluginInvalid, PluginUnknown

MODULE = "VALUE = 42\n"


@pytest.fixture
def plant(tmp_path, monkeypatch):
    """Install a distribution `other 1.0` whose entry points are given, by files alone."""

    def _plant(entry_points, module=MODULE, name="other"):
        folder = tmp_path / f"{name}-1.0.dist-info"
        folder.mkdir()
        (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        (folder / "entry_points.txt").write_text(entry_points)
        (tmp_path / f"planted_{name}.py").write_text(module)
        monkeypatch.syspath_prepend(str(tmp_path))
        return f"planted_{name}"

    yield _plant
    for module in [name for name in sys.modules if name.startswith("planted_")]:
        del sys.modules[module]


def test_an_unknown_name_is_refused_with_the_nearest_one():
    with pytest.raises(PluginUnknown, match="did you mean naa-gdp"):
        plugins.find(plugins.MECHANISMS, "naa-gpd")
    with pytest.raises(PluginUnknown):
        plugins.find("collude.nothing", "x")


def test_a_broken_plug_in_is_named_and_harms_no_other(plant):
    plant("[collude.mechanisms]\nbroken = planted_other:VALUE\n", "raise RuntimeError('boom')\n")
    assert plugins.find(plugins.MECHANISMS, "naa-gdp")
    assert "broken" in plugins.registered(plugins.MECHANISMS)
    for ask in (lambda: plugins.find(plugins.MECHANISMS, "broken"),
                lambda: plugins.load(plugins.MECHANISMS)):  # fmt: skip
        with pytest.raises(PluginInvalid, match=r"broken.*boom.*other 1\.0"):
            ask()


def test_a_missing_attribute_is_named(plant):
    plant("[collude.attacks]\ngone = planted_other:missing\n")
    with pytest.raises(PluginInvalid, match="gone"):
        plugins.find(plugins.ATTACKS, "gone")


def test_a_name_that_is_taken_is_refused(plant):
    plant("[collude.attacks]\nprocrustes = planted_other:VALUE\n")
    with pytest.raises(PluginInvalid, match=r"procrustes.*collude .* and other 1\.0"):
        plugins.find(plugins.ATTACKS, "procrustes")


def test_a_plug_in_of_another_distribution_is_found_with_its_origin(plant):
    plant("[collude.mechanisms]\nanswer = planted_other:VALUE\n")
    assert plugins.find(plugins.MECHANISMS, "answer") == 42
    assert plugins.load(plugins.MECHANISMS)["answer"] == 42
    assert plugins.provider(plugins.registered(plugins.MECHANISMS)["answer"]) == "other 1.0"


def test_looking_at_the_registry_imports_nothing(plant):
    module = plant("[collude.datasets]\nlazy = planted_other:VALUE\n")
    assert "lazy" in plugins.registered(plugins.DATASETS)
    assert module not in sys.modules


@pytest.mark.parametrize("group", plugins.GROUPS)
def test_every_built_in_entry_can_be_imported(group):
    built_in = {
        name: entry
        for name, entry in plugins.registered(group).items()
        if entry.value.startswith("collude.")
    }
    assert built_in
    assert all(plugins.find(group, name) is not None for name in built_in)
    assert list(built_in) == sorted(built_in)
