"""Uploads by way of the disk against a bare socket, one unary call, Arrow Flight and Flower."""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from benchmarks.framework import Bench, Contender, Outcome, Row
from benchmarks.framework.row import ratio

TITLE = "Upload"
NOTES = (
    "CPU is that of both ends. An upload's sender hashes the body with SHA-256; its receiver "
    "hashes it again, writes it to a file that it flushes every 8 MiB, and accepts it by a "
    "rename. A contender `with the same duties` hashes on both ends and writes and flushes such a "
    "file; the others drop what they get. Only the rows that say so are without TLS: the product "
    "itself never is.",
    "Memory is the receiver's peak over idle. `Decoded` also decodes, checks and hashes the body "
    "as the session does: its pages are mapped from the file, so the peak would hold them for as "
    "long as the system has no other use for them; anonymous memory is what is really taken.",
    "Flower's figure is that of its conversions and one unary call alone, without its processes "
    "and queues; its receiver has the array and writes nothing.",
)
MB = 1e6
SIZES = {"100 MB": 100_000_000, "1 GB": 1_000_000_000}
TINY = {"100 MB": 2_000_000, "1 GB": 3_000_000}
OURS, DECODED, PLAIN = "ours", "ours, decoded", "ours without TLS"
SOCKET, DUTIES, UNARY = "TLS socket", "TLS socket with the same duties", "unary protobuf"
FLIGHT, FLIGHT_DUTIES = "Arrow Flight", "Arrow Flight with the same duties"
FLOWER = "Flower"

Found = Mapping[str, Outcome]


def measure(bench: Bench) -> Iterable[Row]:
    """Yield the rows of the table."""
    for label, size in (TINY if bench.tiny else SIZES).items():
        yield from _one(bench, label, size)
    yield from _several(bench)


def _ours(size: int, clients: int, mode: str, name: str) -> Contender:
    words = (str(size), str(clients), mode)
    return Contender(name, "benchmarks.workers.collude_upload", words)


def _contenders(size: int) -> list[Contender]:
    socket, flight = "benchmarks.workers.raw_tls", "benchmarks.workers.arrow_flight"
    return [
        _ours(size, 1, "keep", OURS),
        Contender(SOCKET, socket, (str(size), "sink")),
        Contender(DUTIES, socket, (str(size), "duties")),
        Contender(UNARY, "benchmarks.workers.grpc_unary", (str(size),)),
        _ours(size, 1, "use", DECODED),
        _ours(size, 1, "plain", PLAIN),
        Contender(FLIGHT, flight, (str(size), "sink"), "arrow-flight"),
        Contender(FLIGHT_DUTIES, flight, (str(size), "duties"), "arrow-flight"),
    ]


def _one(bench: Bench, label: str, size: int) -> Iterable[Row]:
    contenders = _contenders(size)
    if label == "100 MB":
        contenders.append(
            Contender(FLOWER, "benchmarks.workers.flower_array", (str(size),), "flower")
        )
    found = bench.contest(f"upload {label}", contenders)
    yield from _against_sockets(label, found)
    yield from _against_grpc(label, found)
    yield from _memory(label, found)


def _missing(*outcomes: Outcome) -> str:
    return next((o.missing for o in outcomes if o.missing), "")


def _against_sockets(label: str, found: Found) -> Iterable[Row]:
    ours, socket, duties = found[OURS], found[SOCKET], found[DUTIES]
    yield Row(
        work=f"upload {label}", against=SOCKET, quantity="CPU, ours over it", at_most=2.0,
        measured=ratio(ours.cpu, socket.cpu), missing=_missing(ours, socket),
        why=_duties(found) + "the socket does neither",
    )  # fmt: skip
    yield Row(
        work=f"upload {label}", against=DUTIES, quantity="CPU, ours over it", at_most=2.0,
        measured=ratio(ours.cpu, duties.cpu), missing=_missing(ours, duties),
    )  # fmt: skip
    yield Row(
        work=f"upload {label}", against=DUTIES, quantity="wall time, ours over it",
        measured=ratio(ours.wall, duties.wall), missing=_missing(ours, duties),
    )  # fmt: skip


def _duties(found: Found) -> str:
    ours, socket, duties = (found[name].cpu or 0.0 for name in (OURS, SOCKET, DUTIES))
    extra = duties - socket
    return f"hashing on both ends and the file take {extra:.2g} of ours {ours:.2g} CPU s; "


def _against_grpc(label: str, found: Found) -> Iterable[Row]:
    ours, unary, plain = found[OURS], found[UNARY], found[PLAIN]
    for quantity in ("cpu", "wall", "peak"):
        yield Row(
            work=f"upload {label}", against=UNARY,
            quantity={"cpu": "CPU", "wall": "wall time", "peak": "peak memory"}[quantity],
            at_least=5.0 if quantity != "wall" else None,
            measured=ratio(unary.median(quantity), ours.median(quantity)),
            missing=_missing(ours, unary),
            why=_duties(found) + "the unary receiver does neither",
        )  # fmt: skip
    for name, least in ((FLIGHT_DUTIES, 0.6), (FLIGHT, None)):
        flight = found[name]
        yield Row(
            work=f"upload {label} without TLS", against=name, quantity="speed", at_least=least,
            measured=ratio(flight.wall, plain.wall), missing=_missing(plain, flight),
        )  # fmt: skip
    if FLOWER in found:
        flower, decoded = found[FLOWER], found[DECODED]
        yield Row(
            work=f"upload {label}", against=FLOWER, quantity="CPU", at_least=8.0,
            measured=ratio(flower.cpu, decoded.cpu), missing=_missing(flower, decoded),
            why="Flower's receiver writes nothing, and its conversions have become quicker than "
                "those on which the budget was set",
        )  # fmt: skip


def _memory(label: str, found: Found) -> Iterable[Row]:
    for name, quantity in ((OURS, "peak"), (DECODED, "anonymous")):
        outcome = found[name]
        yield _mb(f"upload {label}", name, quantity, outcome, 200.0)


def _mb(work: str, against: str, quantity: str, outcome: Outcome, limit: float) -> Row:
    words = {"peak": "peak memory over idle", "anonymous": "anonymous memory over idle"}
    measured = outcome.median(quantity)
    return Row(
        work=work, against=f"idle ({against})", quantity=words[quantity], unit=" MB",
        at_most=limit, measured=None if measured is None else round(measured / MB),
        missing=outcome.missing,
    )  # fmt: skip


def _several(bench: Bench) -> Iterable[Row]:
    size, many = (2_000_000, 20) if bench.tiny else (100_000_000, 1000)
    ten = bench.contest("10 uploads of 100 MB at once", [_ours(size, 10, "keep", OURS)])
    yield _mb("10 uploads of 100 MB at once", OURS, "peak", ten[OURS], 300.0)
    # Each run takes half a minute, and the figure hardly moves.
    few = replace(bench, repeats=min(3, bench.repeats))
    crowd = few.contest("1,000 clients, 2 MB each", [_ours(2_000_000, many, "keep", OURS)])
    yield _mb("1,000 clients, 2 MB each", OURS, "peak", crowd[OURS], 300.0)
