"""The benchmarks are no part of the package: they are found from the repository's root."""

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
if str(ROOT) not in sys.path:
    sys.path.append(str(ROOT))  # last: a bare name of the tree must not hide an installed one


@pytest.fixture(scope="session")
def root() -> Path:
    return ROOT
