"""`collude plugins`: what can be named in a scenario."""

from testkit.command import collude

from collude.common.plugins import GROUPS


def test_it_lists_what_a_scenario_can_name() -> None:
    found = collude("plugins", "--json").json["plugins"]
    names = {(row["group"], row["name"]) for row in found}
    assert names >= {
        ("collude.attacks", "procrustes"),
        ("collude.mechanisms", "naa-gdp"),
        ("collude.alignments", "spectral"),
        ("collude.datasets", "digits"),
    }
    assert all(row["value"].count(":") == 1 and row["from"] for row in found)


def test_it_lists_the_same_as_a_table() -> None:
    said = collude("plugins")
    assert said.code == 0
    assert "procrustes" in said.out
    assert "collude.attacker.attacks.procrustes:Procrustes" in said.out, "whole, to be found"
    for group in GROUPS:
        assert said.out.count(group) == 1
    assert not said.err
