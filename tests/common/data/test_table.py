"""A user's own table: what is read, and a clear answer to everything that cannot be."""

from importlib import import_module

import numpy as np
import pytest

from collude.common.data import load_dataset, split
from collude.common.errors import (
    DataInvalid,
    DataUnavailable,
    ExtraMissing,
    ScenarioInvalid,
)
from collude.common.scenario import build_scenario, scenario_digest
from collude.runtime.federation import prepare
from collude.runtime.inprocess import assemble, connect

HEADER = "party,person,label,age,weight"


def rows(sites=("north", "south"), each=12):
    rng = np.random.default_rng(3)
    return [
        f"{site},{i},{('no', 'yes')[i % 2]},{9 * (i % 2) + rng.normal():.3f},{rng.normal():.3f}"
        for site in sites
        for i in range(each)
    ]


@pytest.fixture
def table(tmp_path):
    def write(lines, header=HEADER, name="mine.csv"):
        path = tmp_path / name
        path.write_text("\n".join([header, *lines]) + "\n", encoding="utf-8")
        return path

    return write


def scenario(path, participants=2, **data):
    return build_scenario({
        "scenario": {"name": "mine", "seed": 7},
        "data": {"source": "table", "path": str(path), "participants": participants, **data},
        "mechanism": {"method": "aa-gdp"},
    })


def loaded(path, **settings):
    return load_dataset(scenario(path, **settings))


@pytest.mark.parametrize(
    ("spoil", "field", "words"),
    [
        (lambda r: [*r[:4], ",4,no,50,1.0", *r[5:]], "party", "rows 5"),
        (lambda r: [*r[:4], "north,4,no,,1.0", *r[5:]], "age", "1 of 24 missing, rows 5"),
        (lambda r: [*r[:4], "north,4,no,NA,1.0", *r[5:]], "age", "rows 5"),
        (lambda r: [*r[:4], "north,4,,50,1.0", *r[5:]], "label", "rows 5"),
        (lambda r: [*r[:4], "north,4,no,old,1.0", *r[5:]], "age", "old (1 of 24 rows)"),
        (lambda r: [*r[:4], "north,4,no,50", *r[5:]], "mine.csv", "4 in row 5"),
    ],
    ids=["no party", "empty", "NA", "no label", "text", "short row"],
)
def test_a_value_that_cannot_be_used_is_named_with_its_column_and_row(table, spoil, field, words):
    with pytest.raises(DataInvalid) as refused:
        loaded(table(spoil(rows())))
    assert field in refused.value.field
    assert words in f"{refused.value.reason} {refused.value.got}"


@pytest.mark.parametrize(
    "header", ["site,person,label,age,weight", "party,person,outcome,age,weight"]
)
def test_a_missing_column_is_named_with_those_that_are_there(table, header):
    with pytest.raises(DataInvalid, match="has no column"):
        loaded(table(rows(), header))


@pytest.mark.parametrize("header", ["party,person,label,age,age", "party,person,label,age,"])
def test_a_header_that_names_no_columns_is_refused(table, header):
    with pytest.raises(DataInvalid, match="header"):
        loaded(table(rows(), header))


def test_no_rows_no_feature_no_file_no_path_and_no_known_kind(table, tmp_path):
    with pytest.raises(DataInvalid, match="no rows"):
        loaded(table([]))
    with pytest.raises(DataInvalid, match="no feature"):
        loaded(table(["north,1,yes", "south,2,no"], "party,person,label"))
    with pytest.raises(DataUnavailable):
        loaded(tmp_path / "gone.csv")
    with pytest.raises(ScenarioInvalid, match=r"csv or \.npz or \.parquet"):
        loaded(table(rows(), name="mine.xlsx"))
    with pytest.raises(ScenarioInvalid, match="needs a file"):
        load_dataset(
            build_scenario({"scenario": {"name": "x", "seed": 1}, "data": {"source": "table"}})
        )


def test_another_number_of_sites_is_refused_and_the_sites_are_named(table):
    with pytest.raises(ScenarioInvalid) as refused:
        loaded(table(rows()), participants=3)
    assert refused.value.field == "data.participants"
    assert "north, south" in refused.value.expected


def test_three_rows_at_a_site_are_too_few_to_hold_one_out(table):
    mine = scenario(table([*rows(("north",)), *rows(("south",), each=3)]))
    with pytest.raises(DataInvalid) as refused:
        split(load_dataset(mine), mine)
    assert refused.value.party == "participant-1"


def test_rows_stay_at_their_site_and_text_labels_become_numbers(table):
    mine = scenario(table(rows(("south", "north"))))
    dataset = load_dataset(mine)
    assert (dataset.width, sorted(set(dataset.labels.tolist()))) == (2, [0, 1])
    assert "0 is no, 1 is yes" in dataset.label_note
    shares = split(dataset, mine)
    north = {tuple(row) for row in dataset.records[dataset.sites == 0]}
    held = shares["participant-0"]
    assert {tuple(row) for row in np.vstack([held.records, held.test_records])} == north
    assert len(held.test_records) == 3


def test_a_site_with_one_class_takes_part(table):
    one = [line.replace("yes", "no") for line in rows(("south",))]
    federation = prepare(scenario(table([*rows(("north",)), *one])))
    sessions = assemble(federation)
    connect([sessions.analyst, *sessions.participants.values()])
    assert sessions.analyst.error is None
    assert sessions.analyst.counts.total == 6


def test_npz_gives_what_csv_gives(table, tmp_path):
    lines = [line.split(",") for line in rows()]
    columns = dict(zip(HEADER.split(","), map(list, zip(*lines, strict=True)), strict=True))
    arrays = {
        n: np.array(v, dtype=float if n in {"age", "weight"} else str) for n, v in columns.items()
    }
    np.savez(tmp_path / "mine.npz", **arrays)
    one, other = loaded(table(rows())), loaded(tmp_path / "mine.npz")
    assert one.fingerprint() == other.fingerprint()


def test_an_npz_with_objects_or_of_no_table_is_refused(tmp_path):
    np.savez(tmp_path / "objects.npz", party=np.array(["a", None], dtype=object))
    np.savez(tmp_path / "ragged.npz", party=np.arange(3), label=np.arange(4))
    (tmp_path / "torn.npz").write_bytes((tmp_path / "ragged.npz").read_bytes()[:80])
    for name in ("objects", "ragged", "torn"):
        with pytest.raises(DataInvalid):
            loaded(tmp_path / f"{name}.npz")


def test_parquet_is_read_or_its_extra_is_named(tmp_path, table):
    path = tmp_path / "mine.parquet"
    try:
        arrow = import_module("pyarrow")
        parquet = import_module("pyarrow.parquet")
    except ImportError:
        path.write_bytes(b"PAR1")
        with pytest.raises(ExtraMissing, match="parquet"):
            loaded(path)
        return
    lines = [line.split(",") for line in rows()]
    columns = dict(zip(HEADER.split(","), map(list, zip(*lines, strict=True)), strict=True))
    kinds = {"age": float, "weight": float}
    parquet.write_table(
        arrow.table({n: [kinds.get(n, str)(x) for x in v] for n, v in columns.items()}), path
    )
    assert loaded(path).fingerprint() == loaded(table(rows())).fingerprint()


def test_where_the_file_lies_is_not_part_of_the_digest(table):
    one, other = scenario(table(rows())), scenario(table(rows(), name="other.csv"))
    assert scenario_digest(one) == scenario_digest(other)
