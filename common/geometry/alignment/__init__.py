"""Alignment estimators: from noisy transformed anchors to one map per participant."""

from collude.common.geometry.alignment.intake import CentredAnchor, accept_anchor, accept_records
from collude.common.geometry.alignment.power import align_power
from collude.common.geometry.alignment.reference import align_to_reference
from collude.common.geometry.alignment.result import Alignment
from collude.common.geometry.alignment.screen import Dropped, Screening, screen_anchors
from collude.common.geometry.alignment.spectral import SpectralAccumulator, align_spectral

__all__ = [
    "Alignment",
    "CentredAnchor",
    "Dropped",
    "Screening",
    "SpectralAccumulator",
    "accept_anchor",
    "accept_records",
    "align_power",
    "align_spectral",
    "align_to_reference",
    "screen_anchors",
]
