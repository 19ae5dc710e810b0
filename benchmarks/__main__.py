"""Run the benchmarks, write their results and the page made of them.

    python -m benchmarks                  # all
    python -m benchmarks alignment        # one
    python -m benchmarks --table          # the page alone, from the results that are there

From the repository's root; `make bench` does it.
"""

import argparse
import importlib
import sys
from pathlib import Path

from benchmarks.framework.contest import Bench
from benchmarks.framework.environments import ROOT
from benchmarks.framework.results import RESULTS, read_all, report, write
from benchmarks.framework.table import page

PAGE = ROOT / "docs" / "benchmarks.md"
NAMES = sorted(
    path.stem for path in Path(__file__).parent.glob("*.py") if not path.stem.startswith("_")
)


def run(name: str, bench: Bench, results: Path) -> None:
    """Run one benchmark and write what it found."""
    benchmark = importlib.import_module(f"benchmarks.{name}")
    rows = list(benchmark.measure(bench))
    for row in rows:
        print(f"{row.work} | {row.quantity} | {row.budget} | {row.measured} | {row.verdict}")
    path = write(results, report(name, benchmark.TITLE, benchmark.NOTES, bench, rows))
    print(f"written: {path}", file=sys.stderr)


def main(words: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Measure speed against the budgets.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(NAMES)}")
    parser.add_argument("--repeats", type=int, default=5, help="runs of each contender")
    parser.add_argument("--tiny", action="store_true", help="sizes that only try the machinery")
    parser.add_argument("--table", action="store_true", help="write the page alone")
    parser.add_argument("--results", type=Path, default=RESULTS, help="another folder for results")
    parser.add_argument("--page", type=Path, default=PAGE, help="another place for the page")
    wanted = parser.parse_args(words)
    unknown = sorted(set(wanted.names) - set(NAMES))
    if unknown:
        parser.error(f"no benchmark {', '.join(unknown)}: there are {', '.join(NAMES)}")
    for name in () if wanted.table else wanted.names or NAMES:
        run(name, Bench(wanted.repeats, wanted.tiny), wanted.results)
    wanted.page.write_text(page(read_all(wanted.results)), encoding="utf-8")
    print(f"written: {wanted.page}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
