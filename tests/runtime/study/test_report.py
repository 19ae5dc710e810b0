"""The report: one file, with the table, the figure and the games."""

import re
import sys

import pytest

from collude.runtime.study.engine import Asked, execute
from collude.runtime.study.figure import png
from collude.runtime.study.kept import StudyDirectory
from collude.runtime.study.report import kind, page
from collude.runtime.study.write import write_study
from collude.studies.registry import STUDIES


@pytest.fixture(scope="module")
def found():
    return execute(Asked(STUDIES["bound-check"], "smoke", check=True), None, lambda _: None)


def test_every_claim_stands_there_with_its_colour(found) -> None:
    text = page(found, None)
    for claim in found.outcome.claims:
        assert claim.verdict in text
    assert text.count('class="verdict ') == len(found.outcome.claims)
    assert 'class="verdict false">FALSE' in text
    assert 'class="verdict holds">holds' in text
    assert "matplotlib is not installed" in text


def test_the_page_needs_nothing_else(found) -> None:
    text = page(found, png(found.asked.study.figure(found.outcome.rows)))
    addresses = re.findall(r'(?:src|href)="([^"]{0,30})', text)
    assert addresses
    assert all(address.startswith("data:image/png;base64,") for address in addresses)
    assert "http" not in text
    assert "Monte Carlo beside the exact formula" in text
    assert "seed" in text


def test_without_games_it_says_how_to_play_them() -> None:
    exact = execute(Asked(STUDIES["bound-check"], "smoke"), None, lambda _: None)
    assert "--check adds Monte Carlo" in page(exact, None)


@pytest.mark.parametrize(
    ("verdict", "colour"),
    [
        ("holds", "holds"),
        ("holds: but the band is very wide", "holds"),
        ("FALSE", "false"),
        ("FALSE: it saturates", "false"),
        ("linear: yes; near-unit slope: FALSE", "false"),
        ("only roughly", "other"),
        ("holds for ever more silos only", "other"),
        ("holds if it decides without the answer; FALSE for the naive one", "other"),
    ],
)
def test_the_colour_of_a_verdict(verdict: str, colour: str) -> None:
    assert kind(verdict) == colour


@pytest.mark.parametrize("name", STUDIES)
def test_every_study_draws(name: str) -> None:
    asked = Asked(STUDIES[name], "smoke")
    rows = execute(asked, None, lambda _: None).outcome.rows
    drawn = png(STUDIES[name].figure(rows))
    assert drawn.startswith(b"\x89PNG")
    assert drawn == png(STUDIES[name].figure(rows))  # nothing of the time inside


def test_without_matplotlib_there_is_a_report_without_a_figure(
    found, tmp_path, monkeypatch
) -> None:
    for name in [name for name in sys.modules if name.split(".")[0] == "matplotlib"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    place = StudyDirectory.open(tmp_path / "s", "bound-check", "smoke", 94, resume=False)
    write_study(found, place)
    assert {file.name for file in (tmp_path / "s").iterdir()} == {
        "cells", "status.json", "study.json", "report.html",
    }  # fmt: skip
