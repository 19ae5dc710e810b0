"""Help: there for every command, with an example, and quick."""

import os
import resource
import subprocess
import sys

import pytest
import typer
from testkit.command import COLLUDE, collude

from collude.runtime.cli.app import app

CPU_S = 0.4
TRIES = 5


def commands(group, path=()):
    for name, command in typer.main.get_command(group).commands.items():
        inner = getattr(command, "commands", None)
        yield from ((*path, name, n) for n in inner) if inner else [(*path, name)]


ALL = sorted(commands(app))


def test_the_commands_are_those_that_are_promised() -> None:
    promised = {"demo", "run", "attack", "report", "participant", "analyst", "colluder",
                "attacker", "plugins", "pki init", "pki check"}  # fmt: skip
    assert promised <= {" ".join(words) for words in ALL}


@pytest.mark.parametrize("words", ALL, ids=" ".join)
def test_help_of_a_command_has_an_example_of_it(words) -> None:
    said = collude(*words, "--help")
    assert said.code == 0
    assert f"Example: collude {' '.join(words)} " in " ".join(said.out.split())


@pytest.mark.parametrize("words", ALL, ids=" ".join)
def test_every_command_can_answer_in_json(words) -> None:
    assert "--json" in collude(*words, "--help").out


def test_the_overview_names_every_command_and_the_exit_codes() -> None:
    said = collude("--help")
    assert {words[0] for words in ALL} <= set(said.out.split())
    text = " ".join(said.out.split())
    assert (
        "0 fine, 2 bad usage or bad input, 3 a party failed or was refused, 4 a check did" in text
    )
    assert "130 interrupted" in text


def test_the_default_directory_is_readable_in_the_help() -> None:
    """Angle brackets would be taken for markup and left out."""
    assert "runs/NAME-TIME" in " ".join(collude("run", "--help").out.split())


@pytest.mark.skipif(sys.platform != "linux", reason="measures a child's CPU time")
def test_help_takes_little_time() -> None:
    def seconds() -> float:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([*COLLUDE, "--help"], check=True, capture_output=True, env=os.environ)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    assert any(seconds() < CPU_S for _ in range(TRIES))


@pytest.mark.parametrize(
    "words", [["nonsense"], ["run"], ["run", "x.toml", "--bogus"], ["attack"], ["pki"]]
)
def test_wrong_usage_ends_with_2(words) -> None:
    assert collude(*words).code == 2


@pytest.mark.parametrize("words", [["run"], ["run", "x.toml", "--seed", "seven"], ["attack"]])
def test_wrong_usage_is_one_json_document_too(words) -> None:
    said = collude(*words, "--json")
    assert (said.code, said.json["error"]["code"]) == (2, "E-USAGE")
    assert "Usage: collude" in said.err
