"""The handwritten digits that are part of scikit-learn."""

import numpy as np

from collude.common.data.dataset import Dataset
from collude.common.errors import ExtraMissing
from collude.common.scenario.sections import Data

BRIGHTEST = 16.0


def load_digits(_settings: Data) -> Dataset:
    """Return 1,797 digits of 8 x 8 pixels: (1797, 64) in [0, 1], ten classes.

    Raises:
        ExtraMissing: scikit-learn is not installed.
    """
    try:
        from sklearn.datasets import load_digits as bundled  # noqa: PLC0415 -- an optional extra
    except ImportError as error:
        raise ExtraMissing(
            "the data set 'digits' is part of scikit-learn, which is not installed",
            field="data.source",
            hint='Install the extra "demo": pip install "collude[demo]"',
        ) from error
    pixels, labels = bundled(return_X_y=True)
    return Dataset(
        name="digits",
        records=np.asarray(pixels, dtype=np.float64) / BRIGHTEST,
        labels=np.asarray(labels, dtype=np.int64),
        credit="E. Alpaydin and C. Kaynak, Optical Recognition of Handwritten Digits, UCI",
        image_shape=(8, 8),
        ink=True,
    )
