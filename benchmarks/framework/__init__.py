"""What every benchmark shares: contenders run in turn, results as JSON, one table of all.

A benchmark is one file, `benchmarks/<name>.py`, found by its name, with

    TITLE: str                                   # the heading in docs/benchmarks.md
    NOTES: tuple[str, ...]                       # paragraphs below its table; may be empty
    def measure(bench: Bench) -> Iterable[Row]   # run the contenders, compare them

`bench.contest(task, contenders)` runs each contender `bench.repeats` times, in turn, each time as
a new process, and returns the medians. A contender is a module of `benchmarks.workers`, run with
the product's interpreter or a peer's; it ends by printing what `workers/timing.py` measured.
"""

from benchmarks.framework.contest import Bench, Contender, Outcome
from benchmarks.framework.row import Row

__all__ = ["Bench", "Contender", "Outcome", "Row"]
