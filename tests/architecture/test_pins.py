"""The pins, the ranges and the commands that people and CI use agree."""

import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS = PROJECT["optional-dependencies"]
REQUIREMENTS = sorted({
    *PROJECT["dependencies"],
    *(one for some in EXTRAS.values() for one in some),
})


def pins() -> dict[str, str]:
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pairs = (line.split("==") for line in lines if not line.startswith("#"))
    return {canonicalize_name(name): version for name, version in pairs}


@pytest.mark.parametrize("text", REQUIREMENTS)
def test_the_pin_lies_in_the_open_range(text: str) -> None:
    requirement = Requirement(text)
    assert pins()[canonicalize_name(requirement.name)] in requirement.specifier


@pytest.mark.parametrize("text", REQUIREMENTS)
def test_the_range_has_a_floor(text: str) -> None:
    assert ">=" in str(Requirement(text).specifier)


def test_the_extra_of_the_demo_can_train() -> None:
    assert set(EXTRAS["train"]) <= set(EXTRAS["demo"])


def test_a_pin_is_a_public_version() -> None:
    local = {name: version for name, version in pins().items() if "+" in version or "@" in name}
    assert not local


def test_ci_runs_the_test_command_of_the_readme() -> None:
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    commands = re.findall(r"^(make .*|\.?/?tools/.*|pytest.*|pip.*)$", script, flags=re.MULTILINE)
    assert commands == ["make test"]
    assert "\nmake test" in (ROOT / "README.md").read_text(encoding="utf-8")
