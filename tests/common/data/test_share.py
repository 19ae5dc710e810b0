"""A participant's share: what it must be, and what its file survives."""

import numpy as np
import pytest

from collude.common.data import Share, check_share, load_share, save_share
from collude.common.errors import DataInvalid, DataUnavailable

PARTY = "participant-1"


def share(**changes):
    rng = np.random.default_rng(1)
    arrays = {
        "records": rng.normal(size=(6, 4)),
        "labels": np.arange(6),
        "test_records": rng.normal(size=(2, 4)),
        "test_labels": np.array([0, 1]),
    }
    return Share(**(arrays | changes))


def with_value(value):
    records = np.ones((6, 4))
    records[2, 3] = value
    return records


@pytest.mark.parametrize(
    ("changes", "field", "word"),
    [
        ({"records": with_value(np.nan)}, "records", "row 2, column 3"),
        ({"records": with_value(np.inf)}, "records", "row 2, column 3"),
        ({"test_records": np.full((2, 4), -np.inf)}, "test_records", "8 in all"),
        ({"records": with_value(1e200)}, "records", "Rescale"),
        ({"records": np.ones((6, 4), dtype=object)}, "records", "object"),
        ({"records": np.full((6, 4), "1")}, "records", "<U1"),
        ({"records": np.ones((6, 4), dtype=complex)}, "records", "complex"),
        ({"records": np.ones((6, 4), dtype=bool)}, "records", "bool"),
        ({"records": np.ones(6)}, "records", "(6,)"),
        ({"records": np.ones((6, 0))}, "records", "(6, 0)"),
        ({"records": np.ones((0, 4)), "labels": np.ones(0, int)}, "records", "at least one row"),
        ({"test_records": np.ones((2, 5))}, "test_records", "4 columns"),
        ({"labels": np.arange(5)}, "labels", "(5,)"),
        ({"labels": np.arange(6).reshape(6, 1)}, "labels", "(6, 1)"),
        ({"labels": np.arange(6.0)}, "labels", "float64"),
        ({"labels": np.array(list("abcdef"))}, "labels", "<U1"),
        ({"labels": np.full(6, 2**63, dtype=np.uint64)}, "labels", "64 bits"),
        ({"test_labels": np.zeros(3, int)}, "test_labels", "(3,)"),
    ],
)
def test_what_cannot_be_used_is_refused_by_party_and_field(changes, field, word):
    with pytest.raises(DataInvalid) as caught:
        check_share(share(**changes), PARTY)
    assert caught.value.party == PARTY
    assert caught.value.field == field
    assert word in str(caught.value)


@pytest.mark.parametrize("dtype", ["f4", "i2", "u1", ">f8"])
def test_real_numbers_of_any_type_and_order_become_row_major_float64(dtype):
    records = np.asfortranarray(np.arange(24).reshape(6, 4).astype(dtype))
    checked = check_share(share(records=records), PARTY)
    assert checked.records.dtype == np.float64
    assert checked.records.flags.c_contiguous
    assert (checked.records == np.arange(24).reshape(6, 4)).all()


def test_constant_columns_one_row_and_no_held_out_rows_are_fine():
    smallest = share(
        records=np.ones((1, 4)),
        labels=np.array([3], dtype=np.uint8),
        test_records=np.ones((0, 4)),
        test_labels=np.ones(0, int),
    )
    assert check_share(smallest, PARTY).labels.dtype == np.int64


def test_a_share_does_not_print_its_content():
    text = repr(share(records=np.full((6, 4), 0.123456)))
    assert "123456" not in text
    assert "rows=6" in text


def test_a_share_survives_its_file(tmp_path):
    path = tmp_path / "parts é 分.npz"
    save_share(share(), path)
    loaded = load_share(path, PARTY)
    assert (loaded.records == share().records).all()
    assert (loaded.test_labels == share().test_labels).all()
    assert path.stat().st_mode & 0o077 == 0
    assert [entry.name for entry in tmp_path.iterdir()] == [path.name]


def test_a_missing_file_and_a_folder_are_refused(tmp_path):
    with pytest.raises(DataUnavailable, match="no such file"):
        load_share(tmp_path / "absent.npz", PARTY)
    with pytest.raises(DataUnavailable, match="cannot be read"):
        load_share(tmp_path, PARTY)


@pytest.mark.parametrize("kept", [0.0, 0.1, 0.5, 0.9, 0.999])
def test_a_truncated_file_is_refused(tmp_path, kept):
    path = tmp_path / "share.npz"
    save_share(share(), path)
    whole = path.read_bytes()
    path.write_bytes(whole[: int(kept * len(whole))])
    with pytest.raises(DataInvalid, match="damaged") as caught:
        load_share(path, PARTY)
    assert caught.value.party == PARTY


def test_a_file_with_a_flipped_byte_is_refused(tmp_path):
    path = tmp_path / "share.npz"
    save_share(share(), path)
    damaged = bytearray(path.read_bytes())
    damaged[200] ^= 1
    path.write_bytes(damaged)
    with pytest.raises(DataInvalid, match="damaged"):
        load_share(path, PARTY)


def test_python_objects_in_a_file_are_never_loaded(tmp_path):
    path = tmp_path / "share.npz"
    objects = np.array([{"a": 1}] * 6, dtype=object)
    np.savez(path, records=objects, labels=np.arange(6), test_records=objects, test_labels=objects)
    with pytest.raises(DataInvalid, match="Python objects"):
        load_share(path, PARTY)


def test_a_bare_array_and_a_missing_array_are_refused(tmp_path):
    np.save(tmp_path / "share.npy", np.ones((6, 4)))
    with pytest.raises(DataInvalid, match="no npz"):
        load_share(tmp_path / "share.npy", PARTY)
    np.savez(tmp_path / "share.npz", records=np.ones((6, 4)))
    with pytest.raises(DataInvalid, match="missing"):
        load_share(tmp_path / "share.npz", PARTY)
