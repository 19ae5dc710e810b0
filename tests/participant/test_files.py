"""A participant's folder: what it may disclose later, and to whom it can be read."""

import stat

import numpy as np
import pytest
from testkit.examples import EXAMPLES

from collude.common.errors import DataInvalid, DataUnavailable
from collude.common.protocol.messages import ColluderDisclosure
from collude.participant.files import (
    DISCLOSABLE,
    EVERYTHING,
    read_disclosable,
    write_disclosable,
)

TOLD = EXAMPLES[ColluderDisclosure]
NOTHING = ColluderDisclosure(None, None, None, None, None)


def test_nothing_written_is_said_by_name(tmp_path):
    with pytest.raises(DataUnavailable) as caught:
        read_disclosable(tmp_path, "participant-0", EVERYTHING)
    assert caught.value.party == "participant-0"


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04", b"no archive", bytes(500)])
def test_a_file_that_cannot_be_read_is_refused(tmp_path, content):
    (tmp_path / DISCLOSABLE).write_bytes(content)
    with pytest.raises(DataInvalid):
        read_disclosable(tmp_path, "participant-0", EVERYTHING)


def test_a_cut_file_is_refused(tmp_path):
    write_disclosable(tmp_path, TOLD)
    whole = (tmp_path / DISCLOSABLE).read_bytes()
    (tmp_path / DISCLOSABLE).write_bytes(whole[: len(whole) // 2])
    with pytest.raises(DataInvalid):
        read_disclosable(tmp_path, "participant-0", EVERYTHING)


def test_pickled_objects_are_refused(tmp_path):
    np.savez(tmp_path / DISCLOSABLE, records=np.array([{}], dtype=object))
    with pytest.raises(DataInvalid):
        read_disclosable(tmp_path, "participant-0", EVERYTHING)


def test_only_its_owner_can_read_it(tmp_path):
    write_disclosable(tmp_path, TOLD)
    assert stat.S_IMODE((tmp_path / DISCLOSABLE).stat().st_mode) == 0o600


@pytest.mark.parametrize("told", [TOLD, NOTHING])
def test_what_was_written_comes_back(tmp_path, told):
    write_disclosable(tmp_path, told)
    assert read_disclosable(tmp_path, "participant-0", EVERYTHING) == told


@pytest.mark.parametrize(
    ("field", "arrays"),
    [("records", {"records"}), ("transform", {"rotation", "translation"}), ("anchor", {"anchor"}),
     ("noise", {"noise"})],
)  # fmt: skip
def test_only_what_is_asked_for_comes_back(tmp_path, field, arrays):
    write_disclosable(tmp_path, TOLD)
    read = read_disclosable(tmp_path, "participant-0", [field])
    names = ColluderDisclosure.__dataclass_fields__
    assert {name for name in names if getattr(read, name) is not None} == arrays
