"""Without an engine, or without the SDK: one clear line, and nothing is left behind."""

import sys

import pytest
from testkit.command import QUICKSTART, collude
from testkit.quick import quickstart

from collude.common.errors import ExtraMissing, ScenarioInvalid
from collude.runtime.compose.engine import connect
from collude.runtime.runner import RUNTIMES, Options, run_scenario


@pytest.fixture
def no_engine(monkeypatch, tmp_path):
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/nobody.sock")


def test_no_engine_answers(no_engine) -> None:
    with pytest.raises(ExtraMissing) as caught:
        connect()
    assert caught.value.field == "DOCKER_HOST"
    assert "\n" not in str(caught.value)


def test_an_address_that_is_none(monkeypatch) -> None:
    monkeypatch.setenv("DOCKER_HOST", "gopher://somewhere")
    with pytest.raises(ExtraMissing) as caught:
        connect()
    assert caught.value.field == "DOCKER_HOST"


def test_the_sdk_is_not_installed(monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "docker", None)
    with pytest.raises(ExtraMissing, match="docker SDK") as caught:
        connect()
    assert "collude[compose]" in (caught.value.hint or "")


def test_the_command_says_so_and_the_run_directory_too(no_engine, tmp_path) -> None:
    said = collude("run", QUICKSTART, "--runtime", "compose", "--out", tmp_path / "run", "--json")
    assert (said.code, said.json["error"]["code"]) == (2, "E-EXTRA")
    assert "no container engine answers" in (tmp_path / "run" / "status.json").read_text()


def test_images_need_an_engine(no_engine) -> None:
    said = collude("images", "--json")
    assert (said.code, said.json["error"]["code"]) == (2, "E-EXTRA")


def test_an_unknown_runtime_is_told_the_known_ones(tmp_path) -> None:
    with pytest.raises(ScenarioInvalid) as caught:
        run_scenario(quickstart(), Options(tmp_path / "run", runtime="podman"))
    assert caught.value.expected == " or ".join(RUNTIMES)
    assert "compose" in RUNTIMES
