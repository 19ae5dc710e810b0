"""Random schedules of whole periods, one after another for a long time: `make soak`.

It goes on where the last call ended: numbers done and what became of them are in a progress file.
A schedule that goes wrong is kept by its number, and the next one follows.
"""

import argparse
import json
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from testkit.periods_schedules import Schedule, problems

LARGE_EVERY, LARGE = 100, 20
"""Every hundredth schedule has twenty silos."""
SAVED_EVERY = 50


def one(number: int) -> tuple[str, list[str]]:
    """Run a schedule; return how it ended, and what is wrong with it."""
    schedule = Schedule.of(number, LARGE if number % LARGE_EVERY == LARGE_EVERY - 1 else None)
    try:
        fed = schedule.run()
        found = problems(schedule, fed)
    except Exception as error:  # noqa: BLE001 -- whatever it is, the next one is to be tried too
        return "raised", [repr(error)]
    kind = next(iter(schedule.deviators.values()), "all honest")
    kind += ", crashes" if schedule.plan.crash else ""
    error = fed.coordinator.error
    if error is None:
        end = "done" if fed.coordinator.finished else "coordinator crashed"
    else:
        end = f"{error.code} {error.field}"
    return f"{kind}: {end}", found


class Progress:
    """What was done so far, in a file."""

    def __init__(self, folder: Path, start: int):
        self.file = folder / "progress.json"
        known = json.loads(self.file.read_text("utf-8")) if self.file.is_file() else {}
        self.start = known.get("start", start)
        self.next = known.get("next", start)
        self.seconds = known.get("seconds", 0.0)
        self.ends = Counter(known.get("ends", {}))
        self.wrong = known.get("wrong", {})

    def save(self):
        content = {key: value for key, value in vars(self).items() if key != "file"}
        written = self.file.with_suffix(".new")
        written.write_text(json.dumps(content, indent=1), "utf-8")
        written.replace(self.file)

    def summary(self) -> str:
        lines = [
            f"schedules {self.start} to {self.next - 1} in {self.seconds / 60:.1f} minutes",
            f"wrong: {len(self.wrong)}",
            *(f"  {number}: {found}" for number, found in self.wrong.items()),
        ]
        stages = Counter()
        for end, count in self.ends.items():
            stages[end.rpartition(": ")[2]] += count
        lines += [f"{count:7d}  {stage}" for stage, count in stages.most_common()]
        lines += ["", "by deviation:"]
        lines += [f"{count:7d}  {end}" for end, count in sorted(self.ends.items())]
        return "\n".join(lines) + "\n"


def main() -> int:
    asked = argparse.ArgumentParser(prog="make soak", description=__doc__)
    asked.add_argument("--minutes", type=float, default=60.0)
    asked.add_argument("--start", type=int, default=10_000, help="first number of a new series")
    asked.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir(), "collude-soak"))
    options = asked.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    progress, began = Progress(options.folder, options.start), time.monotonic()
    last = began
    while last - began < 60 * options.minutes:
        end, found = one(progress.next)
        progress.ends[end] += 1
        if found:
            progress.wrong[str(progress.next)] = found
        progress.next += 1
        now = time.monotonic()
        progress.seconds, last = progress.seconds + now - last, now
        if progress.next % SAVED_EVERY == 0:
            progress.save()
    progress.save()
    (options.folder / "summary.txt").write_text(progress.summary(), "utf-8")
    sys.stdout.write(progress.summary())
    return 1 if progress.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
