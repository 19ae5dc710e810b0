"""The alignment estimators, under the analyst's name. They live in `common/geometry`."""

from collude.common.geometry.alignment import (
    Alignment,
    SpectralAccumulator,
    align_power,
    align_spectral,
    align_to_reference,
)

__all__ = [
    "Alignment",
    "SpectralAccumulator",
    "align_power",
    "align_spectral",
    "align_to_reference",
]
