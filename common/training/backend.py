"""torch, imported only when something is trained, and on one thread."""

from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType

from collude.common.errors import ExtraMissing


def torch_module() -> ModuleType:
    """Return torch.

    Raises:
        ExtraMissing: it is not installed.
    """
    try:
        import torch  # noqa: PLC0415 -- slow to import, and an optional extra
    except ImportError as error:
        raise ExtraMissing(
            "training needs torch, which is not installed",
            field="training.model",
            hint='Install the extra "train": pip install "collude[train]"',
        ) from error
    return torch


@contextmanager
def one_thread() -> Iterator[None]:
    """Run with one thread: sums over several threads come in another order each time.

    Raises:
        ExtraMissing: torch is not installed.
    """
    torch = torch_module()
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)
