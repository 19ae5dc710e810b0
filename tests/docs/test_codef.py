"""What docs/codef.md says: its table is the scenario's section, and its plug-in runs."""

import re

import numpy as np
import pytest
from testkit.command import ROOT

from collude.codef.policy import WITHHELD, PolicySettings
from collude.codef.policy.allot import allot
from collude.common.scenario.codef_sections import Codef

TEXT = (ROOT / "docs" / "codef.md").read_text("utf-8")
SECTION = TEXT[TEXT.index("## `[codef]`") : TEXT.index("## One answer tells nothing")]
ROWS = dict(re.findall(r"^\| `(\w+)` \| ([^|]+) \|", SECTION, flags=re.MULTILINE))
ELSEWHERE = {"silos", "policies", "threshold", "noise_table"}
"""Keys whose default is said in words."""


def test_every_key_stands_in_the_table_and_no_other() -> None:
    assert set(ROWS) == set(Codef.model_fields)


@pytest.mark.parametrize("key", sorted(set(ROWS) - ELSEWHERE))
def test_the_defaults_are_those_of_the_section(key) -> None:
    default, said = getattr(Codef(), key), ROWS[key].strip()
    if isinstance(default, tuple):
        assert tuple(float(part) for part in said.split(",")) == default
    elif isinstance(default, bool):
        assert said == str(default).lower()
    elif isinstance(default, str):
        assert said == f'"{default}"'
    else:
        assert float(said) == default


def test_the_default_threshold_is_the_formula() -> None:
    assert ROWS["threshold"].strip() == "floor(2K/3) + 1"
    assert [Codef().threshold_of(silos) for silos in (3, 4, 20)] == [3, 3, 14]


def test_the_smallest_policy_runs() -> None:
    (source,) = re.findall(r"```python\n(.*?)```", TEXT, flags=re.DOTALL)
    made: dict = {}
    exec(source, made)
    policy = made["Silence"](PolicySettings("silence", persons=4, silos=3, attributes=2))
    grant = policy.grant(np.zeros(4, dtype=np.int64), 3, 1)
    lots = allot(grant, ["a", "b", "c"], 1, b"seed")
    assert all((lot.levels == WITHHELD).all() and not lot.slots.any() for lot in lots.values())
    assert policy.charge_of_lease(0, 2) == 2


def test_files_to_read_first_exist() -> None:
    named = re.findall(r"`((?:codef|attacker|runtime|deploy)/[\w/.-]+)`", TEXT)
    assert len(named) > 6
    for path in named:
        assert (ROOT / path).is_file(), path
