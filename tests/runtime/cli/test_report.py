"""`collude report`: the report again, from what a run left."""

import pytest
from testkit.command import collude


def test_it_rewrites_report_and_figures(mine) -> None:
    said = collude("report", mine.root)
    assert said.code == 0, said.err
    first = mine.report.read_bytes()
    figures = {path.name for path in mine.figures.iterdir()}
    assert figures
    mine.report.write_text("old")
    for path in mine.figures.iterdir():
        path.unlink()
    said = collude("report", mine.root, "--json")
    assert said.json == {"report": str(mine.report)}
    assert mine.report.read_bytes() == first
    assert {path.name for path in mine.figures.iterdir()} == figures


def test_it_does_not_touch_what_the_run_left(mine) -> None:
    def others():
        kept = (p for p in mine.root.rglob("*") if p.is_file())
        return {p: p.read_bytes() for p in kept if p.parent != mine.figures and p != mine.report}

    before = others()
    assert collude("report", mine.root).code == 0
    assert others() == before


@pytest.mark.parametrize("name", ["nowhere", "."])
def test_only_a_run_directory_has_a_report(tmp_path, name) -> None:
    said = collude("report", tmp_path / name, "--json")
    assert (said.code, said.json["error"]["code"]) == (2, "E-RUN-DIR")
    assert not (tmp_path / "report.html").exists()


def test_a_damaged_file_is_named(mine) -> None:
    (mine.root / "results.json").write_text("{")
    said = collude("report", mine.root, "--json")
    assert (said.code, said.json["error"]["code"]) == (2, "E-RUN-DIR")
    assert "results.json" in said.json["error"]["field"]
