"""Disks that refuse, and what lies on them."""

import contextlib
import os
import resource


def lies_in(folder):
    """The kinds of file below a folder, sorted."""
    return sorted(path.suffix for path in folder.rglob("*") if path.is_file())


@contextlib.contextmanager
def files_up_to(size):
    """No file of this process may grow over `size`: what a full disk does, by a limit."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@contextlib.contextmanager
def without_privileges(*folders):
    """These folders cannot be written, not even by root, who becomes nobody."""
    root = os.geteuid() == 0
    for folder in folders:
        folder.chmod(0o555)
    if root:
        os.seteuid(65534)
    try:
        yield
    finally:
        if root:
            os.seteuid(0)
        for folder in folders:
            folder.chmod(0o700)
