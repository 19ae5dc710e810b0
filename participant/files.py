"""What a participant keeps in its own folder."""

from pathlib import Path
from typing import Any

import numpy as np

from collude.common.protocol.messages import ColluderDisclosure

DISCLOSABLE = "disclosable.npz"
EVERYTHING = ("records", "transform", "anchor", "noise")
_ARRAYS = ("records", "rotation", "translation", "anchor", "noise")


def write_disclosable(folder: Path, told: ColluderDisclosure) -> None:
    """Write all that this participant could disclose later; simulation mode only."""
    arrays: dict[str, Any] = {
        name: value for name in _ARRAYS if (value := getattr(told, name)) is not None
    }
    np.savez(folder / DISCLOSABLE, **arrays)
