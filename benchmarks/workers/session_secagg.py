"""Ours: a whole session of five rounds in one process, the coordinator's time apart.

    SILOS GRAPH LENGTH

GRAPH is `complete` (t = 2/3 of the silos) or `harary` (the smallest safe one with one silo in
twenty corrupt and one in twenty gone). One silo in twenty is silent, in equal parts from
share_keys, masked_input, consistency and unmask on.

Silos in one process may check once what all of them are shown. A silo of its own cannot, so the
time of a silo is that of a few which check everything anew.
"""

import sys
import time
from collections.abc import Callable, Mapping
from typing import TypeVar

import numpy as np

from benchmarks.workers.secagg_silos import Federation, federation, forget
from benchmarks.workers.timing import measured, say
from collude.codef.secagg import STAGES, Client, Server, Stage
from collude.codef.secagg import messages as m
from collude.codef.secagg.parameters import Expectation, harary_parameters

SILENT_ONE_IN = 20
ALONE = 20
"""Silos whose time is measured."""
Result = TypeVar("Result")


class Clock:
    """CPU seconds of some calls."""

    def __init__(self) -> None:
        self.cpu = 0.0

    def on(self, call: Callable[..., Result], *arguments: object) -> Result:
        before = time.process_time()
        result = call(*arguments)
        self.cpu += time.process_time() - before
        return result


def silent_from(names: tuple[str, ...]) -> Mapping[str, Stage]:
    late = tuple(STAGES)[1:]
    return {name: late[i % len(late)] for i, name in enumerate(names[::SILENT_ONE_IN])}


class Session:
    """One session, and the time that its coordinator and some of its silos take."""

    def __init__(self, fed: Federation) -> None:
        self._fed, self._server = fed, Server(fed.terms)
        self._alone = set(fed.names[1 :: max(1, len(fed.names) // ALONE)])
        self._clients: dict[str, Client] = {}
        self.server, self._silos = Clock(), Clock()

    @property
    def silo(self) -> float:
        """CPU seconds of one silo."""
        return self._silos.cpu / len(self._alone)

    def _of(self, name: str, call: Callable[..., Result], *arguments: object) -> Result:
        if name not in self._alone:
            return call(*arguments)
        forget()
        return self._silos.on(call, *arguments)

    def run(self) -> None:
        """Carry all messages, and compare the sum with that of the silos that sent counts.

        Raises:
            RuntimeError: it is another.
        """
        silent, server = silent_from(self._fed.names), self._server
        waiting = {name: self._of(name, self._join, name) for name in self._fed.names}
        for stage in STAGES:
            for name, sent in waiting.items():
                if silent.get(name) is not stage:
                    self.server.on(server.receive, name, sent)
            letters = self.server.on(server.close)
            waiting = {
                name: self._of(name, self._clients[name].receive, letter)
                for name, letter in letters.items()
            }
        if not np.array_equal(server.aggregate, len(server.silos) * self._fed.counts):
            raise RuntimeError("the sum is wrong")

    def _join(self, name: str) -> m.ToServer:
        core, fed = self._fed.cores[name], self._fed
        client = Client(fed.terms, name, fed.counts, core.signing_key, core.entropy)
        self._clients[name] = client
        return client.start()


def sizes(silos: int, graph: str) -> tuple[int, int]:
    """Return neighbours of each silo, and the shares that give a secret."""
    few = silos // SILENT_ONE_IN
    found = harary_parameters(Expectation(silos, few, few)) if graph == "harary" else None
    return found or (silos - 1, 2 * silos // 3 + 1)


def main() -> None:
    silos, graph, length = int(sys.argv[1]), sys.argv[2], int(sys.argv[3])
    session = Session(federation(silos, *sizes(silos, graph), length))
    _, figures = measured(session.run)
    say({**figures, "server cpu": session.server.cpu, "silo cpu": session.silo})


if __name__ == "__main__":
    main()
