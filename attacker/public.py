"""What lies open to everybody, as a file: the feature map and public records behind it."""

from pathlib import Path

from collude.attacker.view import Public
from collude.common.atomic import npz_bytes, write_atomically
from collude.common.data import Dataset
from collude.common.data.feature_map import FeatureMap
from collude.common.data.files import read_arrays

FILE = "public.npz"


def public_of(dataset: Dataset) -> Public:
    """Return the public part of a data set, empty where it has none."""
    records = None if dataset.people is None else dataset.people.public.records
    return Public(dataset.features, records)


def write_public(folder: Path, dataset: Dataset) -> None:
    """Write the public part of a data set, or nothing where it has none."""
    arrays = {}
    if dataset.features is not None:
        arrays["basis"] = dataset.features.basis
    if dataset.people is not None:
        arrays["records"] = dataset.people.public.records
    if arrays:
        write_atomically(folder / FILE, npz_bytes(**arrays))


def read_public(path: Path) -> Public:
    """Return what `write_public` wrote; empty if there is no such file.

    Raises:
        DataInvalid: the file cannot be read.
    """
    if not path.is_file():
        return Public()
    stored = read_arrays(path, (), optional=("basis", "records"))
    basis = stored.get("basis")
    return Public(None if basis is None else FeatureMap(basis), stored.get("records"))
