"""A whole session in one process: the same clients and server that the services drive."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from collude.codef.numeric.checks import refuse
from collude.codef.secagg import messages as m
from collude.codef.secagg.client import Client
from collude.codef.secagg.graph import LEAST_SHARES, Graph, complete_graph, harary_graph
from collude.codef.secagg.modulus import Modulus
from collude.codef.secagg.parameters import Expectation, harary_parameters
from collude.codef.secagg.server import Server
from collude.codef.secagg.stages import STAGES, Stage
from collude.codef.secagg.terms import LEAST_SILOS, Terms
from collude.common.encoding import digest
from collude.common.ids import participant_name
from collude.common.protocol.signing import SigningKey
from collude.common.randomness import Entropy, party_seed
from collude.common.roster import Roster

CORRUPT_ONE_IN = 20
"""The share of corrupt silos that a simulated Harary graph is made for."""


def simulate(
    vectors: Sequence[ArrayLike],
    threshold: int,
    dropouts: Mapping[int, str] | None = None,
    graph: str = "complete",
    modulus_bits: int = 32,
    seed: int = 0,
) -> NDArray[np.uint64]:
    """Return the sum of the vectors of all silos that sent their masked counts: shape (m,).

    Any threshold from 2 is taken, since everybody here keeps to the protocol; `Terms` asks for
    a majority.

    Args:
        vectors: one of shape (m,) for each of K >= 3 silos, whole numbers from 0 to
            (2^modulus_bits - 1) / K, so that no sum wraps.
        threshold: silos that must stay to the end.
        dropouts: index of a silo -> stage from which it is silent: advertise_keys, share_keys,
            masked_input, consistency or unmask.
        graph: "complete", or "harary": the smallest one safe with one silo in twenty corrupt
            and all but `threshold` silos gone, which among few silos is the complete one.
        modulus_bits: w, from 8 to 64.
        seed: of everything random, 0 or more.

    Raises:
        ParameterInvalid: an argument is out of range, or counts could wrap.
        AggregationAborted: too few silos were left in `.stage`.
    """
    silent = _silent_from(dropouts or {}, len(vectors))
    silos, modulus = len(vectors), Modulus(modulus_bits)
    if silos < LEAST_SILOS:
        refuse("silos", f"{LEAST_SILOS} or more", silos)
    keys = _signing_keys(silos, seed)
    terms = Terms(
        session=digest("codef/v1/simulated-session", seed),
        roster=Roster.of({name: key.public for name, key in keys.items()}),
        length=_length(vectors),
        cap=modulus.most_count(silos),
        threshold=threshold,
        modulus=modulus,
        min_silos=1,
        graph=_graph_of(graph, silos, threshold, seed),
        least_threshold=LEAST_SHARES,
    )
    clients = {
        name: Client(terms, name, vector, key, Entropy(party_seed(seed, name), simulated=True))
        for (name, key), vector in zip(keys.items(), vectors, strict=True)
    }
    return run(clients, Server(terms), silent)


def run(
    clients: Mapping[str, Client], server: Server, silent: Mapping[str, Stage]
) -> NDArray[np.uint64]:
    """Carry all messages of a session, and return the sum.

    Args:
        clients: by name.
        server: of the same terms.
        silent: name -> the stage from which a silo sends nothing.

    Raises:
        AggregationAborted: by the server, or by a client.
    """
    waiting: dict[str, m.ToServer] = {name: client.start() for name, client in clients.items()}
    for stage in STAGES:
        waiting = {name: sent for name, sent in waiting.items() if silent.get(name) is not stage}
        for name, sent in waiting.items():
            server.receive(name, sent)
        letters = server.close()
        waiting = {name: clients[name].receive(letter) for name, letter in letters.items()}
    return server.aggregate


def _silent_from(dropouts: Mapping[int, str], silos: int) -> dict[str, Stage]:
    for index, stage in dropouts.items():
        if not 0 <= index < silos:
            refuse("dropouts", f"indices from 0 to {silos - 1}", index)
        if stage not in STAGES:
            refuse("dropouts", "one of " + ", ".join(STAGES), stage)
    return {participant_name(index): Stage(stage) for index, stage in dropouts.items()}


def _signing_keys(silos: int, seed: int) -> dict[str, SigningKey]:
    if seed < 0:
        refuse("seed", "0 or more", seed)
    names = [participant_name(index) for index in range(silos)]
    return {
        name: SigningKey.from_bytes(
            Entropy(party_seed(seed, name), simulated=True).secret("signing-key")
        )
        for name in names
    }


def _graph_of(kind: str, silos: int, threshold: int, seed: int) -> Graph:
    if kind not in {"complete", "harary"}:
        refuse("graph", "complete or harary", kind)
    dropouts = max(silos - threshold, 0)
    expected = Expectation(silos, silos // CORRUPT_ONE_IN, dropouts)
    found = harary_parameters(expected) if kind == "harary" else None
    if found is None:
        return complete_graph(silos, threshold)
    return harary_graph(silos, *found, digest("codef/v1/simulated-ring", seed))


def _length(vectors: Sequence[ArrayLike]) -> int:
    shape = np.shape(vectors[0])
    if len(shape) != 1:
        refuse("vectors", "one-dimensional", f"shape {shape}")
    return int(shape[0])
