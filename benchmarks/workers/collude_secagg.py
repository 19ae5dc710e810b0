"""Ours: one silo's step of secure aggregation, or all its steps, or the coordinator's last one.

    STEP SILOS NEIGHBOURS SHARES LENGTH

STEP is `mask` (agree on keys with the neighbours, add all masks), `share` (split both secrets,
seal one envelope for each neighbour), `silo` (all five rounds of one silo) or `unmask` (the
coordinator with one silo in ten gone after it shared: take all shares, put the secrets together,
check them, take off all masks that are left).
"""

import sys
from collections.abc import Callable

import numpy as np

from benchmarks.workers.secagg_silos import (
    Federation,
    Rehearsed,
    federation,
    first_advertised,
    forget,
    rehearse,
    views,
)
from benchmarks.workers.timing import measured, say
from collude.codef.secagg import Client
from collude.codef.secagg import messages as m
from collude.codef.secagg.client.r1_share_keys import Shared, ShareKeysState
from collude.codef.secagg.client.r2_masked_input import MaskedInputState
from collude.codef.secagg.client.r3_consistency import ConsistencyState
from collude.codef.secagg.client.r4_unmask import unmask
from collude.codef.secagg.server import Server

GONE_ONE_IN = 10
Step = Callable[[], object]


def mask(fed: Federation) -> Step:
    """Return the step; the shares of others, which it only carries on, are left out."""
    core, known = fed.cores[fed.names[0]], Shared(first_advertised(fed), fed.names, {})
    return lambda: MaskedInputState(core, known).opening()


def share(fed: Federation) -> Step:
    core, known = fed.cores[fed.names[0]], first_advertised(fed)
    return lambda: ShareKeysState(core, known).opening()


def silo(fed: Federation) -> Step:
    before: Rehearsed = rehearse(fed)
    core = fed.cores[fed.names[0]]
    letters: list[m.ToClient] = [sent[core.name] for sent in before.letters]
    letters += [m.InputsReceived(fed.names), views(fed, before.shared)]

    def live() -> m.ToServer:
        client = Client(fed.terms, core.name, fed.counts, core.signing_key, core.entropy)
        answer: m.ToServer = client.start()
        for letter in letters:
            answer = client.receive(letter)
        return answer

    return live


def coordinator(fed: Federation) -> Step:
    """Return the last step, which ends with the right sum or not at all."""
    server, sent = _up_to_unmask(fed)
    expected = len(sent) * fed.counts

    def last() -> None:
        for name, message in sent.items():
            server.receive(name, message)
        server.close()
        if not np.array_equal(server.aggregate, expected):
            raise RuntimeError("the sum is wrong")

    return last


def _up_to_unmask(fed: Federation) -> tuple[Server, dict[str, m.Unmask]]:
    before = rehearse(fed)
    server = before.server
    alive = tuple(name for index, name in enumerate(fed.names) if index % GONE_ONE_IN)
    signing = {}
    for name in alive:
        state = MaskedInputState(fed.cores[name], before.shared[name])
        server.receive(name, state.opening())  # one masked vector at a time is in memory
        received = state.receive(m.InputsReceived(alive))
        signing[name] = ConsistencyState(fed.cores[name], received)
    server.close()
    for name, waiting in signing.items():
        server.receive(name, waiting.opening())
    letters = server.close()
    sent = {}
    for name, waiting in signing.items():
        letter = letters[name]
        assert isinstance(letter, m.UnmaskRequest)
        sent[name] = unmask(waiting.receive(letter))
    return server, sent


STEPS = {"mask": mask, "share": share, "silo": silo, "unmask": coordinator}


def main() -> None:
    step, sizes = sys.argv[1], map(int, sys.argv[2:])
    work = STEPS[step](federation(*sizes))
    forget()
    say(measured(work)[1])


if __name__ == "__main__":
    main()
