"""Searching for secrets in every form in which they could leave.

A secret is a canary: some of its numbers, or its bytes, as they would look raw (float64, and
neighbours as float32, in both byte orders), as decimal text, in hexadecimal and in base64 at
all three alignments. A haystack is searched as it is and unpacked: zip and npz, gzip, zlib,
the pixels of PNGs, base64 and hexadecimal, one inside the other.
"""

import base64
import binascii
import re
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

PREFIX = 8
"""Every needle has at least so many bytes: shorter ones are found by chance."""
NUMBERS = 6
"""So many numbers stand for an array."""
DEPTH = 3
BUCKETS = 1 << 20
LARGEST = 1 << 26

Needles = frozenset[bytes]


def array_needles(values) -> Needles:
    """Return the looks of some numbers of an array, one or two dimensions.

    They lie between .1 and 1, where decimal notations agree, and apart from one another.
    """
    table = np.atleast_2d(np.asarray(values, dtype=np.float64))
    good = [tuple(place) for place in np.argwhere((np.abs(table) >= 0.1) & (np.abs(table) < 1.0))]
    assert good, "no number to look for"
    chosen = good[:: max(1, len(good) // NUMBERS)][:NUMBERS]
    found = set()
    for row, column in chosen:
        raws = list(_raw(table, row, column))
        found |= {*raws, *_texts(float(table[row, column]))}
        found |= {encoded for raw in raws for encoded in _encoded(raw)}
    return frozenset(found)


def byte_needles(secret: bytes) -> Needles:
    """Return the looks of each half of a key."""
    assert len(secret) >= 2 * PREFIX
    halves = secret[: len(secret) // 2], secret[len(secret) // 2 :]
    return frozenset(halves) | {encoded for half in halves for encoded in _encoded(half)}


def _raw(table, row: int, column: int) -> Iterator[bytes]:
    """The number as float64, and with its neighbours to the right and below as float32."""
    yield from (np.array([table[row, column]], order).tobytes() for order in ("<f8", ">f8"))
    pairs = [table[row, column : column + 2], table[row : row + 2, column]]
    for pair in (pair for pair in pairs if len(pair) > 1):
        yield from (pair.astype(order).tobytes() for order in ("<f4", ">f4"))


def _texts(number: float) -> set[bytes]:
    """Decimal and scientific notation, cut (any longer text begins so) and rounded."""
    size = abs(number)
    long, rounded = f"{size:.17f}", f"{size:.6f}"
    scientific, short = f"{size:.16e}", f"{size:.6e}"
    return {text[:8].encode() for text in (long, rounded, scientific, short)}


def _encoded(raw: bytes) -> Iterator[bytes]:
    yield from (raw.hex().encode(), raw.hex().upper().encode())
    for shift in range(3):
        text = base64.b64encode(bytes(shift) + raw)
        # Only the characters that raw alone determines.
        sure = text[-(-8 * shift // 6) : 8 * (shift + len(raw)) // 6]
        yield from (sure, sure.translate(bytes.maketrans(b"+/", b"-_")))


@dataclass(frozen=True)
class Leak:
    """Where a canary was found: the file, how it was unpacked, and whose secret it is."""

    file: str
    layer: str
    secret: str


class Searcher:
    """Looks for many needles at once."""

    def __init__(self, canaries: Mapping[str, Iterable[bytes]]) -> None:
        self._whole: dict[bytes, list[tuple[bytes, str]]] = {}
        for secret, needles in canaries.items():
            for needle in needles:
                assert len(needle) >= PREFIX
                self._whole.setdefault(needle[:PREFIX], []).append((needle, secret))
        heads = np.frombuffer(b"".join(self._whole), dtype="<u8")
        self._heads = set(heads.tolist())
        self._maybe = np.zeros(BUCKETS, dtype=bool)
        self._maybe[heads % np.uint64(BUCKETS)] = True

    def inside(self, content: bytes) -> set[tuple[str, str]]:
        """Return (layer, secret) of all that is found."""
        return {(layer, secret) for layer, data in layers(content) for secret in self._found(data)}

    def under(self, root: Path, skip: Callable[[Path, str], bool]) -> set[Leak]:
        """Return what is found in the files below `root`, and in their names.

        Args:
            root: a folder.
            skip: whether the file at this path, relative to `root`, may hold this secret.
        """
        files = [path for path in sorted(root.rglob("*")) if path.is_file()]
        return {
            Leak(place.as_posix(), layer, secret)
            for path in files
            for place in [path.relative_to(root)]
            for layer, secret in self.inside(path.read_bytes() + str(place).encode())
            if not skip(place, secret)
        }

    def _found(self, data: bytes) -> Iterator[str]:
        for place in self._places(data):
            for needle, secret in self._whole[data[place : place + PREFIX]]:
                if data.startswith(needle, place):
                    yield secret

    def _places(self, data: bytes) -> Iterator[int]:
        """Yield where eight bytes stand that some needle begins with."""
        for start in range(min(PREFIX, len(data) - PREFIX + 1)):
            words = np.frombuffer(data, "<u8", (len(data) - start) // PREFIX, start)
            likely = np.flatnonzero(self._maybe[words % np.uint64(BUCKETS)])
            for index, word in zip(likely.tolist(), words[likely].tolist(), strict=True):
                if word in self._heads:
                    yield start + PREFIX * index


def layers(content: bytes, depth: int = DEPTH) -> Iterator[tuple[str, bytes]]:
    """Yield a haystack and all that can be unpacked from it: (how, content)."""
    yield "", content
    if depth:
        for unpack in UNPACK:
            for inner in unpack(content):
                name = unpack.__name__
                yield from ((f"{name}/{how}".strip("/"), data)
                            for how, data in layers(inner, depth - 1))  # fmt: skip


def deflated(content: bytes) -> Iterator[bytes]:
    """Members of zip archives (npz), whole or cut, wherever they begin."""
    for found in re.finditer(rb"PK\x03\x04", content):
        head = content[found.start() : found.start() + 30]
        if len(head) == 30 and int.from_bytes(head[8:10], "little") == zlib.DEFLATED:
            names = sum(int.from_bytes(head[i : i + 2], "little") for i in (26, 28))
            yield from _inflated(content[found.start() + 30 + names :], -zlib.MAX_WBITS)


def gzipped(content: bytes) -> Iterator[bytes]:
    """Streams of gzip."""
    for found in re.finditer(rb"\x1f\x8b\x08", content):
        yield from _inflated(content[found.start() :], 16 + zlib.MAX_WBITS)


def zlibbed(content: bytes) -> Iterator[bytes]:
    """Streams of zlib."""
    for found in re.finditer(rb"\x78[\x01\x5e\x9c\xda]", content):
        yield from _inflated(content[found.start() :], zlib.MAX_WBITS)


def pixels(content: bytes) -> Iterator[bytes]:
    """Scan lines of PNGs, as they are stored: a filtered line is not undone."""
    for found in re.finditer(rb"\x89PNG\r\n\x1a\n", content):
        yield from _inflated(b"".join(_image_data(content, found.end())), zlib.MAX_WBITS)


def _image_data(content: bytes, place: int) -> Iterator[bytes]:
    while len(head := content[place : place + 8]) == 8 and head[4:] != b"IEND":
        length = int.from_bytes(head[:4], "big")
        if head[4:] == b"IDAT":
            yield content[place + 8 : place + 8 + length]
        place += 12 + length


def from_base64(content: bytes) -> Iterator[bytes]:
    """What long runs of base64 stand for, at whichever character they begin."""
    for run in re.findall(rb"[A-Za-z0-9+/_-]{40,}", content):
        text = run.translate(bytes.maketrans(b"-_", b"+/"))
        for start in range(4):
            whole = text[start : start + (len(text) - start) // 4 * 4]
            yield base64.b64decode(whole)


def from_hex(content: bytes) -> Iterator[bytes]:
    """What long runs of hexadecimal stand for."""
    for run in re.findall(rb"[0-9a-fA-F]{40,}", content):
        yield binascii.unhexlify(run[: len(run) // 2 * 2])


UNPACK = (deflated, gzipped, zlibbed, pixels, from_base64, from_hex)


def _inflated(content: bytes, bits: int) -> Iterator[bytes]:
    engine = zlib.decompressobj(bits)
    pieces = []
    try:
        for start in range(0, len(content), 1 << 16):
            pieces.append(engine.decompress(content[start : start + (1 << 16)], LARGEST))
            if engine.eof:
                break
    except zlib.error:
        pass
    if any(pieces):
        yield b"".join(pieces)
