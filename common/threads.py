"""One BLAS thread: the bytes of a product differ between thread counts."""

from contextlib import AbstractContextManager, nullcontext

from threadpoolctl import threadpool_limits


def one_blas_thread() -> AbstractContextManager[object]:
    """Return a block in which the BLAS libraries that are loaded use one thread.

    Where the paths of the libraries cannot be spelt in the locale's encoding (letters other than
    ASCII under the C locale), they cannot be looked up; then the limit that the environment sets
    (`OMP_NUM_THREADS`) is all there is.
    """
    try:
        limits: AbstractContextManager[object] = threadpool_limits(1)
    except UnicodeError:
        return nullcontext()
    return limits
