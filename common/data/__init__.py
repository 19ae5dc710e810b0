"""Data sets, their split among participants, and a participant's own share."""

from collude.common.data.dataset import Dataset, DatasetSource
from collude.common.data.files import load_share, save_share
from collude.common.data.share import Share, check_share
from collude.common.data.sources import load_dataset
from collude.common.data.split import split

__all__ = [
    "Dataset",
    "DatasetSource",
    "Share",
    "check_share",
    "load_dataset",
    "load_share",
    "save_share",
    "split",
]
