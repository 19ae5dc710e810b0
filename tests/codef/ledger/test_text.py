"""The ledger as text: what is altered in it is noticed on reading, whatever it is."""

import json

import pytest
from testkit.ledgers import KEYS, ROSTER, SILOS, filled, heads

from collude.codef.ledger import Ledger, ledger_text, read_ledger, sign_head
from collude.common.errors import LedgerRejected
from collude.common.protocol.signing import SigningKey
from collude.common.roster import Roster

TEXT = ledger_text(filled(), heads(filled()))
LINES = TEXT.splitlines()


def test_what_was_written_is_read():
    ledger, read = read_ledger(TEXT, ROSTER)
    assert (ledger.head, ledger.length, ledger.phases) == (filled().head, 6, filled().phases)
    assert list(read) == heads(filled())
    assert ledger_text(ledger, read) == TEXT
    empty, none = read_ledger(ledger_text(Ledger(ROSTER)), ROSTER)
    assert (empty.length, none) == (0, ())


def altered():
    """Every value of every line, changed in its last character or by one."""
    for number, line in enumerate(LINES):
        for key, value in json.loads(line).items():
            if isinstance(value, str) and value:
                new = value[:-1] + ("0" if value[-1] != "0" else "1")
            elif isinstance(value, int):
                new = value + 1
            else:
                new = [[1]] if isinstance(value, list) else "00"
            yield number, key, new


@pytest.mark.parametrize(("number", "key", "new"), list(altered()))
def test_a_changed_value_is_refused(number, key, new):
    line = json.dumps(json.loads(LINES[number]) | {key: new})
    with pytest.raises(LedgerRejected):
        read_ledger("\n".join([*LINES[:number], line, *LINES[number + 1 :]]), ROSTER)


@pytest.mark.parametrize("number", range(len(LINES) - 4))
def test_a_missing_line_is_refused(number):
    with pytest.raises(LedgerRejected):
        read_ledger("\n".join(LINES[:number] + LINES[number + 1 :]), ROSTER)


def test_entries_that_somebody_signed_and_that_are_gone_are_noticed():
    without = ledger_text(filled(1)) + "\n".join(LINES[-4:])
    with pytest.raises(LedgerRejected, match="more entries"):
        read_ledger(without, ROSTER)


@pytest.mark.parametrize("number", range(len(LINES) - 4))
def test_a_line_that_comes_twice_is_refused(number):
    with pytest.raises(LedgerRejected):
        read_ledger("\n".join(LINES[: number + 1] + LINES[number:]), ROSTER)


@pytest.mark.parametrize("number", range(len(LINES) - 5))
def test_two_lines_swapped_are_refused(number):
    lines = [*LINES[:number], LINES[number + 1], LINES[number], *LINES[number + 2 :]]
    with pytest.raises(LedgerRejected):
        read_ledger("\n".join(lines), ROSTER)


WRONG = ["", "{", "[]", "1", "{}", '{"entry": 0}', '{"ledger": "codef/v1"}', "\x00", '{"head": 1}']


@pytest.mark.parametrize("line", WRONG)
def test_a_line_of_another_form_is_refused(line):
    for lines in ([line], [line, *LINES], [*LINES, line]):
        if line or len(lines) > 1:
            with pytest.raises(LedgerRejected):
                read_ledger("\n".join(lines) + "\n", ROSTER)


@pytest.mark.parametrize("value", [None, 1.5, [], {}, "zz", "0", True])
@pytest.mark.parametrize("key", ["commitment", "silo", "entry", "hash"])
def test_a_value_of_another_kind_is_refused(key, value):
    line = json.dumps(json.loads(LINES[2]) | {key: value})
    with pytest.raises(LedgerRejected):
        read_ledger("\n".join([*LINES[:2], line, *LINES[3:]]), ROSTER)


def test_a_ledger_of_another_roster_is_refused():
    others = {
        name: SigningKey.from_bytes(bytes([i + 50] * 32)).public for i, name in enumerate(KEYS)
    }
    with pytest.raises(LedgerRejected):
        read_ledger(TEXT, Roster.of(others))


def test_a_head_of_another_ledger_in_the_text_stays_for_the_one_who_compares():
    """A signed head that differs is evidence: it is read, and `find_fork` needs it."""
    other = filled(1)
    text = TEXT + ledger_text(other, [sign_head(other, SILOS[0], KEYS[SILOS[0]])]).splitlines()[-1]
    assert len(read_ledger(text, ROSTER)[1]) == 5
