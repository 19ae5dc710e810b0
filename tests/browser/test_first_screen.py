"""The report in a real browser: what stands on the first screen, on a desk and on a phone.

Chromium draws it, offline, driven over its DevTools pipe. Without Chromium these tests are
skipped; COLLUDE_REQUIRE_BROWSER=1 makes that a failure.
"""

import io
import os

import numpy as np
import pytest
from PIL import Image
from testkit.browser import browser, executable
from testkit.faces import make_demo
from testkit.shared import once

WIDE, PHONE = (1280, 800), (390, 844)
COLUMNS, PEOPLE = 5, 5

BOXES = """
[...document.querySelectorAll('.wall > li')].map(li => ({
  text: li.querySelector('h3').innerText,
  tag: li.querySelector('.tag').innerText,
  bottom: li.querySelector('.faces').getBoundingClientRect().bottom,
  sentence: li.querySelector('p').getBoundingClientRect().bottom,
  images: [...li.querySelectorAll('img')].map(i => {
    const box = i.getBoundingClientRect();
    return [box.left, box.top, box.right, box.bottom, i.naturalWidth];
  }),
}))
"""
OVERFLOW = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


def test_a_browser_is_there_where_it_must_be() -> None:
    if os.environ.get("COLLUDE_REQUIRE_BROWSER") == "1":
        assert executable(), "COLLUDE_REQUIRE_BROWSER=1, and no Chromium was found"


needs_browser = pytest.mark.skipif(executable() is None, reason="there is no Chromium")


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    folder = once(tmp_path_factory, "faces", lambda place: make_demo(place / "demo"))
    return folder / "demo" / "report.html"


@pytest.fixture(scope="module")
def tab(tmp_path_factory):
    with browser(tmp_path_factory.mktemp("profile")) as opened:
        yield opened


def shown(tab) -> np.ndarray:
    return np.asarray(Image.open(io.BytesIO(tab.screenshot())).convert("RGB"), dtype=float)


def patch(screen: np.ndarray, box) -> np.ndarray:
    left, top, right, bottom = (round(edge) for edge in box[:4])
    return screen[top:bottom, left:right].mean(axis=2)


@needs_browser
@pytest.mark.processes
class TestFirstScreen:
    @pytest.mark.parametrize("size", [WIDE, PHONE], ids=["desk", "phone"])
    def test_noise_and_person_are_seen_without_scrolling(self, tab, report, size) -> None:
        tab.open(report, *size)
        columns = tab.value(BOXES)
        assert len(columns) == COLUMNS
        assert [column["tag"] for column in columns[2:]] == ["Exact copy", "Noise", "Recognisable"]
        screen = shown(tab)
        assert screen.shape[:2] == (size[1], size[0])
        for column in columns:
            assert len(column["images"]) == PEOPLE
            assert column["bottom"] <= size[1]
            for box in column["images"]:
                assert box[4] == 64  # decoded
                assert box[2] - box[0] == pytest.approx(box[3] - box[1], abs=1)
                assert box[2] - box[0] >= 44
                assert patch(screen, box).std() > 4.0
        rough = [roughness(screen, column) for column in columns]
        best, exact, noise, person = rough[1:]
        assert noise > 1.5 * max(best, exact, person)

    @pytest.mark.parametrize("size", [WIDE, PHONE], ids=["desk", "phone"])
    def test_nothing_sticks_out_sideways(self, tab, report, size) -> None:
        tab.open(report, *size)
        assert tab.value(OVERFLOW) <= 0
        tab.value("document.querySelectorAll('details').forEach(d => d.open = true)")
        assert tab.value(OVERFLOW) <= 0

    def test_on_a_desk_each_column_has_its_sentence_on_the_first_screen(self, tab, report) -> None:
        tab.open(report, *WIDE)
        assert all(column["sentence"] <= WIDE[1] for column in tab.value(BOXES))

    def test_it_is_dark_where_the_reader_wants_it_dark(self, tab, report) -> None:
        tab.open(report, *WIDE)
        light = np.median(shown(tab)[:100])
        tab.open(report, *WIDE, dark=True)
        assert light > 200
        assert np.median(shown(tab)[:100]) < 60

    def test_nothing_is_fetched_but_the_page(self, tab, report) -> None:
        tab.requests.clear()
        tab.open(report, *WIDE)
        assert set(tab.requests) == {report.as_uri()}

    def test_a_screen_reader_is_told_what_is_shown(self, tab, report) -> None:
        tab.open(report, *WIDE)
        told = tab.accessible()
        names = {node["name"] for node in told if node["role"] in {"image", "img"}}
        assert "Person 1, original" in names
        assert "Person 5, rebuilt under NAA-GDP, s = 0.4, by Procrustes: noise" in names
        roles = [node["role"] for node in told]
        assert roles.count("main") == roles.count("banner") == 1
        assert all(node["name"] for node in told if node["role"] in {"region", "heading"})


def roughness(screen: np.ndarray, column) -> float:
    """How much neighbouring pixels of a column's pictures differ, on the average."""
    parts = [patch(screen, box) for box in column["images"]]
    return float(np.mean([np.abs(np.diff(part, axis=0)).mean() for part in parts]))
