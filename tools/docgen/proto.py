"""What the .proto files say: messages, fields, methods, and the comments beside them."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ROOT / "proto" / "collude" / "wire" / "v1"

_ROUNDS = ("join", "anchor", "upload", "deliver", "control", "array", "disclose", "mail")

_MESSAGE = re.compile(r"message (\w+) \{(\})?")
_FIELD = re.compile(r"((?:repeated |optional )?[\w.]+) (\w+) = (\d+);(?:\s*// ?(.*))?")
_METHOD = re.compile(r"rpc (\w+)\((.+?)\) returns \((.+?)\);")
_SERVICE = re.compile(r"service (\w+) \{")
_COMMENT = re.compile(r"// ?(.*)")


@dataclass(frozen=True)
class Field:
    """One field: its number, name, type and the comment behind it."""

    number: int
    name: str
    kind: str
    comment: str


@dataclass(frozen=True)
class Entry:
    """A message or a method: the comment above it, and a message's fields."""

    name: str
    comment: str
    fields: list[Field] = field(default_factory=list)


@dataclass(frozen=True)
class Wire:
    """All messages by name, and all methods by their full name."""

    messages: dict[str, Entry]
    methods: dict[str, Entry]


def read_wire(folder: Path = SOURCES) -> Wire:
    """Return what all files in a folder say."""
    wire = Wire({}, {})
    for path in sorted(folder.glob("*.proto"), key=_place):
        _read(path.read_text(encoding="utf-8").splitlines(), wire)
    return wire


def _place(path: Path) -> tuple[int, str]:
    """Return where a file stands: the rounds in their order, then the rest by name."""
    return (_ROUNDS.index(path.stem) if path.stem in _ROUNDS else len(_ROUNDS), path.stem)


def _read(lines: Iterable[str], wire: Wire) -> None:
    above: list[str] = []
    service, open_message = "", Entry("", "")
    for line in map(str.strip, lines):
        if comment := _COMMENT.fullmatch(line):
            above.append(comment[1])
            continue
        if found := _SERVICE.match(line):
            service = found[1]
        elif found := _METHOD.match(line):
            name = f"/collude.wire.v1.{service}/{found[1]}"
            wire.methods[name] = Entry(f"{found[2]} -> {found[3]}", _joined(above))
        elif found := _MESSAGE.match(line):
            open_message = wire.messages[found[1]] = Entry(found[1], _joined(above))
        elif found := _FIELD.match(line):
            made = Field(int(found[3]), found[2], found[1], found[4] or _joined(above))
            open_message.fields.append(made)
        above = []


def _joined(lines: list[str]) -> str:
    return " ".join(lines).strip()
