"""The pages that are made from the code are fresh, and say all that the code says."""

import importlib
import pkgutil
import re
import shutil
import subprocess
import sys

import pytest
from testkit.command import ROOT

import collude.wire.v1
from collude.common.errors import ColludeError, LocalError, RemoteError, tree
from collude.common.ids import Role
from collude.common.net.authorisation import ALLOWED
from collude.common.protocol import codef_rounds
from collude.common.protocol.rounds import PLANS, OwnWork, plan_for, transitions

DOCS = ROOT / "docs"
PAGES = ("errors.md", "protocol.md")
MESSAGES = {
    message.name: [field.name for field in message.fields]
    for found in pkgutil.iter_modules(collude.wire.v1.__path__)
    if hasattr(module := importlib.import_module(f"collude.wire.v1.{found.name}"), "DESCRIPTOR")
    for message in module.DESCRIPTOR.message_types_by_name.values()
}


def docgen(*words):
    command = [sys.executable, "-m", "tools.docgen", *map(str, words)]
    return subprocess.run(command, check=False, cwd=ROOT, capture_output=True, text=True)


@pytest.fixture
def docs(tmp_path):
    for page in PAGES:
        shutil.copy(DOCS / page, tmp_path / page)
    return tmp_path


def test_what_is_committed_is_what_the_code_gives() -> None:
    done = docgen("--check")
    assert done.returncode == 0, done.stderr


def test_a_changed_page_is_noticed_named_and_made_again(docs) -> None:
    page = docs / "protocol.md"
    page.write_text(page.read_text().replace("r1_anchor_reveal --> r1", "r1_anchor_reveal --> r3"))
    (docs / "errors.md").unlink()
    stale = docgen("--check", "--docs", docs)
    assert stale.returncode == 1
    assert all(str(docs / name) in stale.stderr for name in PAGES)
    assert docgen("--docs", docs).returncode == 0
    assert all((docs / name).read_text() == (DOCS / name).read_text() for name in PAGES)


def test_words_between_the_blocks_are_left_alone_and_a_lost_block_is_an_error(docs) -> None:
    page = docs / "protocol.md"
    page.write_text("By hand.\n" + page.read_text())
    assert docgen("--check", "--docs", docs).returncode == 0
    page.write_text(page.read_text().replace("<!-- made: states -->", ""))
    assert docgen("--docs", docs).returncode != 0


def section(text: str, heading: str) -> str:
    """The text under a heading, up to the next one of any level."""
    return re.split(r"^#", text.split(f"\n{heading}\n", 1)[1], maxsplit=1, flags=re.MULTILINE)[0]


@pytest.mark.parametrize("message", sorted(MESSAGES))
def test_every_field_of_every_message_stands_in_the_protocol(message) -> None:
    found = section((DOCS / "protocol.md").read_text(), f"#### {message}")
    assert re.findall(r"^\| \d+ \| `(\w+)` \|", found, re.MULTILINE) == MESSAGES[message]


@pytest.mark.parametrize("method", PLANS)
@pytest.mark.parametrize("role", [Role.PARTICIPANT, Role.ANALYST])
def test_a_state_diagram_has_the_arrows_of_the_table_and_no_others(method, role) -> None:
    text = (DOCS / "protocol.md").read_text()
    heading = next(line for line in text.splitlines()
                   if line.startswith(f"### {role.value.capitalize()}: ")
                   and method in line.partition(": ")[2].split(", "))  # fmt: skip
    drawn = set(re.findall(r"^    (\w+) --> (\w+): (.+)$", section(text, heading), re.MULTILINE))
    plan = PLANS[method]
    table = {
        (str(now), str(after), "own work" if kind is OwnWork else kind.__name__)
        for (owner, now, kind), after in transitions(plan).items()
        if owner is role
    }
    assert table <= drawn
    assert {label for _, _, label in drawn - table} <= {"somebody is left out (sends Restart)"}
    assert role is Role.ANALYST or drawn == table
    assert {str(r) for r in plan_for(role, plan)} | {"aborted"} == {
        state for start, end, _ in drawn for state in (start, end)
    }


def drawn_under(heading):
    text = section((DOCS / "protocol.md").read_text(), heading)
    return set(re.findall(r"^    (\w+) --> (\w+): (.+)$", text, re.MULTILINE))


@pytest.mark.parametrize(
    ("heading", "transitions_of"),
    [
        ("### Silo: CoDef", codef_rounds.SILO),
        ("### Coordinator: CoDef", codef_rounds.COORDINATOR),
        ("### Querier: releases", codef_rounds.QUERIER),
    ],
)
def test_the_diagrams_of_codef_have_the_arrows_of_its_table(heading, transitions_of) -> None:
    drawn = drawn_under(heading)
    known = {(str(now), str(after), kind.__name__) for (now, kind), after in transitions_of.items()}
    assert known <= drawn
    assert {label for _, _, label in drawn - known} <= {
        "window closed",
        "Adapt, the last",
        "stage closed",
        "stage closed, another epoch",
        "stage closed, the last",
        "windows open",
        "asked out",
        "all periods over",
    }


@pytest.mark.parametrize("round_", [*codef_rounds.SETUP, *codef_rounds.EPOCH])
def test_every_round_of_codef_has_its_line(round_) -> None:
    (line,) = [
        x
        for x in (DOCS / "protocol.md").read_text().splitlines()
        if x.startswith(f"| `{round_}` |")
    ]
    for sends in (codef_rounds.SILO_SENDS, codef_rounds.COORDINATOR_SENDS):
        assert (f"`{sends[round_].__name__}`" if round_ in sends else " - ") in line


def test_every_error_and_every_method_has_its_line() -> None:
    errors = (DOCS / "errors.md").read_text()
    for base in (LocalError, RemoteError):
        for kind in tree(base):
            assert f"| `{kind.code}` | `{kind.__name__}` | {kind.sentence()} |" in errors
    assert ColludeError.code not in errors
    protocol = (DOCS / "protocol.md").read_text()
    for method, roles in ALLOWED.items():
        (line,) = [x for x in protocol.splitlines() if x.startswith(f"| `{method}` |")]
        assert line.split(" | ")[2] == ", ".join(sorted(roles))
