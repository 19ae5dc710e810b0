"""Count the faults that tests show and those that none shows, and why.

    python tools/fault_coverage.py

Reads docs/fault-coverage.toml. Fails when an entry names a test that does not exist, names
neither tests nor a reason, or stands there twice. Only the standard library.
"""

import ast
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TABLE = ROOT / "docs" / "fault-coverage.toml"


@dataclass(frozen=True)
class Fault:
    """One fault: where it belongs, what happens, and the tests that show it or why none does."""

    group: str
    name: str
    tests: tuple[str, ...] = ()
    why: str = ""


def read(path: Path) -> list[Fault]:
    """Return the entries of the table."""
    groups = tomllib.loads(path.read_text(encoding="utf-8"))
    return [
        Fault(group, name, tuple(entry.get("tests", ())), entry.get("why", ""))
        for group, entries in groups.items()
        for name, entry in entries.items()
    ]


def problems(faults: list[Fault], root: Path) -> Iterator[str]:
    """Yield what is wrong with the table, an entry a line."""
    for fault in faults:
        place = f"{fault.group}: {fault.name}"
        if bool(fault.tests) == bool(fault.why):
            yield f"{place}: give tests, or the reason why there is none"
        for test in fault.tests:
            if not exists(test, root):
                yield f"{place}: there is no test {test}"


def exists(test: str, root: Path) -> bool:
    """Return whether `path::function` is a test in the tree; parameters are not looked at."""
    path, _, name = test.partition("::")
    file = root / path
    if not file.is_file() or not name.startswith("test_"):
        return False
    tree = ast.parse(file.read_text(encoding="utf-8"))
    return any(isinstance(node, ast.FunctionDef) and node.name == name for node in ast.walk(tree))


def main() -> int:
    """Run the command and return its exit code."""
    table = Path(sys.argv[1]) if len(sys.argv) > 1 else TABLE
    faults = read(table)
    tested = Counter(fault.group for fault in faults if fault.tests)
    for group in dict.fromkeys(fault.group for fault in faults):
        count = sum(fault.group == group for fault in faults)
        print(f"{group:12} {tested[group]:3} with tests, {count - tested[group]:3} with a reason")
    total = sum(tested.values())
    print(f"{len(faults)} faults: {total} with tests, {len(faults) - total} with a reason why not")
    wrong = list(problems(faults, ROOT))
    for line in wrong:
        print(line, file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
