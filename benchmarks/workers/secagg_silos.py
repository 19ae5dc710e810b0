"""A federation of the product's silos, up to the round that is measured; nothing here is timed."""

import sys
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from collude.codef.secagg import messages as m
from collude.codef.secagg.client.core import Core
from collude.codef.secagg.client.r0_advertise_keys import Advertised, AdvertiseKeysState
from collude.codef.secagg.client.r1_share_keys import Shared, ShareKeysState
from collude.codef.secagg.client.r2_masked_input import Received
from collude.codef.secagg.client.r3_consistency import ConsistencyState
from collude.codef.secagg.counts import Counts
from collude.codef.secagg.graph import harary_graph
from collude.codef.secagg.keys import view_hash
from collude.codef.secagg.modulus import Modulus
from collude.codef.secagg.server import Server
from collude.codef.secagg.terms import Terms
from collude.common.encoding import digest
from collude.common.ids import participant_name
from collude.common.protocol.signing import SigningKey
from collude.common.randomness import Entropy, party_seed
from collude.common.roster import Roster

BITS = 32


@dataclass(frozen=True)
class Federation:
    """Silos that agreed on terms, and the counts that every one of them has."""

    terms: Terms
    cores: Mapping[str, Core]
    counts: Counts

    @property
    def names(self) -> tuple[str, ...]:
        return self.terms.silos


def federation(silos: int, neighbours: int, shares: int, length: int) -> Federation:
    """Return that many silos; two thirds of them must stay.

    Args:
        silos: K.
        neighbours: of each; K - 1 is everybody.
        shares: that give a secret.
        length: counts of each silo.
    """
    entropy = {
        name: Entropy(party_seed(0, name), simulated=True)
        for name in map(participant_name, range(silos))
    }
    keys = {name: SigningKey.from_bytes(e.secret("signing-key")) for name, e in entropy.items()}
    complete = neighbours == silos - 1
    modulus = Modulus(BITS)
    terms = Terms(
        session=digest("benchmark"),
        roster=Roster.of({name: key.public for name, key in keys.items()}),
        length=length,
        cap=modulus.most_count(silos),
        threshold=shares if complete else 2 * silos // 3 + 1,
        modulus=modulus,
        graph=None if complete else harary_graph(silos, neighbours, shares, digest("ring")),
    )
    cores = {name: Core(terms, name, keys[name], entropy[name]) for name in terms.silos}
    counts = np.random.default_rng(0).integers(0, 1000, length, dtype=np.uint64)
    return Federation(terms, cores, counts)


def forget() -> None:
    """Drop what the product's modules remember of checks: the next silo checks all by itself."""
    for name, module in tuple(sys.modules.items()):
        if name.startswith("collude.codef.secagg"):
            for value in vars(module).values():
                if hasattr(value, "cache_clear"):
                    value.cache_clear()


def show_keys(fed: Federation) -> tuple[dict[str, AdvertiseKeysState], m.AdvertisedKeys]:
    """Return every silo as it waits for the others' keys, and the keys of all."""
    states = {name: AdvertiseKeysState(core, fed.counts) for name, core in fed.cores.items()}
    shown = (m.NamedKeys(name, state.opening()) for name, state in states.items())
    return states, m.AdvertisedKeys(tuple(shown))


def first_advertised(fed: Federation) -> Advertised:
    """Return what the first silo knows before it deals out shares."""
    states, shown = show_keys(fed)
    return states[fed.names[0]].receive(shown)


@dataclass(frozen=True)
class Rehearsed:
    """After the shares: the coordinator, what each silo knows, and the letters so far by silo."""

    server: Server
    shared: Mapping[str, Shared]
    letters: tuple[Mapping[str, m.ToClient], Mapping[str, m.ToClient]]


def rehearse(fed: Federation) -> Rehearsed:
    """Let all silos show keys and share them, with every check."""
    server = Server(fed.terms)
    states, _ = show_keys(fed)
    for name, state in states.items():
        server.receive(name, state.opening())
    keys = server.close()
    sharing = {
        name: ShareKeysState(fed.cores[name], state.receive(_keys(keys[name])))
        for name, state in states.items()
    }
    for name, waiting in sharing.items():
        server.receive(name, waiting.opening())
    envelopes = server.close()
    shared = {name: s.receive(_envelopes(envelopes[name])) for name, s in sharing.items()}
    return Rehearsed(server, shared, (keys, envelopes))


def _keys(letter: m.ToClient) -> m.AdvertisedKeys:
    assert isinstance(letter, m.AdvertisedKeys)
    return letter


def _envelopes(letter: m.ToClient) -> m.SharedKeys:
    assert isinstance(letter, m.SharedKeys)
    return letter


def views(fed: Federation, shared: Mapping[str, Shared]) -> m.UnmaskRequest:
    """Return the request to unmask when all silos' counts came, signed by all."""
    silos = fed.names
    hashed = shared[silos[0]].advertised.hash
    view = view_hash(fed.terms.session, hashed, silos, silos)
    signed = tuple(
        m.NamedView(name, ConsistencyState(fed.cores[name], _received(known, view)).opening())
        for name, known in shared.items()
    )
    return m.UnmaskRequest(silos, (), signed)


def _received(known: Shared, view: bytes) -> Received:
    return Received(known.shares, known.silos, (), view)
