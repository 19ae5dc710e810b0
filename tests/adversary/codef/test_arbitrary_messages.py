"""Whatever one party sends in place of what it should, nobody falls over it or waits for ever.

A message with one part changed at random is nearly always well-formed; some are only bytes.
`COLLUDE_ARBITRARY=500` tries more; that was done once.
"""

import dataclasses
import os
from contextlib import suppress
from functools import singledispatch

import numpy as np
import pytest
from testkit.periods import COORDINATOR, Shape, federation

from collude.common.net.memory import MemoryNetwork
from collude.common.protocol.codec import decode_message, encode_message
from collude.runtime.deviators.base import Deviator

COUNT = int(os.environ.get("COLLUDE_ARBITRARY", "40"))
NUMBERS = (-1, 0, 1, 2, 7, 2**31 - 1, 2**32, 2**62, 2**63 - 1, -(2**63), -(2**31))
NAMES = ("", "x", "participant-9", COORDINATOR, "attacker", "participant-0", "\u202e\n", "../..")


@singledispatch
def changed(value, rng):
    """The value with one part of it changed."""
    fields = dataclasses.fields(value)
    name = fields[int(rng.integers(len(fields)))].name
    return dataclasses.replace(value, **{name: changed(getattr(value, name), rng)})


@changed.register
def _(value: int, rng):
    return NUMBERS[int(rng.integers(len(NUMBERS)))] if type(value) is int else not value


@changed.register
def _(value: str, rng):
    return NAMES[int(rng.integers(len(NAMES)))]


@changed.register
def _(value: bytes, rng):
    ways = (b"", value[:-1], value + b"\0", bytes(len(value)), b"\xff" * len(value))
    return ways[int(rng.integers(len(ways)))]


@changed.register
def _(value: tuple, rng):
    ways = [(), value[:-1], value + value[:1], value[::-1]]
    if value:
        at = int(rng.integers(len(value)))
        ways += [(*value[:at], changed(value[at], rng), *value[at + 1 :])] * 3
    return ways[int(rng.integers(len(ways)))]


@changed.register
def _(value: np.ndarray, rng):
    one, number = value.copy(), NUMBERS[int(rng.integers(len(NUMBERS)))]
    one[int(rng.integers(len(one)))] = number
    ways = (one, value[:0], value[:-1], np.concatenate([value, value]), np.full_like(value, number))
    return ways[int(rng.integers(len(ways)))]


class Arbitrary(Deviator):
    """It changes one message in eight; half of these are followed by what they should have been."""

    def sends(self, outgoing):
        rng = self.rng
        if rng.random() > 1 / 8:
            return [outgoing]
        body = bytearray(outgoing.body)
        at = int(rng.integers(len(body)))
        body[at] ^= 1 << int(rng.integers(8))
        ways = [bytes(body), outgoing.body[:at]]
        with suppress(ValueError):  # no such message can be written
            ways += [encode_message(changed(decode_message(outgoing.body), rng))] * 4
        other = dataclasses.replace(outgoing, body=ways[int(rng.integers(len(ways)))])
        return [other, outgoing] if rng.random() < 1 / 2 else [other]


@pytest.mark.parametrize("seed", range(COUNT))
def test_nobody_falls_over_what_one_party_sends(seed):
    rng = np.random.default_rng([seed, 9])
    policy = str(rng.choice(["success", "information", "paper"]))
    numbers = {"max_success": 0.9, "gamma": 1.0}
    fed = federation(Shape(silos=4, persons=4, epochs=2, policy=policy, numbers=numbers))
    who = str(rng.choice([COORDINATOR, "participant-0", "participant-1"]))
    parties = [Arbitrary(s, rng) if s.name == who else s for s in fed.sessions]
    network = MemoryNetwork(parties, np.random.default_rng(seed))
    network.run(4000.0)
    assert not network.failures
    assert all(session.finished for session in fed.sessions)
    for book in fed.coordinator.books if who != COORDINATOR else ():
        assert all((total >= 0).all() for total in book.sums)
