"""What surrounds a run: another locale, a home that cannot be written, no IPv6, spawn not fork."""

import ast
import sys
import tomllib

import pytest
from testkit.command import QUICKSTART, ROOT, program

from collude.common.net.address import read_address

PRODUCT = ("common", "participant", "analyst", "attacker", "codef", "runtime")
STRANGE = {
    "LC_ALL": "C", "LANG": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0",
    "HOME": "/dev/null/nowhere", "XDG_CACHE_HOME": "/dev/null/nowhere",
    "XDG_CONFIG_HOME": "/dev/null/nowhere", "COLUMNS": "20", "TERM": "dumb",
}  # fmt: skip


@pytest.mark.processes
@pytest.mark.skipif(
    not sys.prefix.isascii(),
    reason="torch cannot be imported from a folder whose name the C locale cannot spell",
)
def test_another_locale_and_a_home_that_cannot_be_written_change_nothing(tmp_path, alone) -> None:
    out = tmp_path / "Übung 1"
    words = ("run", QUICKSTART, "--seed", 7, "--out", out, "--no-compare", "--json")
    said = program(*words, env=STRANGE)
    assert said.code == 0, said.err
    assert said.json["transcript_digest"] == alone.results()["transcript_digest"]
    assert (out / "report.html").read_bytes().decode("utf-8")


@pytest.mark.processes
def test_an_error_reaches_a_terminal_that_knows_ascii_only(tmp_path) -> None:
    said = program("run", tmp_path / "Übung.toml", env=STRANGE)
    assert said.code == 2
    assert "Traceback" not in said.err
    assert "E-SCENARIO" in said.err


@pytest.mark.processes
def test_parties_on_one_machine_need_no_ipv6_and_no_resolver(watched) -> None:
    folders = [path for path in (watched.run.root / "parties").iterdir() if path.is_dir()]
    called = [
        address
        for folder in folders
        for address in tomllib.loads((folder / "party.toml").read_text())["peers"].values()
    ]
    taken = [address for folder in folders for kind in ("listening", "disclosing")
             if (address := read_address(folder / kind))]  # fmt: skip
    assert len(called) >= 3
    assert len(taken) >= 3
    assert {address.rpartition(":")[0] for address in called + taken} == {"127.0.0.1"}


def test_the_product_starts_processes_anew_and_never_forks() -> None:
    """gRPC does not survive a fork; subprocess starts another program."""
    files = [file for folder in PRODUCT for file in (ROOT / folder).rglob("*.py")]
    assert ROOT / "runtime" / "processes.py" in files
    for file in files:
        nodes = list(ast.walk(ast.parse(file.read_text("utf-8"))))
        called = {node.attr for node in nodes if isinstance(node, ast.Attribute)}
        imported = {alias.name.split(".")[0] for node in nodes
                    if isinstance(node, ast.Import) for alias in node.names}  # fmt: skip
        imported |= {(node.module or "").split(".")[0] for node in nodes
                     if isinstance(node, ast.ImportFrom)}  # fmt: skip
        assert not called & {"fork", "forkpty"}, file
        assert "multiprocessing" not in imported, file
