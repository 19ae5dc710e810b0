"""The analyst's names are the estimators of common/geometry, not copies."""

from collude.analyst import alignment as analyst
from collude.common.geometry import alignment as common


def test_the_names_are_the_same_objects():
    assert analyst.__all__ == [
        "Alignment", "SpectralAccumulator", "align_power", "align_spectral", "align_to_reference",
    ]  # fmt: skip
    assert all(getattr(analyst, name) is getattr(common, name) for name in analyst.__all__)
