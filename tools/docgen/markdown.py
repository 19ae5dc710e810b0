"""Markdown tables, and blocks of a page that are made by a command."""

import re
from collections.abc import Iterable, Mapping, Sequence

_BLOCK = re.compile(r"(<!-- made: ([a-z-]+) -->\n).*?(<!-- /made -->)", re.DOTALL)


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a table, a line each; a bar inside a cell is escaped."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(map(_cell, line))} |" for line in lines)


def _cell(value: object) -> str:
    return str(value).replace("|", "\\|").replace("\n", " ")


def filled(page: str, blocks: Mapping[str, str]) -> str:
    """Return the page with each made block's content replaced.

    Raises:
        ValueError: the page asks for a block that there is not, or lacks one.
    """
    asked = [name for _, name, _ in _BLOCK.findall(page)]
    if sorted(asked) != sorted(blocks):
        raise ValueError(f"the page has the blocks {sorted(asked)}, not {sorted(blocks)}")
    return _BLOCK.sub(lambda m: f"{m[1]}\n{blocks[m[2]]}\n\n{m[3]}", page)
