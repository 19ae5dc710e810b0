"""A transfer between two processes over loopback: the times of both, the memory of the receiver.

A worker's module is run twice: by the contest as the sender, and by the sender as the receiver
(`serve FOLDER ...`). The receiver says where it listens, and at the end what it used.
"""

import json
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.workers.timing import measured, say, status

SAMPLE_S = 0.005
MIB = 1024 * 1024


class Receiver:
    """In the receiver's process: what it uses from `listening` to `done`."""

    def listening(self, address: str) -> None:
        """Say where; from now on it counts."""
        self._idle = {name: status(name) for name in ("VmRSS", "RssAnon")}
        self._most = 0
        self._over = threading.Event()
        self._sampler = threading.Thread(target=self._sample, daemon=True)
        self._sampler.start()
        self._cpu = time.process_time()
        print(address, flush=True)

    def _sample(self) -> None:
        # The kernel keeps the peak of all memory, but not that of anonymous memory alone.
        while not self._over.wait(SAMPLE_S):
            self._most = max(self._most, status("RssAnon"))

    def done(self) -> None:
        """Say what was used."""
        cpu = time.process_time() - self._cpu
        self._over.set()
        self._sampler.join()
        peak = status("VmHWM") - self._idle["VmRSS"]
        anonymous = max(0, self._most - self._idle["RssAnon"])
        print(json.dumps({"cpu": cpu, "peak": peak, "anonymous": anonymous}), flush=True)


Used = Callable[[], dict[str, float]]


@contextmanager
def receiver(module: str, *arguments: object) -> Iterator[tuple[str, Used]]:
    """Start the receiver; give its address, and a call that waits for what it used."""
    command = [sys.executable, "-m", module, "serve", *map(str, arguments)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        out = process.stdout

        def used() -> dict[str, float]:
            figures: dict[str, float] = json.loads(out.readline())
            return figures

        try:
            yield out.readline().strip(), used
        finally:
            process.kill()


Prepare = Callable[[Path], Callable[[str], Any]]


def compete(module: str, prepare: Prepare, *arguments: object) -> None:
    """Measure one transfer and print the figures.

    Args:
        module: its full name; in a main module, `__name__` is not.
        prepare: from a folder that the receiver gets too, to a call that sends to an address.
        arguments: of the receiver, after the folder.
    """
    with TemporaryDirectory() as name:
        folder = Path(name)
        send = prepare(folder)
        with receiver(module, folder, *arguments) as (address, used):
            _, sender = measured(lambda: send(address))
            theirs = used()
    say({
        "wall": sender["wall"],
        "cpu": sender["cpu"] + theirs["cpu"],
        "peak": theirs["peak"],
        "anonymous": theirs["anonymous"],
        "sender cpu": sender["cpu"],
    })


def body(size: int) -> bytes:
    """Return that many bytes, repeated every MiB: nothing here compresses."""
    block = bytes(range(256)) * (MIB // 256)
    return (block * (size // MIB + 1))[:size]


def arguments() -> tuple[bool, Sequence[str]]:
    """Return whether this process is the receiver, and its arguments."""
    serves = sys.argv[1:2] == ["serve"]
    return serves, sys.argv[2:] if serves else sys.argv[1:]
