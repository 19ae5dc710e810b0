"""Looking for bytes in another process's memory (Linux), and in folders."""

from collections.abc import Iterator, Mapping
from pathlib import Path

CHUNK = 1 << 26


def in_memory(pid: int, needles: Mapping[str, bytes]) -> dict[str, int]:
    """Return how often each needle stands in the writable memory of a process."""
    overlap = max(map(len, needles.values())) - 1
    found = dict.fromkeys(needles, 0)
    with Path(f"/proc/{pid}/mem").open("rb", buffering=0) as memory:
        for start, end in _writable(pid):
            for piece in _pieces(memory, start, end, overlap):
                for name, needle in needles.items():
                    found[name] += piece.count(needle)
    return found


def _writable(pid: int) -> Iterator[tuple[int, int]]:
    for line in Path(f"/proc/{pid}/maps").read_text().splitlines():
        span, rights, *_ = line.split()
        if rights.startswith("rw"):
            start, end = (int(part, 16) for part in span.split("-"))
            yield start, end


def _pieces(memory, start: int, end: int, overlap: int) -> Iterator[bytes]:
    while start < end:
        memory.seek(start)
        try:
            piece = memory.read(min(CHUNK, end - start))
        except OSError:  # a guard page, or memory that was given back meanwhile
            return
        if not piece:
            return
        yield piece
        start += len(piece) if start + len(piece) >= end else max(1, len(piece) - overlap)


def in_files(paths: Iterator[Path], needles: Mapping[str, bytes]) -> dict[str, list[str]]:
    """Return the files in which each needle stands."""
    found: dict[str, list[str]] = {name: [] for name in needles}
    for path in paths:
        content = path.read_bytes()
        for name, needle in needles.items():
            if needle in content:
                found[name].append(path.name)
    return found
