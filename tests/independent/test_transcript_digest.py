"""The independent script recomputes a run's digest, and notices one changed byte anywhere."""

import hashlib
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from testkit.federation import scenario
from testkit.releases import release

from collude.common.ids import DIGESTED_ROUNDS, Round
from collude.runtime.runner import Options, run_scenario

SCRIPT = Path(__file__).with_name("transcript_digest.py")


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """A real run in one process; where it is, and its results."""
    out = tmp_path_factory.mktemp("run") / "naa"
    real = scenario("naa-gdp")
    return out, run_scenario(real, Options(out, compare=False, report=False))


@pytest.fixture
def copy(run, tmp_path):
    shutil.copytree(run[0] / "transcripts", tmp_path / "transcripts")
    return tmp_path / "transcripts"


def independent(folder: Path) -> str:
    """Run the script in an interpreter that cannot import the product."""
    command = [sys.executable, "-I", "-S", str(SCRIPT), str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout.strip() if done.returncode == 0 else "refused"


def test_it_gives_the_products_digest(run):
    out, results = run
    assert independent(out / "transcripts") == results["transcript_digest"]
    manifest = json.loads((out / "manifest.json").read_text())
    assert manifest["transcript_digest"] == results["transcript_digest"]


def test_it_gives_the_products_digest_of_a_release(tmp_path):
    results = run_scenario(release(), Options(tmp_path / "run"))
    folder = tmp_path / "run" / "transcripts"
    rounds = {json.loads(line)["round"] for path in folder.glob("*.jsonl")
              for line in path.read_text().splitlines()}  # fmt: skip
    assert {"codef_join", "codef_unmask", "window", "query", "answer", "receipt"} <= rounds
    assert independent(folder) == results["transcript_digest"]


def test_every_round_is_in_the_digest_or_known_not_to_be():
    source = SCRIPT.read_text(encoding="utf-8")
    left_out = {round_.value for round_ in Round} - {round_.value for round_ in DIGESTED_ROUNDS}
    assert left_out == {round_.value for round_ in Round if f'"{round_.value}"' in source}


def test_it_shares_no_code_with_the_product_and_is_short():
    source = SCRIPT.read_text(encoding="utf-8")
    imported = set(re.findall(r"^\s*(?:import|from) (\w+)", source, re.MULTILINE))
    assert imported == {"hashlib", "json", "pathlib", "struct", "sys"}
    assert len(source.splitlines()) <= 40


def test_one_changed_byte_of_any_message_is_noticed(run, copy):
    digest = run[1]["transcript_digest"]
    blobs = sorted(copy.glob("*/*.bin"))
    assert len(blobs) > 30
    for blob in (blobs[0], blobs[len(blobs) // 2], next(b for b in blobs if "r3" in b.name)):
        original = blob.read_bytes()
        changed = bytearray(original)
        changed[len(changed) // 2] ^= 1
        blob.write_bytes(bytes(changed))
        assert independent(copy) == "refused"
        blob.write_bytes(original)
    assert independent(copy) == digest


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("r0_join", "r3_upload"), ("r0_join", "r5_deliver"), ('"sequence": 0', '"sequence": 1'),
        ('"sender": "participant-0"', '"sender": "participant-1"'), ("sha256", "sha255"),
        ("participant-0", "participant-1"),
    ],
)  # fmt: skip
def test_one_changed_line_is_noticed(run, copy, old, new):
    path = copy / "analyst.jsonl"
    first, *rest = path.read_text().splitlines()
    assert old in first
    path.write_text("\n".join([first.replace(old, new, 1), *rest]) + "\n")
    assert independent(copy) != run[1]["transcript_digest"]


def test_a_message_with_its_line_changed_to_match_gives_another_digest(run, copy):
    """Whoever changes both is told by the digest in the manifest."""
    path = copy / "analyst.jsonl"
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    upload = next(line for line in lines if line["round"] == "r3_upload")
    blob = copy / upload["blob"]
    blob.write_bytes(blob.read_bytes()[:-1] + b"\x7f")
    upload["sha256"] = hashlib.sha256(blob.read_bytes()).hexdigest()
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    found = independent(copy)
    assert found not in {"refused", run[1]["transcript_digest"]}


@pytest.mark.parametrize("drop", [0, -1])
def test_a_line_that_is_missing_or_doubled_is_noticed_if_it_is_digested(run, copy, drop):
    path = copy / "participant-0.jsonl"
    lines = path.read_text().splitlines(keepends=True)
    digested = [line for line in lines if '"r5' not in line and '"r6' not in line]
    gone = digested[drop]
    for changed in ([line for line in lines if line != gone], [*lines, gone]):
        path.write_text("".join(changed))
        assert independent(copy) not in {"refused", run[1]["transcript_digest"]}
