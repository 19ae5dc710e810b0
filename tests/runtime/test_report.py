"""The report: what it refuses, what it says, and that it is one file that hides no markup."""

import base64
import re
import sys
from html.parser import HTMLParser

import numpy as np
import pytest

from collude.common.data import load_dataset, split
from collude.common.errors import ExtraMissing, RunDirectoryInvalid
from collude.common.geometry import centered_orthonormal_anchor, haar_orthogonal, polar_factor
from collude.common.scenario import build_scenario
from collude.runtime.manifest import build_manifest
from collude.runtime.report import write_report
from collude.runtime.report.documents import AttackScore
from collude.runtime.report.words import percent, verdict
from collude.runtime.rundir import RunDirectory, Status, Truth

TARGET = "participant-1"


def score(name, records, truth, rotation=None):
    error = np.sum((records - truth) ** 2)
    centred = truth - truth.mean(axis=0)
    return {
        "name": name,
        "relative": error / np.sum(truth**2),
        "centred_relative": error / np.sum(centred**2),
        "rotation": rotation,
        "linkage": None,
        "interval": None,
        "diagnostics": {},
    }


def attacks_on(truth, noise, rng):
    """Procrustes and centred Procrustes, made here from a transform and a noisy anchor."""
    d = truth.shape[1]
    secret, anchor = haar_orthogonal(d, rng), centered_orthonormal_anchor(d + 1, d, rng)
    uploaded = anchor @ secret + noise * rng.normal(size=anchor.shape)
    estimate = polar_factor(anchor.T @ uploaded)
    private = truth @ secret
    plain = private @ estimate.T
    mean = truth[::2].mean(axis=0)
    centred = mean + (private - private.mean(axis=0)) @ estimate.T
    return {"procrustes": plain, "centred-procrustes": centred}


def make_run(root, method, noise=0.0, scores=None, **extra):
    """A run directory with real digits; attacks by `attacks_on` unless `scores` says otherwise."""
    rng = np.random.default_rng(3)
    scenario = build_scenario({
        "scenario": {"name": "quickstart", "seed": 7},
        "mechanism": {"method": method, "anchor_noise": noise},
        "collusion": {"colluders": ["participant-0"]},
    })
    dataset = load_dataset(scenario)
    truth = split(dataset, scenario)[TARGET].records
    run = RunDirectory.create(root)
    run.write_manifest(
        build_manifest(scenario, dataset, runtime="processes", transcript_digest="ab" * 32)
    )
    run.write_truth(TARGET, Truth(truth, np.eye(64), np.zeros(64)))
    if scores is None:
        made = attacks_on(truth, noise, rng)
        for name, records in made.items():
            run.write_reconstruction(name, records)
        scores = [score(name, records, truth, 0.08) for name, records in made.items()]
    run.write_results(
        {
            "scenario": "quickstart",
            "mode": "simulation",
            "seed": 7,
            "transcript_digest": "ab" * 32,
            "results_digest": "cd" * 32,
            "utility": {
                "metric": "accuracy",
                "value": 0.95,
                "interval": [0.93, 0.97],
                "count": 447,
                "baselines": {},
            },
            "attacks": {"target": TARGET, "colluders": ["participant-0"], "attacks": scores},
            "codef": None,
            "timings": {},
            "warnings": [],
        }
        | extra
    )
    run.write_status(Status("finished", "done"))
    return run


EXACT = {"name": "exact-inversion", "relative": 2e-29, "centred_relative": 5e-29, "rotation": 1e-29}
IMPOSSIBLE = {
    "name": "procrustes",
    "relative": None,
    "centred_relative": None,
    "rotation": None,
    "diagnostics": {"missing": ["the shared anchor A", "the target's anchor upload"]},
}
LOCAL = {"metric": "accuracy", "value": 0.91, "interval": [0.88, 0.94], "count": 447}


def make_demo(root):
    demo = RunDirectory.create(root)
    utility = {"metric": "accuracy", "value": 0.55, "interval": [0.5, 0.6], "count": 447}
    exact = make_run(root / "runs" / "c-gdp", "c-gdp", scores=[EXACT])
    exact.write_reconstruction("exact-inversion", exact.truth(TARGET).records)
    make_run(root / "runs" / "naa-gdp", "naa-gdp", 0.05)
    make_run(
        root / "runs" / "i-gdp",
        "i-gdp",
        scores=[IMPOSSIBLE],
        utility=utility | {"baselines": {"local": LOCAL}},
    )
    demo.write_results({"runs": []})
    demo.write_status(Status("finished", "done"))
    return demo


class Reader(HTMLParser):
    """Text, tags and addresses of a page; refuses tags that do not close."""

    VOID = frozenset({"meta", "img", "br", "link"})

    def __init__(self, page):
        super().__init__()
        self.open, self.texts, self.addresses, self.tags = [], [], [], []
        self.feed(page)
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.addresses += [v for k, v in attributes if k in {"src", "href", "srcset", "action"}]
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if "style" not in self.open:
            self.texts.append(data)

    @property
    def text(self):
        return re.sub(r"\s+", " ", " ".join(self.texts))


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    made = make_demo(tmp_path_factory.mktemp("report") / "demo ü 分")
    write_report(made.root)
    return made


@pytest.fixture(scope="module")
def page(demo):
    return Reader(demo.report.read_text(encoding="utf-8"))


def test_what_is_no_run_directory_is_refused(tmp_path):
    with pytest.raises(RunDirectoryInvalid, match="no run directory"):
        write_report(tmp_path)


@pytest.mark.parametrize("missing", ["manifest.json", "results.json"])
def test_a_damaged_file_is_named(tmp_path, missing):
    run = make_run(tmp_path / "run", "naa-gdp", 0.05)
    (run.root / missing).write_text('{"utility": 3}')
    with pytest.raises(RunDirectoryInvalid, match=missing):
        write_report(run.root)
    assert not run.report.exists()


def test_a_damaged_reconstruction_is_named(tmp_path):
    run = make_run(tmp_path / "run", "naa-gdp", 0.05)
    (run.root / "attacks" / "procrustes.npz").write_bytes(b"PK\x03\x04")
    with pytest.raises(RunDirectoryInvalid, match=r"procrustes\.npz"):
        write_report(run.root)


def test_without_matplotlib_the_extra_is_named(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ExtraMissing, match="demo"):
        write_report(tmp_path)


def test_the_page_is_one_file_without_scripts_or_addresses(page):
    assert "script" not in page.tags
    assert "link" not in page.tags
    assert page.addresses
    assert all(address.startswith("data:image/png;base64,") for address in page.addresses)


def test_images_and_figures_are_pngs(demo, page):
    for address in page.addresses:
        assert base64.b64decode(address.split(",")[1]).startswith(b"\x89PNG")
    figures = sorted(path.name for path in demo.figures.iterdir())
    assert figures == ["attacks.png", "reconstructions.png", "utility.png"]
    assert all(path.read_bytes().startswith(b"\x89PNG") for path in demo.figures.iterdir())


def test_each_digit_stands_once_in_each_column_of_both_galleries(page):
    tiles = [address for address in page.addresses if len(address) < 2000]
    columns = 1 + 1 + 2
    assert len(tiles) == 2 * 10 * columns
    first, every = tiles[: 10 * columns], tiles[10 * columns :]
    wall = [first[10 * n : 10 * n + 10] for n in range(columns)]  # a column at a time
    table = [every[n::columns] for n in range(columns)]  # a row at a time
    assert wall == table
    originals, exact, noisy, _ = wall
    assert originals == exact
    assert not set(originals) & set(noisy)


def test_the_tables_hold_what_was_measured(page):
    assert "Local" in page.text
    assert "0.910" in page.text
    assert "0.880 to 0.940" in page.text
    assert "447" in page.text
    assert "NAA-GDP v = 0.05 (s = 0.4) Procrustes" in page.text
    assert "5.0e-29" in page.text
    assert "The records themselves, exact to rounding." in page.text


def test_it_says_what_a_measurement_is_worth(page):
    assert "a lower bound on leakage, never a guarantee" in page.text
    assert "This was a simulation." in page.text
    assert "Without a measured attack: I-GDP" in page.text
    assert (
        "I-GDP, Procrustes: Could not run. The coalition lacks: the shared anchor A; the"
        in page.text
    )


def test_it_says_how_to_repeat_the_runs(page):
    assert "ab" * 32 in page.text
    assert "cd" * 32 in page.text
    assert f"numpy {np.__version__}" in page.text
    assert "seed 7" in page.text


def test_the_strongest_attack_of_each_method_is_its_headline(demo, page):
    scores = demo.runs()[-1].results()["attacks"]["attacks"]
    weak, strong = sorted(scores, key=lambda each: -each["centred_relative"])
    assert strong["name"] == "centred-procrustes"
    assert weak["centred_relative"] > 2 * strong["centred_relative"]
    headline = f"Centred Procrustes: Almost the records: {percent(strong['centred_relative'])}"
    assert headline.replace("\N{NO-BREAK SPACE}", " ") in page.text


def test_methods_stand_in_the_order_of_table_one(demo):
    found = [Reader(demo.report.read_text(encoding="utf-8")).text]
    table = found[0][found[0].index("What the model is worth") :]
    places = [table.index(name) for name in ("Local", "C-GDP", "I-GDP", "NAA-GDP")]
    assert places == sorted(places)


def test_the_same_runs_give_the_same_page(demo):
    before = demo.report.read_bytes()
    write_report(demo.root)
    assert demo.report.read_bytes() == before


def test_attacks_that_could_not_run_are_told_of(tmp_path):
    lacking = {"procrustes": ["the true anchor"]}
    run = make_run(tmp_path / "run", "naa-gdp", 0.05)
    results = run.results()
    kept = [each for each in results["attacks"]["attacks"] if each["name"] != "procrustes"]
    results["attacks"] |= {"attacks": kept, "impossible": lacking}
    run.write_results(results)
    text = Reader(write_report(run.root).read_text(encoding="utf-8")).text
    assert "Procrustes: Could not run. The coalition lacks: the true anchor." in text


def test_attacks_stand_in_the_order_of_the_scenario(tmp_path):
    run = make_run(tmp_path / "run", "naa-gdp", 0.05)
    results = run.results()
    results["attacks"]["attacks"].reverse()
    run.write_results(results)
    text = Reader(write_report(run.root).read_text(encoding="utf-8")).text
    table = text[text.index("In words") :]
    assert table.index("Procrustes") < table.index("Centred Procrustes")


def test_markup_in_a_value_stays_text(tmp_path):
    run = make_run(tmp_path / "run", "naa-gdp", 0.05, warnings=["<script>alert(1)</script>"])
    page = Reader(write_report(run.root).read_text(encoding="utf-8"))
    assert "script" not in page.tags
    assert "<script>alert(1)</script>" in page.text


def test_a_run_that_died_gets_a_report_that_says_where(tmp_path):
    run = make_run(tmp_path / "run", "naa-gdp", 0.05)
    (run.root / "results.json").unlink()
    run.write_status(Status("failed", "r3_upload", "participant-2 did not come"))
    page = Reader(write_report(run.root).read_text(encoding="utf-8"))
    assert "NAA-GDP, v = 0.05 (s = 0.4) has no results." in page.text
    assert "failed in phase r3_upload: participant-2 did not come" in page.text


def test_local_alone_and_records_that_are_no_images_have_no_gallery(tmp_path):
    run = make_run(tmp_path / "run", "local", attacks=None)
    page = Reader(write_report(run.root).read_text(encoding="utf-8"))
    assert "Originals beside" not in page.text
    assert "Local: no records leave the participants" in page.text
    assert "Without a measured attack" not in page.text
    other = make_run(tmp_path / "other", "naa-gdp", 0.05)
    manifest = other.manifest()
    manifest["data"]["image_shape"] = None
    manifest["data"]["synthetic"] = True
    other.write_manifest(manifest)
    page = Reader(write_report(other.root).read_text(encoding="utf-8"))
    assert "Originals beside" not in page.text
    assert "digits (synthetic)" in page.text
    assert "What the coalition learns" in page.text


def test_utility_that_could_not_be_measured_is_left_open(tmp_path):
    utility = {"metric": "accuracy", "value": None, "interval": None, "count": 0}
    run = make_run(tmp_path / "run", "naa-gdp", 0.05, utility=utility)
    write_report(run.root)
    assert not (run.figures / "utility.png").exists()


@pytest.mark.parametrize(
    ("error", "begins"),
    [
        (0.0, "The records themselves"),
        (1e-9, "The records themselves"),
        (0.05, "Almost the records: 5 %"),
        (0.23, "Easy to recognise: 23 %"),
        (0.7, "Blurred: 70 %"),
        (1.05, "No closer than the average record alone: the error is 105 %"),
        (None, "Not measured"),
    ],
)
def test_verdicts_follow_the_error(error, begins):
    sentence = verdict(AttackScore(name="x", centred_relative=error))
    assert sentence.replace("\N{NO-BREAK SPACE}", " ").startswith(begins)


@pytest.mark.parametrize(
    ("share", "text"),
    [(0, "0 %"), (0.0004, "0.04 %"), (0.0512, "5.1 %"), (0.234, "23 %"), (12, "1200 %")],
)
def test_per_cent_keeps_two_digits_that_count(share, text):
    assert percent(share).replace("\N{NO-BREAK SPACE}", " ") == text
