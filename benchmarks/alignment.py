"""Alignment against what else gives rotations from the same noisy anchors.

Every contender reads the same anchors from files, as a process of its own, on one BLAS thread.
"""

import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from benchmarks.framework import Bench, Contender, Outcome, Row
from benchmarks.framework.row import ratio
from collude.common.geometry import centered_orthonormal_anchor, haar_orthogonal

TITLE = "Alignment"
NOTES = (
    "Everything is float64. There is no float32 option: it would halve the time, but on "
    "ill-conditioned anchors its error is 4e-3. A polar factor comes from the eigenvectors of "
    "M^T M where the condition of M allows, else from an SVD; Newton-Schulz, which silently "
    "returns a wrong orthogonal matrix at high noise, is not used.",
    "There is no torch backend: the row on LAPACK shows what it would bring on this machine, "
    "before the seconds that importing torch takes.",
)

NOISE_S = 0.4
"""s = v sqrt(d): the anchor noise v relative to the length of an anchor's columns."""
WORKERS = "benchmarks.workers."
SCIPY = "scipy"

D = 400
LARGE = {"r": 800, "p": 50}
MIDDLE = ({"r": 401, "p": 10}, {"r": 800, "p": 10})
SMALL = {"r": 401, "p": 3}
GROWTH_R, GROWTH_P = 800, (10, 50, 200)

POLAR_WALL = (
    "each block needs a polar factor of its own, on both sides; they and their products take ours "
    "{:.2g} of its {:.2g} s, and the joint estimate before them alone is {:.2g}x"
)


def measure(bench: Bench) -> Iterable[Row]:
    """Yield the rows of the table."""
    d = 8 if bench.tiny else D
    yield from against_the_stack(bench, d)
    for size in MIDDLE:
        yield from against_procrustes(bench, d, **size)
    yield from against_one_shot_alone(bench, d)
    yield from growth(bench, d)
    yield gram(bench)
    yield lapack(bench)


def against_the_stack(bench: Bench, d: int) -> Iterator[Row]:
    size = shape(bench, d, **LARGE)
    ours, joint, stack, thin = "ours", "ours, joint estimate", "numpy stack", "numpy thin SVD"
    with anchor_files(d, **size) as folder:
        mine, theirs = folder.parent / "ours.npy", folder.parent / "theirs.npy"
        found = bench.contest(
            describe(d, **size),
            [
                worker(ours, "collude_rotations", folder, mine),
                worker(stack, "numpy_stack", folder, theirs),
                worker(joint, "collude_joint", folder),
                worker(thin, "numpy_thin_svd", folder),
            ],
        )
        apart = largest_difference(mine, theirs)
    work, against = f"rotations, {describe(d, **size)}", "numpy thin SVD of the stack, SVD a block"
    yield Row(
        work=work, against=against, quantity="CPU", at_least=7,
        measured=ratio(found[stack].cpu, found[ours].cpu),
        why=why_not_seven(found[ours], found[joint], found[stack]),
    )  # fmt: skip
    yield Row(
        work=work, against=against, quantity="peak memory", at_least=5,
        measured=ratio(found[stack].peak, found[ours].peak),
    )  # fmt: skip
    yield Row(
        work=work, against=against, quantity="largest entry of the difference of R_i R_0^T",
        measured=apart, unit="", at_most=1e-10,
    )  # fmt: skip
    yield Row(
        work=f"joint estimate, {describe(d, **size)}", against="numpy thin SVD of the stack alone",
        quantity="CPU", measured=ratio(found[thin].cpu, found[joint].cpu),
    )  # fmt: skip


def why_not_seven(ours: Outcome, joint: Outcome, stack: Outcome) -> str:
    """Return what the rotations cost beside the joint estimate, in this run's own seconds."""
    if not (ours.cpu and joint.cpu and stack.cpu):
        return ""
    return POLAR_WALL.format(ours.cpu - joint.cpu, ours.cpu, stack.cpu / joint.cpu)


def against_procrustes(bench: Bench, d: int, r: int, p: int) -> Iterator[Row]:
    size = shape(bench, d, r, p)
    with anchor_files(d, **size) as folder:
        found = bench.contest(
            f"end to end, {describe(d, **size)}",
            [
                worker("ours", "collude_aligned", folder),
                worker("scipy GPA", "scipy_gpa", folder, peer=SCIPY),
                worker("qc-procrustes", "qc_procrustes", folder, peer="qc-procrustes"),
                worker("scipy one shot", "scipy_one_shot", folder, peer=SCIPY),
            ],
        )
    work = f"end to end, {describe(d, **size)}"
    for name, budget in (("scipy GPA", 2.5), ("qc-procrustes", 15.0)):
        yield Row(
            work=work, against=name, quantity="CPU", at_least=budget,
            measured=ratio(found[name].cpu, found["ours"].cpu), missing=found[name].missing,
        )  # fmt: skip
    yield one_shot(work, found)


def against_one_shot_alone(bench: Bench, d: int) -> Iterator[Row]:
    size = shape(bench, d, **SMALL)
    with anchor_files(d, **size) as folder:
        found = bench.contest(
            f"end to end, {describe(d, **size)}",
            [
                worker("ours", "collude_aligned", folder),
                worker("scipy one shot", "scipy_one_shot", folder, peer=SCIPY),
            ],
        )
    yield one_shot(f"end to end, {describe(d, **size)}", found)


def one_shot(work: str, found: dict[str, Outcome]) -> Row:
    return Row(
        work=work, against="scipy one shot, to the first participant", quantity="CPU, ours over it",
        at_most=1.5, measured=ratio(found["ours"].cpu, found["scipy one shot"].cpu),
        missing=found["scipy one shot"].missing,
        why="it solves less: p - 1 products and no joint estimate",
    )  # fmt: skip


def growth(bench: Bench, d: int) -> Iterator[Row]:
    """Yield how time and memory grow from the fewest to the most participants."""
    found = {}
    for p in (2, 4) if bench.tiny else GROWTH_P:
        size = shape(bench, d, GROWTH_R, p)
        with anchor_files(d, size["r"], p) as folder:
            task = f"stream from files, {describe(d, size['r'], p)}"
            found[p] = bench.contest(task, [worker("ours", "collude_stream", folder)])["ours"]
    few, many = min(found), max(found)
    against = f"p={few}"
    work = f"stream from files, d={d} r={size['r']} p={many}"
    per_head = {p: ratio(outcome.cpu, p) for p, outcome in found.items()}
    yield Row(
        work=work, against=against, quantity="CPU a participant", at_most=1.1,
        measured=ratio(per_head[many], per_head[few]),
    )  # fmt: skip
    yield Row(
        work=work, against=against, quantity="peak memory", at_most=1.1,
        measured=ratio(found[many].peak, found[few].peak),
    )  # fmt: skip


def gram(bench: Bench) -> Row:
    size = ("9", "8", "2", "8") if bench.tiny else (str(GROWTH_R), str(D), "20", "2000")
    task = f"Gram matrix, r={size[0]} d={size[1]}"
    found = bench.contest(task, [Contender("ours", f"{WORKERS}collude_gram", size)])["ours"]
    return Row(
        work=task, against="a product of two 2000 x 2000 matrices", quantity="flop rate",
        measured=found.median("fraction"), at_least=0.45,
    )  # fmt: skip


def lapack(bench: Bench) -> Row:
    size = ("9", "8") if bench.tiny else (str(GROWTH_R), str(D))
    task = f"LAPACK, one eigh of {size[0]}, ten SVDs of {size[1]}"
    names = ("numpy", "torch")
    found = bench.contest(task, [Contender(n, f"{WORKERS}{n}_lapack", size) for n in names])
    return Row(
        work=task, against="torch", quantity="CPU, torch over numpy",
        measured=ratio(found["torch"].cpu, found["numpy"].cpu), missing=found["torch"].missing,
    )  # fmt: skip


def worker(name: str, module: str, *paths: Path, peer: str | None = None) -> Contender:
    return Contender(name, WORKERS + module, tuple(map(str, paths)), peer)


def shape(bench: Bench, d: int, r: int, p: int) -> dict[str, int]:
    """Return r and p, or next to nothing where only the machinery is tried."""
    return {"r": d + 1, "p": 3} if bench.tiny else {"r": r, "p": p}


def describe(d: int, r: int, p: int) -> str:
    return f"d={d} r={r} p={p}"


@contextmanager
def anchor_files(d: int, r: int, p: int) -> Iterator[Path]:
    """Yield a folder of p transformed noisy anchors of shape (r, d), one file each."""
    rng = np.random.default_rng(0)
    A = centered_orthonormal_anchor(r, d, rng)
    noise = NOISE_S / np.sqrt(d)
    with tempfile.TemporaryDirectory(prefix="collude-bench-") as place:
        folder = Path(place) / "anchors"
        folder.mkdir()
        for i in range(p):
            noisy = A + noise * rng.standard_normal((r, d))
            np.save(folder / f"{i:04}.npy", noisy @ haar_orthogonal(d, rng) + rng.normal(size=d))
        yield folder


def largest_difference(mine: Path, theirs: Path) -> float | None:
    """Return the largest entry by which two results' R_i R_0^T differ, or None without both."""
    if not (mine.exists() and theirs.exists()):
        return None
    ours, peers = (np.load(path, mmap_mode="r", allow_pickle=False) for path in (mine, theirs))
    pairs = zip(ours, peers, strict=True)
    return max(float(np.abs(a @ ours[0].T - b @ peers[0].T).max()) for a, b in pairs)
