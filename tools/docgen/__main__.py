"""Write the made parts of docs/, or say which of them are not what the code gives.

    python -m tools.docgen            # write
    python -m tools.docgen --check    # compare only

From the repository's root.
"""

import argparse
import sys
from pathlib import Path

from tools.docgen.codef import codef_blocks
from tools.docgen.errors import error_page
from tools.docgen.markdown import filled
from tools.docgen.protocol import protocol_blocks

DOCS = Path(__file__).resolve().parents[2] / "docs"


def pages(docs: Path) -> dict[Path, str]:
    """Return each page with made parts, and what it must be."""
    protocol = docs / "protocol.md"
    return {
        docs / "errors.md": error_page(),
        protocol: filled(protocol.read_text(encoding="utf-8"), protocol_blocks() | codef_blocks()),
    }


def stale(docs: Path) -> list[Path]:
    """Return the pages that are not what the code gives."""
    return [
        path
        for path, content in pages(docs).items()
        if not path.exists() or path.read_text(encoding="utf-8") != content
    ]


def main() -> int:
    """Run the command and return its exit code."""
    parser = argparse.ArgumentParser(description="Write the made parts of docs/.")
    parser.add_argument("--check", action="store_true", help="compare only; change nothing")
    parser.add_argument("--docs", type=Path, default=DOCS, help="another docs/")
    wanted = parser.parse_args()
    old = stale(wanted.docs)
    for path in old:
        if wanted.check:
            print(f"not what the code gives: {path} (run `make docs`)", file=sys.stderr)
        else:
            path.write_text(pages(wanted.docs)[path], encoding="utf-8")
            print(f"written: {path}")
    return 1 if wanted.check and old else 0


if __name__ == "__main__":
    sys.exit(main())
