"""Run studies, store what they found, and write it into docs/findings.md.

    python -m tools.findings                     # list them
    python -m tools.findings centring            # run one: docs/figures, docs/findings.md
    python -m tools.findings centring --json     # run one and print it; write nothing
    python -m tools.findings --page              # the page again, from what is stored
    python -m tools.findings --check             # whether the page is that

From the repository's root.
"""

import argparse
import json
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from threadpoolctl import threadpool_limits

from tools.findings import anchor_rows, centring, congruence, placement, pooling, rotation_error
from tools.findings.page import FIGURES, fill_page, page_is_fresh
from tools.findings.rows import Study

STUDIES: Mapping[str, Callable[[], Study]] = {
    "anchor-rows": anchor_rows.study,
    "centring": centring.study,
    "centring-small": lambda: centring.study(levels=(0.4, 0.8)),
    "congruence": congruence.study,
    "placement": placement.study,
    "placement-few-people": placement.few_people_study,
    "placement-small": placement.small_study,
    "pooling": pooling.study,
    "rotation-error": rotation_error.study,
}
SMALL = "-small"
"""These are what the tests run; they are printed, never stored."""


def main() -> int:
    """Run the command and return its exit code."""
    parser = argparse.ArgumentParser(description="Run the studies behind docs/findings.md.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(STUDIES)}")
    parser.add_argument("--json", action="store_true", help="print what was found; write nothing")
    parser.add_argument("--page", action="store_true", help="fill docs/findings.md alone")
    parser.add_argument("--check", action="store_true", help="compare the page; write nothing")
    wanted = parser.parse_args()
    unknown = set(wanted.names) - STUDIES.keys()
    if unknown:
        parser.error(f"no such study: {', '.join(sorted(unknown))}")
    if wanted.check:
        return 0 if page_is_fresh() else 1
    if not wanted.names and not wanted.page:
        print("\n".join(STUDIES))
    for name in wanted.names:
        with threadpool_limits(1):
            found = STUDIES[name]().document()
        _show(found) if wanted.json or name.endswith(SMALL) else _store(found)
    if not wanted.json and (wanted.page or wanted.names):
        fill_page()
    return 0


def _show(found: Mapping[str, object]) -> None:
    print(json.dumps(found))


def _store(found: Mapping[str, object]) -> None:
    path = Path(FIGURES / f"{found['study']}.json")
    rows = found["rows"]
    if not isinstance(rows, list):
        raise TypeError("rows are a list")
    head = {k: v for k, v in found.items() if k != "rows"}
    lines = ",\n".join(f"  {json.dumps(row)}" for row in rows)
    path.write_text(f'{json.dumps(head)[:-1]}, "rows": [\n{lines}\n]}}\n', encoding="utf-8")
    print(f"written: {path}", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
