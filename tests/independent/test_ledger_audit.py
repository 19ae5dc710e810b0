"""The independent script finds the product's head, and notices what is altered."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from testkit.ledgers import KEYS, TERMS, entries, filled, heads

from collude.codef.ledger import ledger_text, sign_head
from collude.common.ids import COORDINATOR

SCRIPT = Path(__file__).with_name("ledger_audit.py")


def audit(path: Path) -> str:
    """What the script says, or nothing if it does not agree."""
    command = [sys.executable, "-I", str(SCRIPT), str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout.strip() if done.returncode == 0 else ""


@pytest.fixture
def path(tmp_path):
    file = tmp_path / "ledger.jsonl"
    file.write_text(ledger_text(filled(), heads(filled())))
    return file


def test_it_finds_the_products_head(path):
    assert audit(path) == f"6 entries, head {filled().head.hex()}"


def test_it_shares_no_code_with_the_product_and_is_short():
    source = SCRIPT.read_text(encoding="utf-8")
    imported = set(re.findall(r"^\s*(?:import|from) (\w+)", source, re.MULTILINE))
    assert imported == {"hashlib", "json", "pathlib", "sys", "cryptography"}
    assert sum(bool(line.strip()) for line in source.splitlines()) <= 40


@pytest.mark.parametrize(
    ("number", "key"),
    [(0, "roster"), (1, "phase"), (1, "terms"), (2, "silo"), (2, "commitment"), (3, "releases"),
     (4, "signature"), (4, "hash"), (9, "hash"), (9, "head"), (9, "signature")],
)  # fmt: skip
def test_it_notices_a_changed_value(path, number, key):
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    value = lines[number][key]
    changed = {
        int: lambda v: v + 1,
        str: lambda v: v[:-1] + ("1" if v[-1] == "0" else "0"),
        list: lambda v: v[:-1],
    }
    lines[number][key] = changed[type(value)](value)
    assert lines[number][key] != value
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert not audit(path)


def test_it_notices_a_fork(path):
    other = filled(1)
    other.close(1, TERMS, entries(other, 1, counts=(9, 9, 9)))
    shown = sign_head(other, COORDINATOR, KEYS[COORDINATOR])
    with path.open("a") as file:
        file.write(ledger_text(other, [shown]).splitlines()[-1] + "\n")
    assert not audit(path)
