"""Known answers: the product's hashes and keys, and the same made again without it."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey
from testkit import independent as again
from testkit.examples import EXAMPLES

from collude.common.ids import Role
from collude.common.protocol.anchor import commitment_to, joint_seed
from collude.common.protocol.messages import Join, NamedJoin
from collude.common.protocol.parcel import Parcel
from collude.common.protocol.sealed import Route, SessionKey, open_sealed, seal
from collude.common.protocol.terms import Terms, session_id
from collude.common.randomness import Entropy, hkdf, party_seed
from collude.common.roster import Roster
from collude.common.transcript import MemoryTranscript, transcript_digest

FILE = Path(__file__).parents[1] / "vectors" / "protocol.json"


def restored(value):
    if isinstance(value, str) and value.startswith("hex:"):
        return bytes.fromhex(value.removeprefix("hex:"))
    if isinstance(value, dict):
        return {name: restored(item) for name, item in value.items()}
    return tuple(restored(item) for item in value) if isinstance(value, list) else value


CASES = [(c["what"], restored(c["inputs"]), c["output"]) for c in json.loads(FILE.read_text())]


def roster_of(members) -> Roster:
    roster = Roster.of({name: key for name, _, key in members})
    assert {m.name: m.role for m in roster.members} == {n: Role(r) for n, r, _ in members}
    return roster


def session_of(members, scenario, attempt, joins) -> bytes:
    roster = roster_of(members)
    named = [
        NamedJoin(name, replace(EXAMPLES[Join], nonce=nonce, session_key=session_key))
        for name, nonce, session_key in joins
    ]
    return session_id(Terms(roster, scenario, "naa-gdp", 30.0, attempt=attempt), named)


def sealed_of(payload, route, recipient_key, ephemeral_seed) -> bytes:
    sealed = seal(payload, Route(*route), recipient_key, ephemeral_seed)
    return sealed.ephemeral_key + sealed.ciphertext


def digest_of(parcels) -> bytes:
    transcript = MemoryTranscript()
    for round_, sender, receiver, sequence, body in parcels:
        transcript.record(Parcel(b"", round_, sender, receiver, sequence, body))
    return bytes.fromhex(transcript_digest(transcript.entries))


PRODUCT = {
    "hkdf": hkdf,
    "party seed": party_seed,
    "secret": lambda key, purpose, counter: Entropy(key, simulated=True).secret(purpose, counter),
    "roster hash": lambda members: roster_of(members).hash,
    "session id": session_of,
    "commitment": commitment_to,
    "joint seed": joint_seed,
    "envelope": sealed_of,
    "transcript digest": digest_of,
}
AGAIN = {
    "hkdf": again.hkdf,
    "party seed": again.party_seed,
    "secret": again.secret,
    "roster hash": again.roster_hash,
    "session id": lambda members, scenario, attempt, joins: again.session_id(
        again.roster_hash(members), scenario, attempt, joins
    ),
    "commitment": again.commitment,
    "joint seed": again.joint_seed,
    "envelope": lambda **inputs: b"".join(again.envelope(**inputs)),
    "transcript digest": lambda parcels: bytes.fromhex(again.transcript_digest(parcels)),
}


@pytest.mark.parametrize(("what", "inputs", "output"), CASES, ids=[c[0] for c in CASES])
def test_the_known_answer_is_given_by_the_product_and_without_it(what, inputs, output):
    assert PRODUCT[what](**inputs).hex() == output
    assert AGAIN[what](**inputs).hex() == output


def test_every_derivation_has_a_vector():
    assert {what for what, _, _ in CASES} == set(PRODUCT) == set(AGAIN)


def test_hkdf_is_that_of_rfc_5869():
    # Test case 3 of the RFC: no salt, no info.
    output = hkdf(bytes([0x0B] * 22), b"", 42)
    assert output.hex() == (
        "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8"
    )


def test_an_envelope_made_without_the_product_opens():
    key = SessionKey(bytes(range(32)))
    public = X25519PrivateKey.from_private_bytes(bytes(range(32))).public_key().public_bytes_raw()
    route = Route(bytes(32), bytes(32), "participant-0", "participant-1", 0)
    parts = (bytes(32), bytes(32), "participant-0", "participant-1", 0)
    ephemeral, ciphertext = again.envelope(b"text", parts, public, bytes([7] * 32))
    sealed = seal(b"other", route, public, bytes([7] * 32))
    assert sealed.ephemeral_key == ephemeral
    made = type(sealed)(sealed.sender, sealed.recipient, 0, ephemeral, ciphertext)
    assert open_sealed(made, route, key) == b"text"
