"""Where simulated cells run: here, in processes of this machine, or wherever dask or ray puts them.

joblib hands the cells out; a cell is a function of a module and plain values, so it can travel.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from collude.common.errors import ExtraMissing, ParameterInvalid

Work = Callable[..., Any]
Calls = Sequence[tuple[Work, tuple[Any, ...]]]
LOKY = "loky"


def check_backend(backend: str) -> None:
    """Refuse a backend that is unknown or not installed.

    Raises:
        ParameterInvalid: there is no such backend.
        ExtraMissing: it is not installed.
    """
    if backend not in BACKENDS:
        raise ParameterInvalid(
            f"there is no backend {backend}",
            field="--backend",
            expected=", ".join(BACKENDS),
            got=backend,
        )
    known = BACKENDS[backend]
    if find_spec(known.package) is None:
        raise ExtraMissing(
            f"--backend {backend} needs {known.package}, which is not installed",
            field="--backend",
            hint=f"pip install {known.install}, or leave --backend out: loky comes with collude",
        )


def each(calls: Calls, backend: str, jobs: int) -> Iterator[Any]:
    """Yield the result of every call, in any order, as it is done where the backend can do that.

    Args:
        calls: functions with their arguments.
        backend: where.
        jobs: how many at once; 1 is here, one after the other.

    Raises:
        ParameterInvalid: there is no such backend.
        ExtraMissing: it is not installed.
    """
    check_backend(backend)
    if backend == LOKY and (jobs == 1 or len(calls) < 2):  # noqa: PLR2004 -- nothing to share out
        for work, arguments in calls:
            yield work(*arguments)
        return
    from joblib import Parallel, delayed  # noqa: PLC0415 -- slow, and only for many processes

    known = BACKENDS[backend]
    with known.opened(jobs):
        pool = Parallel(n_jobs=jobs, return_as=known.returns)
        yield from pool(delayed(work)(*arguments) for work, arguments in calls)


def _loky(jobs: int) -> AbstractContextManager[Any]:
    from joblib import parallel_config  # noqa: PLC0415 -- slow, and only for many processes

    # One BLAS thread a process: more cost far more than they bring.
    config: AbstractContextManager[Any] = parallel_config(
        backend=LOKY, n_jobs=jobs, inner_max_num_threads=1
    )
    return config


@contextmanager
def _dask(jobs: int) -> Iterator[None]:
    from joblib import parallel_config  # noqa: PLC0415 -- slow, and only for many processes

    client = import_module("distributed").Client
    with client(n_workers=jobs, threads_per_worker=1), parallel_config(backend="dask"):
        yield


@contextmanager
def _ray(jobs: int) -> Iterator[None]:
    from joblib import parallel_config  # noqa: PLC0415 -- slow, and only for many processes

    ray = import_module("ray")
    ray.init(num_cpus=jobs, ignore_reinit_error=True, log_to_driver=False)
    import_module("ray.util.joblib").register_ray()
    try:
        with parallel_config(backend="ray"):
            yield
    finally:
        ray.shutdown()


@dataclass(frozen=True)
class Backend:
    """Something that runs cells.

    Attributes:
        package: must be importable.
        install: what pip is told to get it.
        opened: from a number of jobs to a context in which joblib uses it.
        returns: joblib's `return_as`: where it must be `list`, all results come at the end.
    """

    package: str
    install: str
    opened: Callable[[int], AbstractContextManager[Any]]
    returns: str = "generator_unordered"


BACKENDS = {
    LOKY: Backend("joblib", "joblib", _loky),
    "dask": Backend("distributed", "'dask[distributed]'", _dask),
    "ray": Backend("ray", "ray", _ray, returns="list"),
}
