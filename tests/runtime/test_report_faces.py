"""The report of a demo on faces: the first screen, what is counted, and what it admits."""

import base64
import io
import json
import re
import shutil
from html.parser import HTMLParser

import numpy as np
import pytest
from PIL import Image
from testkit.faces import RUNS, make_demo
from testkit.shared import once

from collude.common.transcript import read_transcript
from collude.runtime.report import write_report
from collude.runtime.report.images import grey_png, tile
from collude.runtime.report.knowledge import SECRETS, knowledge
from collude.runtime.report.page import build_page
from collude.runtime.report.stored import StoredRun, read_runs
from collude.runtime.report.traffic import size, traffic
from collude.runtime.report.words import ABSENT
from collude.runtime.rundir import RunDirectory

COLUMNS, PEOPLE = 5, 5


@pytest.fixture(scope="module")
def demo(tmp_path_factory) -> RunDirectory:
    folder = once(tmp_path_factory, "faces", lambda place: make_demo(place / "demo"))
    return RunDirectory(folder / "demo")


@pytest.fixture(scope="module")
def html(demo) -> str:
    return demo.report.read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def runs(demo) -> dict[str, StoredRun]:
    return {run.name: run for run in read_runs(demo)}


class Outline(HTMLParser):
    """Every element with its attributes, in order; text by the element that it stands in."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.styles: list[str] = []
        self._in_style = False
        self.feed(page)

    def handle_starttag(self, tag, attributes) -> None:
        self.elements.append((tag, dict(attributes)))
        self._in_style = tag == "style"

    def handle_data(self, data) -> None:
        if self._in_style:
            self.styles.append(data)

    def all(self, tag):
        return [attributes for name, attributes in self.elements if name == tag]


def pixels(address: str) -> np.ndarray:
    png = base64.b64decode(address.split(",")[1])
    return np.asarray(Image.open(io.BytesIO(png)), dtype=float)


def wall(html: str) -> list[dict]:
    """The first screen's columns: heading, tag, pictures."""
    part = html[html.index('<ul class="wall') : html.index("</ul>", html.index('<ul class="wall'))]
    columns = []
    for item in part.split("<li ")[1:]:
        heading = re.sub(r"<[^>]+>", " ", item[item.index("<h3>") : item.index("</h3>")])
        columns.append({
            "heading": " ".join(heading.split()),
            "tag": re.search(r'<span class="tag">([^<]+)', item)[1],
            "pictures": [pixels(src) for src in re.findall(r'<img src="([^"]+)"', item)],
            "sentence": re.search(r"<p>([^<]+)</p>", item)[1],
        })
    return columns


def test_the_first_screen_comes_first_and_shows_people_in_five_columns(html) -> None:
    assert html.index('class="wall') < html.index("<h2")
    columns = wall(html)
    assert [column["heading"] for column in columns] == [
        "Original of participant-1, synthetic",
        "At best after compression",
        "C-GDP, AA-GDP no noise Exact inversion",
        "NAA-GDP noise s = 0.4 Procrustes (published)",
        "NAA-GDP noise s = 0.4 Shrunk centre",
    ]
    for column in columns:
        assert len(column["pictures"]) == PEOPLE
        assert len({picture.tobytes() for picture in column["pictures"]}) == PEOPLE


def test_noise_and_person_stand_side_by_side(html) -> None:
    original, best, exact, noise, person = wall(html)
    assert [c["tag"] for c in (exact, noise, person)] == ["Exact copy", "Noise", "Recognisable"]

    def error(column) -> float:
        pairs = zip(column["pictures"], best["pictures"], strict=True)
        return float(np.mean([np.mean((a - b) ** 2) for a, b in pairs]))

    assert error(exact) < 0.1  # rounding to whole grey levels
    assert error(noise) > 2.5 * error(person)
    assert error(original) > error(exact)
    assert "The eye sees noise" in noise["sentence"]
    assert "The eye sees the person" in person["sentence"]


def test_sentences_say_what_the_auditor_found(html, runs) -> None:
    scores = {s.name: s for s in runs["naa-gdp-s0.4"].scores()}
    shown = dict(zip(("procrustes", "shrunk-centre"), wall(html)[-2:], strict=True))
    for attack, column in shown.items():
        hits = f"in {100 * scores[attack].linkage:.0f} of 100 tries; a guess, 10."
        assert hits in column["sentence"]


def test_faces_are_no_negatives_and_digits_are_ink() -> None:
    record = np.array([0.0, 0.25, 1.0, 2.0])
    np.testing.assert_array_equal(pixels(tile(record, (2, 2))), [[0, 64], [255, 255]])
    np.testing.assert_array_equal(pixels(tile(record, (2, 2), ink=True)), [[255, 191], [0, 0]])


def test_the_png_is_what_another_decoder_reads() -> None:
    image = np.random.default_rng(1).integers(0, 256, (7, 13), dtype=np.uint8)
    read = Image.open(io.BytesIO(grey_png(image)))
    assert (read.mode, read.size) == ("L", (13, 7))
    np.testing.assert_array_equal(np.asarray(read), image)


def test_whoever_cannot_see_it_is_told(html) -> None:
    outline = Outline(html)
    assert outline.all("html") == [{"lang": "en"}]
    assert [len(outline.all(tag)) for tag in ("header", "main", "h1")] == [1, 1, 1]
    images = outline.all("img")
    assert len(images) > COLUMNS * PEOPLE
    assert all(image.get("alt") for image in images)
    assert images[0]["alt"] == "Person 1, original"
    assert "Person 2, rebuilt under NAA-GDP, s = 0.4, by Procrustes: noise" in [
        image["alt"] for image in images
    ]
    assert all(cell.get("scope") in {"row", "col"} for cell in outline.all("th"))
    named = [s.get("aria-label") or s.get("aria-labelledby") for s in outline.all("section")]
    assert all(named)
    ids = {attributes["id"] for _, attributes in outline.elements if "id" in attributes}
    assert {s["aria-labelledby"] for s in outline.all("section") if "aria-labelledby" in s} <= ids
    regions = [d for d in outline.all("div") if d.get("role") == "region"]
    assert regions
    assert all(d["aria-label"] and d["tabindex"] == "0" for d in regions)


def test_nothing_is_fetched(html) -> None:
    outline = Outline(html)
    tags = {tag for tag, _ in outline.elements}
    assert not tags & {"script", "link", "iframe", "object", "embed", "video", "audio", "base"}
    for _, attributes in outline.elements:
        for key in ("src", "href", "srcset", "action", "data", "poster"):
            assert attributes.get(key, "data:").startswith("data:")
        assert not any(key.startswith("on") for key in attributes)
    style = "".join(outline.styles)
    assert "url(" not in style
    assert "@import" not in style
    assert "default-src 'none'" in html


def test_utility_stands_beside_linkage_with_ceiling_floor_and_chance(demo, html) -> None:
    scores = RunDirectory(demo.root / "runs" / "naa-gdp-s0.4").results()["attacks"]
    table = html[html.index('aria-label="Utility and linkage"') :]
    row = table[table.index("NAA-GDP") : table.index("</tr>", table.index("NAA-GDP"))]
    cells = [re.sub(r"<[^>]+>", "", c) for c in re.findall(r"<td[^>]*>(.*?)</td>", row)]
    plain = [cell.replace("\N{NO-BREAK SPACE}", " ") for cell in cells]
    leak, low, high = scores["leakage"], *scores["leakage"]["interval"]
    assert plain[3] == f"{100 * leak['linkage']:.0f} %"
    assert plain[4] == f"{100 * low:.0f} to {100 * high:.0f} %"
    assert plain[5] == f"{100 * scores['ceiling']:.0f} %"
    assert plain[6] in {f"{100 * scores['floor']:.0f} %", f"{100 * scores['floor']:.2g} %"}
    assert "A guess gets 10" in html
    assert scores["auditor"]["sha256"][:12] in html


def test_without_an_auditor_the_page_does_without_linkage(demo, tmp_path) -> None:
    root = tmp_path / "demo"
    shutil.copytree(demo.root, root)
    for path in root.glob("runs/*/results.json"):
        results = json.loads(path.read_text())
        if results["attacks"]:
            blank = dict.fromkeys(("ceiling", "floor", "chance", "controls", "auditor"))
            results["attacks"] |= blank
            for score in results["attacks"]["attacks"]:
                score |= {"linkage": None, "interval": None}
            path.write_text(json.dumps(results))
    html = write_report(root).read_text(encoding="utf-8")
    assert "Utility and linkage" not in html
    assert "Matching software" not in html
    assert "Easy to recognise" in wall(html)[-1]["sentence"]


def test_without_truth_there_are_no_pictures(demo, tmp_path) -> None:
    root = tmp_path / "demo"
    shutil.copytree(demo.root, root)
    for folder in root.glob("runs/*/truth"):
        shutil.rmtree(folder)
    html = write_report(root).read_text(encoding="utf-8")
    assert 'class="wall' not in html
    assert "Who learned what" in html


def test_it_admits_what_it_does_not_show(html) -> None:
    text = " ".join(re.sub(r"<[^>]+>", " ", html).split())
    for part in (
        "a lower bound on leakage, never a guarantee",
        "This was a simulation.",
        "3 participants with 5 people each, not the 50 with 100",
        "labels of synthetic-faces: they are known to the program",
        "synthetic-faces is synthetic, made up by a program",
        "Synthetic: a program made these pictures up.",
        "they travel in clear",
        "the same people as the training records",
    ):
        assert part in text


def cells(run: StoredRun) -> dict[str, dict[str, str]]:
    (matrix,) = knowledge([run])
    return {row.party: dict(zip(SECRETS, row.cells, strict=True)) for row in matrix.rows}


OWN = {"records": "own", "transform": "own", "upload": "own", "labels": "own", "model": "yes"}


@pytest.mark.parametrize(
    ("run", "participant", "analyst", "coalition"),
    [
        ("local", {"records": "own", "labels": "own"}, {}, None),
        (
            "i-gdp",
            OWN,
            {"upload": "all", "labels": "all", "model": "yes"},
            {"records": "of participant-0", "transform": "of participant-0"},
        ),
        (
            "c-gdp",
            OWN | {"transform": "everybody's", "seed": "yes"},
            {"upload": "all", "labels": "all", "model": "yes"},
            {"records": "of participant-0", "transform": "everybody's"},
        ),
        (
            "naa-gdp-s0.4",
            OWN | {"seed": "yes", "anchor": "yes", "anchor_upload": "own"},
            {"upload": "all", "anchor_upload": "all", "labels": "all", "model": "yes"},
            {"records": "of participant-0", "transform": "of participant-0", "anchor": "yes"},
        ),
    ],
)
def test_who_learned_what_follows_from_the_messages(
    runs, run, participant, analyst, coalition
) -> None:
    nothing = dict.fromkeys(SECRETS, "no")
    found = cells(runs[run])
    for name in ("participant-0", "participant-1", "participant-2"):
        assert found[name] == nothing | participant
    assert found["analyst"] == nothing | analyst
    assert ("coalition" in found) == (coalition is not None)
    if coalition is not None:
        assert found["coalition"] == nothing | analyst | coalition


def test_what_colluders_do_not_disclose_the_coalition_does_not_know(demo, tmp_path) -> None:
    shutil.copytree(demo.root / "runs" / "naa-gdp-s0.4", tmp_path / "run")
    run = RunDirectory(tmp_path / "run")
    manifest = run.manifest()
    manifest["scenario"]["collusion"]["disclose"] = ["records"]
    run.write_manifest(manifest)
    found = cells(StoredRun.read(run))["coalition"]
    assert found["records"] == "of participant-0"
    assert found["anchor"] == found["transform"] == "no"


def test_methods_in_which_it_is_the_same_stand_together(runs) -> None:
    matrices = knowledge(list(runs.values()))
    assert [m.methods for m in matrices if "AA-GDP" in m.methods] == [
        "AA-GDP and NAA-GDP, v = 0.0516 (s = 0.4)"
    ]


def test_bytes_add_up_to_the_transcripts(runs) -> None:
    run = runs["naa-gdp-s0.4"]
    parties = ("participant-0", "participant-1", "participant-2", "analyst")
    entries = [e for p in parties for e in read_transcript(run.directory.transcripts, p)]
    (table,) = traffic([run])
    assert table.parties[:4] == parties
    sent = [sum(e.bytes for e in entries if e.sender == party) for party in parties]
    assert list(table.rows[-1].sent[:4]) == [size(count) for count in sent]
    assert [row.round for row in table.rows][-2:] == ["collect and attack", "all"]


@pytest.mark.parametrize(
    ("count", "text"),
    [
        (None, ABSENT),
        (0, ABSENT),
        (999, "999 B"),
        (1000, "1 kB"),
        (376312, "376 kB"),
        (2_500_000, "2.5 MB"),
    ],
)
def test_sizes_have_units(count, text) -> None:
    assert size(count).replace("\N{NO-BREAK SPACE}", " ") == text


def test_a_single_run_has_a_page_too(runs) -> None:
    page = build_page([runs["naa-gdp-s0.4"]], "one")
    assert page.first is not None
    assert page.headline.startswith("Three participants hid their records. One colluded.")
    assert page.timeline is None
    assert len(RUNS) == len(runs)
