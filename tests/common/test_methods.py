"""The table of methods against the definitions it stands for."""

from collude.common.methods import METHODS


def test_the_seven_methods_are_those_of_the_paper():
    assert list(METHODS) == [
        "local", "c-gdp", "c-gdp-noise", "i-gdp", "aa-gdp", "aa-gdp-noise", "naa-gdp",
    ]  # fmt: skip


def _with(trait):
    return {name for name, traits in METHODS.items() if getattr(traits, trait)}


def test_who_uses_what():
    assert _with("uploads") == set(METHODS) - {"local"}
    assert _with("common_secret") == {"c-gdp", "c-gdp-noise"}
    assert _with("anchor") == {"aa-gdp", "aa-gdp-noise", "naa-gdp"}
    assert _with("anchor_noise") == {"naa-gdp"}
    assert _with("private_noise") == {"c-gdp-noise", "aa-gdp-noise"}
