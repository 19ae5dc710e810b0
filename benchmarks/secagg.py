"""Secure aggregation against flwr's SecAgg+ and against what cipher, memory and curve leave."""

from collections.abc import Iterable
from dataclasses import replace

from benchmarks.framework import Bench, Contender, Outcome, Row
from benchmarks.framework.row import ratio

TITLE = "Secure aggregation"
NOTES = (
    "flwr is called as its client mod and its workflow call it: `generate_key_pairs`, "
    "`generate_shared_key` (P-384, keys as PEM), `create_shares` of the 32-byte seed and of the "
    "private key, `encrypt` and `decrypt` (Fernet), `pseudo_rand_gen`, `parameters_addition`, "
    "`parameters_subtraction`, `parameters_mod`, `ndarray_to_bytes`, `combine_shares`. Quantizing, "
    "records and messages are left out. Ours also signs, and checks every other silo's "
    "signatures; flwr has none.",
    "The works are alike in what they are for, not in what they give. flwr folds a key into 32 "
    "bits and seeds a Mersenne Twister with them, so its masks hide nothing from who tries all "
    "seeds; ours are AES-256-CTR under a 256-bit key.",
    "`mask`: agree on a key with each neighbour, add the own mask and one for each neighbour, "
    "write the words. `share`: split both secrets, seal an envelope for each neighbour. `silo`: "
    "all rounds of one silo, from its keys to its shares. Rows with 20 neighbours on our side "
    "alone compare a Harary graph with the full mesh: less work for the same sum, which holds "
    "under the graph's own bounds on corrupt silos.",
    "`server`: ours takes the shares of all 90 silos that are left, puts 100 secrets together, "
    "checks each, agrees on 900 keys and takes the masks off. Against `combine_shares` alone, "
    "flwr gets as few shares as will do, 67, and ours does all of this for 1,000 counts. Its "
    "whole step uses all 90 shares, as its workflow does. flwr does one secret after the other "
    "and caches nothing, so a tenth of them is measured, and multiplied.",
    "The speed of masks is that of the 400 MB of mask words of the `mask` step with all 99 "
    "neighbours, by its whole time; what is beside the keystream is the adding, 99 key agreements "
    "and the writing. No machine adds masks faster than it makes their keystream. This step takes "
    "milliseconds, and is run 11 times and not 5.",
    "Three runs (of 5, 5 and 11) under different other load on the machine gave CPU ratios for "
    "`mask` of 5.6 to 6.0 with the full mesh and 20.0 to 23.0 with 20 neighbours against flwr's "
    "mesh: close above their budgets, and on a processor whose AES is slower relative to its "
    "memory they may miss them. Wall times hold what else the machine did.",
    "A session runs the product's clients and coordinator in one process, one silo in twenty "
    "silent from one of four rounds on. The seconds are of all silos together; where they share "
    "a process, they check once what all are shown. The time of a silo is the mean of 20 that "
    "check everything themselves.",
)
WORKERS = "benchmarks.workers"
OURS, FLOWER = "ours", "flwr"
SPARSE, MESH = "20 neighbours", "full mesh"
GB, WORD = 1e9, 4

Sizes = tuple[int, int, int, int]
"""Silos, neighbours, shares that give a secret, counts."""


def measure(bench: Bench) -> Iterable[Row]:
    """Yield the rows of the table."""
    mesh, sparse = ((6, 5, 4, 64), (6, 2, 2, 64)) if bench.tiny else (
        (100, 99, 67, 1_000_000), (100, 20, 14, 1_000_000))  # fmt: skip
    yield from _mask(bench, mesh, sparse)
    yield from _share(bench, mesh)
    yield from _silo(bench, mesh, sparse)
    yield from _server(bench, (20, 19, 14, 64) if bench.tiny else mesh)
    yield from _sessions(bench)


def _ours(step: str, sizes: Sizes, name: str = OURS) -> Contender:
    return Contender(name, f"{WORKERS}.collude_secagg", (step, *map(str, sizes)))


def _flower(step: str, sizes: Sizes, name: str = FLOWER) -> Contender:
    return Contender(name, f"{WORKERS}.flower_secagg", (step, *map(str, sizes)), "flower")


def _limit(name: str, what: str, size: int) -> Contender:
    return Contender(name, f"{WORKERS}.limit_secagg", (what, str(size)))


def _said(sizes: Sizes) -> str:
    silos, _, _, length = sizes
    return f"{silos} silos, {length:,} counts"


def _times(
    work: str, ours: Outcome, theirs: Outcome, against: str, least: float | None
) -> Iterable[Row]:
    """Yield how many times the other's CPU time ours is, with its budget, and wall time."""
    for quantity, budget in (("CPU", least), ("wall time", None)):
        name = {"CPU": "cpu", "wall time": "wall"}[quantity]
        yield Row(
            work=work, against=against, quantity=quantity, at_least=budget,
            measured=ratio(theirs.median(name), ours.median(name)),
            missing=ours.missing or theirs.missing,
        )  # fmt: skip


def _graphs(step: str, mesh: Sizes, sparse: Sizes) -> list[Contender]:
    return [
        _ours(step, mesh, f"{OURS}, {MESH}"),
        _flower(step, mesh, f"{FLOWER}, {MESH}"),
        _ours(step, sparse, f"{OURS}, {SPARSE}"),
        _flower(step, sparse, f"{FLOWER}, {SPARSE}"),
    ]


def _mask(bench: Bench, mesh: Sizes, sparse: Sizes) -> Iterable[Row]:
    size = (mesh[1] + 1) * mesh[3] * WORD
    work = f"mask, {_said(mesh)}"
    limits = [_limit("AES-256-CTR alone", "stream", size), _limit("words added", "words", size)]
    often = replace(bench, repeats=2 * bench.repeats + 1)  # milliseconds: one disturbance is much
    found = often.contest(work, [*_graphs("mask", mesh, sparse), *limits])
    ours, flower, ours_sparse, flower_sparse, stream, words = found.values()
    yield from _times(f"{work}, {MESH}", ours, flower, "flwr", 5)
    yield from _times(f"{work}, {SPARSE}", ours_sparse, flower, f"flwr, {MESH}", 20)
    yield from _times(f"{work}, {SPARSE}", ours_sparse, flower_sparse, f"flwr, {SPARSE}", None)
    yield Row(
        work=f"{work}, {MESH}", against="the clock", quantity="masks", unit=" GB/s", at_least=3,
        measured=ratio(size / GB, ours.cpu), missing=ours.missing,
        why=f"the keystream alone takes {stream.cpu or 0:.2g} of its {ours.cpu or 0:.2g} CPU s",
    )  # fmt: skip
    for limit, against in (
        (stream, "AES-256-CTR of as many bytes, into one buffer"),
        (words, "as many words added from memory"),
    ):
        yield Row(
            work=f"{work}, {MESH}", against=against, quantity="CPU, ours over it",
            measured=ratio(ours.cpu, limit.cpu), missing=ours.missing or limit.missing,
        )  # fmt: skip


def _share(bench: Bench, mesh: Sizes) -> Iterable[Row]:
    silos, neighbours, shares, _ = mesh
    work = f"share, t={shares} of {silos}"
    curve = f"{neighbours} X25519 exchanges and sealings alone"
    contenders = [_ours("share", mesh), _flower("share", mesh), _limit(curve, "agree", neighbours)]
    ours, flower, limit = bench.contest(work, contenders).values()
    yield from _times(work, ours, flower, "flwr", 50)
    yield Row(
        work=work, against=curve, quantity="CPU, ours over it",
        measured=ratio(ours.cpu, limit.cpu), missing=ours.missing or limit.missing,
    )  # fmt: skip


def _silo(bench: Bench, mesh: Sizes, sparse: Sizes) -> Iterable[Row]:
    work = f"silo, {_said(mesh)}"
    found = bench.contest(work, _graphs("silo", mesh, sparse))
    ours, flower, ours_sparse, flower_sparse = found.values()
    yield from _times(f"{work}, {MESH}", ours, flower, "flwr", 5)
    yield from _times(f"{work}, {SPARSE}", ours_sparse, flower, f"flwr, {MESH}", 20)
    yield from _times(f"{work}, {SPARSE}", ours_sparse, flower_sparse, f"flwr, {SPARSE}", None)


def _server(bench: Bench, mesh: Sizes) -> Iterable[Row]:
    silos, neighbours, shares, _ = mesh
    few = (silos, neighbours, shares, 64 if bench.tiny else 1000)
    work = f"server, {silos} silos, {silos // 10} gone"
    found = bench.contest(
        work,
        [
            _ours("unmask", few, "ours, 1,000 counts"),
            _flower("combine", few, "flwr, combine_shares"),
            _ours("unmask", mesh, "ours, 1,000,000 counts"),
            _flower("unmask", mesh, "flwr, 1,000,000 counts"),
        ],
    )
    ours, combine, ours_long, flower_long = found.values()
    yield from _times(f"{work}, 1,000 counts", ours, combine, "flwr's combine_shares alone", 50)
    yield from _times(f"{work}, 1,000,000 counts", ours_long, flower_long, "flwr", None)


def _sessions(bench: Bench) -> Iterable[Row]:
    for silos, graph, length in (
        [(20, "complete", 10)] if bench.tiny
        else [(100, "complete", 10_000), (1000, "harary", 1000)]
    ):  # fmt: skip
        work = f"session, {silos:,} silos, {length:,} counts, {graph}"
        words = (str(silos), graph, str(length))
        (ours,) = bench.contest(
            work, [Contender(OURS, f"{WORKERS}.session_secagg", words)]
        ).values()
        for quantity, name in (("CPU of one silo", "silo cpu"), ("CPU of the server", "server cpu"),
                               ("CPU of all in one process", "cpu")):  # fmt: skip
            seconds = ours.median(name)
            yield Row(
                work=work, against="the clock", quantity=quantity, unit=" s",
                measured=seconds, missing=ours.missing,
            )  # fmt: skip
