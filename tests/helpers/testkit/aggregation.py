"""A federation that aggregates, in one process: real clients, a real server, letters to tamper."""

from dataclasses import dataclass, replace

import numpy as np
import pytest

from collude.codef.secagg import STAGES, Client, Modulus, Server, Stage, Terms
from collude.common.errors import AggregationAborted, ProtocolViolation
from collude.common.ids import participant_name
from collude.common.protocol.signing import SigningKey
from collude.common.randomness import Entropy, party_seed
from collude.common.roster import Roster

SESSION = bytes(range(32))
P0, P1, P2, P3, P4 = (f"participant-{i}" for i in range(5))
WITHOUT_P4 = {"masked_input": (P4,)}


@dataclass
class Federation:
    terms: Terms
    keys: dict
    counts: dict
    clients: dict
    server: Server

    @property
    def names(self):
        return self.terms.silos

    def total(self, names=None):
        return sum(self.counts[name] for name in names or self.names)


def terms_of(silos=5, length=4, threshold=3, cap=1000, bits=32, **others):
    keys = {participant_name(i): SigningKey.from_bytes(bytes([i + 1] * 32)) for i in range(silos)}
    roster = Roster.of({name: key.public for name, key in keys.items()})
    session = others.pop("session", SESSION)
    return Terms(session, roster, length, cap, threshold, Modulus(bits), **others), keys


def entropy(name, seed=0):
    return Entropy(party_seed(seed, name), simulated=True)


def aggregation(seed=0, counts=None, **terms):
    made, keys = terms_of(**terms)
    rng = np.random.default_rng(seed)
    shape = (made.count, made.length)
    table = rng.integers(0, made.cap + 1, shape, dtype=np.uint64) if counts is None else counts
    by_name = {participant_name(i): np.asarray(row) for i, row in enumerate(table)}
    clients = {
        name: Client(made, name, by_name[name], keys[name], entropy(name, seed)) for name in keys
    }
    return Federation(made, keys, by_name, clients, Server(made))


@dataclass
class Talk:
    """Where a session stands: what silos would send next, and the letters they got last."""

    fed: Federation
    waiting: dict
    letters: dict


def start(fed):
    return Talk(fed, {name: client.start() for name, client in fed.clients.items()}, {})


def collect(talk, silent=()):
    """The server takes every silo's message of this stage; its letters are not handed out."""
    server = talk.fed.server
    for name, message in talk.waiting.items():
        if name not in silent:
            server.receive(name, message)
    talk.letters = server.close()
    return talk.letters


def hand_out(talk):
    talk.waiting = {
        name: talk.fed.clients[name].receive(letter) for name, letter in talk.letters.items()
    }


def up_to(fed, stage, silent=None):
    """Play honestly until silos are about to send their message of `stage`."""
    talk = start(fed)
    for now in STAGES[: STAGES.index(Stage(stage))]:
        collect(talk, (silent or {}).get(now, ()))
        hand_out(talk)
    return talk


def letters_of(fed, stage, silent=None):
    """Play honestly until letters of `stage` are ready to be handed out."""
    talk = up_to(fed, stage, silent)
    collect(talk, (silent or {}).get(stage, ()))
    return talk


def finish(talk, silent=None):
    for now in STAGES[STAGES.index(talk.fed.server.stage) :]:
        collect(talk, (silent or {}).get(now, ()))
        hand_out(talk)
    return talk.fed.server.aggregate


def at(items, index, new):
    return (*items[:index], new, *items[index + 1 :])


def flipped(content):
    return bytes([content[0] ^ 1]) + content[1:]


def changed(message, index, **parts):
    """An `AdvertisedKeys` with one silo's keys changed."""
    named = message.silos[index]
    new = replace(named, keys=replace(named.keys, **parts))
    return replace(message, silos=at(message.silos, index, new))


def client_refuses(stage, change, party, what=None, silent=None, **terms):
    """P0 gets the letter of `stage` as `change` makes it; it ends the session and forgets all."""
    fed = aggregation(**terms)
    talk = letters_of(fed, stage, silent)
    client = fed.clients[P0]
    with pytest.raises(AggregationAborted) as caught:
        client.receive(change(fed, talk.letters[P0]))
    error = caught.value
    assert (error.stage, error.party) == (stage, party)
    assert what is None or error.field == f"{stage}/{what}"
    assert client.stage is Stage.ABORTED
    assert client._state is None
    with pytest.raises(ProtocolViolation):
        client.receive(talk.letters[P0])
    return error


def on_letter(field, change):
    return lambda _, letter: replace(letter, **{field: change(getattr(letter, field))})


LISTS = {
    "twice": lambda x: (*x, x[-1]),
    "another order": lambda x: x[::-1],
    "one repeated": lambda x: at(x, 1, x[0]),
}
