"""One fit of the paper's network against torch as one would write it, on one thread."""

from collections.abc import Iterable

from benchmarks.framework import Bench, Contender, Row
from benchmarks.framework.row import ratio

TITLE = "Training the network"
NOTES = (
    "Both train the same 9,381 numbers for the same epochs and choose the epoch alike. The flop "
    "limit is that of a float32 product of two 2000 x 2000 matrices.",
)
SIZE = ("10000", "5")
PRODUCT = "2000"


def measure(bench: Bench) -> Iterable[Row]:
    """Yield the rows of the table."""
    rows, epochs = size = ("64", "1") if bench.tiny else SIZE
    work = f"one fit, {rows} images, {epochs} epochs"
    product = "8" if bench.tiny else PRODUCT
    found = bench.contest(
        work,
        [
            Contender("ours", "benchmarks.workers.collude_cnn", (*size, product)),
            Contender("NCHW + DataLoader", "benchmarks.workers.torch_cnn", size),
        ],
    )
    ours, theirs = found.values()
    yield Row(
        work=work, against="NCHW + DataLoader", quantity="CPU", at_least=1.3,
        measured=ratio(theirs.cpu, ours.cpu), missing=theirs.missing or ours.missing,
    )  # fmt: skip
    yield Row(
        work=work, against="a float32 product", quantity="flop rate", at_least=0.33,
        measured=ours.median("fraction"), missing=ours.missing,
        why="only multiplications count as work; pooling, activations and the optimiser do not",
    )  # fmt: skip
