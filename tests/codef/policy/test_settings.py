"""Numbers that mean nothing are refused, each by its name, and so is what is no policy."""

import sys

import pytest

from collude.codef.policy import PolicySettings, noise_of, policy_of
from collude.common import plugins
from collude.common.errors import ParameterInvalid, PluginInvalid, PluginUnknown

PLAIN = {"policy": "success", "persons": 500, "silos": 20, "attributes": 3}

REFUSED = [
    ({"persons": 1}, "persons"),
    ({"silos": 0}, "silos"),
    ({"attributes": -1}, "attributes"),
    ({"gamma": 0.0}, "gamma"),
    ({"gamma": 1.1}, "gamma"),
    ({"max_success": 1.0}, "max_success"),
    ({"max_success": 0.0}, "max_success"),
    ({"delta": 0.0}, "delta"),
    ({"unit": 0.0}, "unit"),
    ({"epsilon": 0.0}, "epsilon"),
    ({"epsilon": float("nan")}, "epsilon"),
    ({"epsilon_after": -1.0}, "epsilon_after"),
    ({"epsilon_grid": ()}, "epsilon_grid"),
    ({"epsilon_grid": (1.0, 0.0)}, "epsilon_grid"),
    ({"epsilon_grid": (1.0, 0.5, 1.0)}, "epsilon_grid"),
    ({"bits": 63}, "bits"),
    ({"mechanism": "laplace"}, "mechanism"),
    # what a policy needs beyond that
    ({"max_success": 0.001}, "max_success"),  # below 1/n
    ({"max_success": 0.002}, "max_success"),  # exactly 1/n: not even one answer is safe
    ({"mechanism": "gaussian", "epsilon": 700.0}, "epsilon"),  # noise below the grid's
    ({"policy": "paper", "epsilon_after": 1.0}, "epsilon_after"),
    ({"policy": "information", "gamma": 1e-4}, "gamma"),  # not even one answer fits
    ({"policy": "information", "unit": 1e-9}, "unit"),  # 20 silos' counts would wrap
    ({"policy": "information", "attributes": 0, "bits": 22}, "unit"),
]


@pytest.mark.parametrize(("change", "field"), REFUSED, ids=str)
def test_numbers_out_of_range_are_refused_by_name(change, field):
    with pytest.raises(ParameterInvalid) as refused:
        policy_of(PolicySettings(**{**PLAIN, **change}))
    assert refused.value.field == field


def test_sums_that_just_do_not_wrap_are_taken():
    settings = {**PLAIN, "policy": "information"}
    cap = policy_of(PolicySettings(**settings)).cap
    bits = (20 * cap).bit_length()
    assert policy_of(PolicySettings(**settings, bits=bits)).cap == cap
    with pytest.raises(ParameterInvalid, match="stay below"):
        policy_of(PolicySettings(**settings, bits=bits - 1))


def test_an_unknown_policy_names_the_nearest():
    with pytest.raises(PluginUnknown, match="did you mean success"):
        policy_of(PolicySettings(**{**PLAIN, "policy": "sucess"}))


def test_the_three_policies_are_registered_like_any_plug_in():
    assert {"information", "paper", "success"} <= set(plugins.registered(plugins.POLICIES))
    assert plugins.POLICIES in plugins.GROUPS


def test_an_unknown_mechanism_lists_those_there_are():
    with pytest.raises(ParameterInvalid, match="rr or gaussian"):
        noise_of(PolicySettings(**PLAIN, mechanism="laplace"))


OTHER = """
class Made:
    name, leased, unit, cap, guarantee = "odd", True, None, CAP, "nothing"
    levels = LEVELS
    charge = charge_of_lease = grant = None

def make(settings):
    return Made()
"""


@pytest.mark.parametrize(
    ("levels", "cap"), [("()", 3), ("(1.0, 1.0)", 3), ("(0.5, 1.0)", 3), ("(0.0,)", 3), ("(1,)", 0)]
)
def test_a_plug_in_that_the_wire_cannot_carry_is_refused(levels, cap, tmp_path, monkeypatch):
    planted(tmp_path, monkeypatch, OTHER.replace("LEVELS", levels).replace("CAP", str(cap)))
    with pytest.raises(PluginInvalid, match="odd"):
        policy_of(PolicySettings(**{**PLAIN, "policy": "odd"}))


def test_a_plug_in_that_lacks_a_part_is_refused_and_the_part_named(tmp_path, monkeypatch):
    whole = OTHER.replace("LEVELS", "(1.0,)").replace("CAP", "1")
    planted(tmp_path, monkeypatch, whole.replace("charge_of_lease = ", ""))
    with pytest.raises(PluginInvalid, match="without charge_of_lease"):
        policy_of(PolicySettings(**{**PLAIN, "policy": "odd"}))


def planted(tmp_path, monkeypatch, module):
    folder = tmp_path / "odd-1.0.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: odd\nVersion: 1.0\n")
    (folder / "entry_points.txt").write_text("[collude.policies]\nodd = planted_odd:make\n")
    (tmp_path / "planted_odd.py").write_text(module)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "planted_odd", raising=False)
