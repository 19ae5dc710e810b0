"""What docs/risk.md says, computed again."""

import math
import re
from pathlib import Path

import pytest
from testkit.command import ROOT, collude

from collude.codef.budget import PaperRule
from collude.codef.leakage import rr_information
from collude.codef.risk import (
    critical_silos,
    exact_error,
    exact_error_mixed,
    largest_safe_count,
    success_bound,
)

TEXT = (ROOT / "docs" / "risk.md").read_text("utf-8")
ROW = r"^\| ([\d.]+) \| ([\d,]+) \| (\d+) \| ([\d.]+) % \| ([\d.]+) % \|$"
ROWS = re.findall(ROW, TEXT, flags=re.MULTILINE)


def test_the_table_is_found() -> None:
    assert len(ROWS) == 5


@pytest.mark.parametrize("row", ROWS)
def test_every_row_about_gamma(row: tuple[str, ...]) -> None:
    gamma, persons, count, estimated, guaranteed = (float(cell.replace(",", "")) for cell in row)
    assert count == math.floor(gamma * critical_silos(persons, rr_information(1.0)))
    assert estimated == pytest.approx(100 * (1 - exact_error(persons, 1.0, count)), abs=0.051)
    assert guaranteed == pytest.approx(100 * success_bound(persons, [(1.0, count)]), abs=0.051)


def test_the_numbers_in_the_text() -> None:
    assert largest_safe_count(500, 1.0, 0.1) == 12
    assert "at most 12 silos may answer" in TEXT
    rule = PaperRule(500, 1.0, 0.5, 0.8)
    first, last = rule.threshold(1.0), rule.threshold(0.5)
    stopped = exact_error_mixed(500, [(1.0, first), (0.5, last - first)])
    assert round(100 * (1 - exact_error(500, 1.0, first))) == 53
    assert round(100 * (1 - stopped)) == 86
    assert round(1 - exact_error(200, 1.0, 80), 2) == 0.92  # without a filter


def test_the_figure_is_what_the_command_draws(tmp_path: Path) -> None:
    file = tmp_path / "risk.svg"
    words = ("risk", "--persons", 500, "--epsilon", 1, "--silos", 40, "--plot", file)
    assert collude(*words).code == 0
    kept = (ROOT / "docs" / "figures" / "risk.svg").read_text("utf-8")

    def said(text: str) -> list[str]:
        return re.findall(r"<text[^>]*>([^<]+)</text>", text)

    assert said(kept) == said(file.read_text("utf-8"))
    assert any("GUARANTEED" in words for words in said(kept))
