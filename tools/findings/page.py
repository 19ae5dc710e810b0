"""docs/findings.md: its tables and figures are made of what the studies stored."""

import json
import re
from pathlib import Path

from tools.findings.drawing import draw
from tools.findings.rows import table

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "findings.md"
FIGURES = ROOT / "docs" / "figures"
_BLOCK = re.compile(r"<!-- made: ([a-z-]+) -->.*?<!-- end -->", re.DOTALL)


def filled(text: str, folder: Path = FIGURES) -> str:
    """Return the page with every block of tables as stored in `folder`; others stay."""

    def made(block: re.Match[str]) -> str:
        known = (folder / f"{block.group(1)}.json").exists()
        return _tables(block.group(1), folder) if known else block.group(0)

    return _BLOCK.sub(made, text)


def _tables(name: str, folder: Path) -> str:
    document = json.loads((folder / f"{name}.json").read_text("utf-8"))
    measures = dict.fromkeys(row["measure"] for row in document["rows"])
    settings = ", ".join(f"{key} {_words(value)}" for key, value in document["settings"].items())
    parts = [table(document, measure) for measure in measures]
    body = "\n\n".join((f"With {settings}; in brackets 95 % intervals.", *parts))
    return f"<!-- made: {name} -->\n\n{body}\n\n<!-- end -->"


def _words(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def page_is_fresh() -> bool:
    """Return whether the page's tables are those of what is stored."""
    text = PAGE.read_text("utf-8")
    return filled(text) == text


def fill_page() -> None:
    """Draw every stored study again and write the page."""
    text = PAGE.read_text("utf-8")
    for name in (name for name in _BLOCK.findall(text) if (FIGURES / f"{name}.json").exists()):
        stored = json.loads((FIGURES / f"{name}.json").read_text("utf-8"))
        draw(stored, FIGURES / f"{name}.png")
    PAGE.write_text(filled(text), encoding="utf-8")
