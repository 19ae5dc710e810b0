"""One BLAS thread, and a locale that cannot spell where the libraries lie."""

import numpy as np
from threadpoolctl import threadpool_info

from collude.common import threads


def blas_threads():
    return {pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"}


def test_the_libraries_that_are_loaded_use_one_thread():
    np.eye(2) @ np.eye(2)
    with threads.one_blas_thread():
        assert blas_threads() == {1}


def test_paths_that_cannot_be_spelt_are_no_error(monkeypatch):
    def unspeakable(_limit):
        raise UnicodeEncodeError("ascii", "ö", 0, 1, "ordinal not in range(128)")

    monkeypatch.setattr(threads, "threadpool_limits", unspeakable)
    with threads.one_blas_thread() as limits:
        assert limits is None
