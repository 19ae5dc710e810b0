"""Secure aggregation again, from bare primitives and the formulas. It shares no code with us.

Everybody's part is computed at once, from everybody's secrets: what the rounds must come to.
"""

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
from testkit.independent import hkdf, joined, party_seed, roster_hash, secret, sha

P = 2**255 - 19
VIEW = "codef/v1/consistency"


def public(private: bytes) -> bytes:
    return X25519PrivateKey.from_private_bytes(private).public_key().public_bytes_raw()


def shared(private: bytes, key: bytes) -> bytes:
    return X25519PrivateKey.from_private_bytes(private).exchange(
        X25519PublicKey.from_public_bytes(key)
    )


def stream(key: bytes, length: int) -> bytes:
    """AES-256 of the numbers 0, 1, 2, ..., one block each."""
    cipher = Cipher(algorithms.AES(key), modes.ECB()).encryptor()
    return b"".join(cipher.update(i.to_bytes(16, "big")) for i in range(length // 16 + 1))[:length]


def words(key: bytes, count: int, bits: int) -> list[int]:
    size = bits // 8
    drawn = stream(key, size * count)
    return [int.from_bytes(drawn[size * i :][:size], "little") for i in range(count)]


def shares(value: bytes, threshold: int, points: list[int], key: bytes) -> dict[int, bytes]:
    drawn = stream(key, 48 * (threshold - 1))
    falling = [int.from_bytes(drawn[48 * i :][:48], "little") for i in range(threshold - 1)]
    rising = [int.from_bytes(value, "little"), *reversed(falling)]
    return {
        x: (sum(c * x**k for k, c in enumerate(rising)) % P).to_bytes(32, "little") for x in points
    }


class Silo:
    """One silo's secrets and public keys in a session."""

    def __init__(self, name, case, terms, roster):
        self.name, sid = name, bytes.fromhex(case["session"])
        seed = party_seed(case["seed"], name)

        def fresh(purpose, length):
            return secret(seed, f"secagg/{sid.hex()}/{purpose}", 0, length)

        self.b, self.a = fresh("self-mask", 31), fresh("mask-key", 31)
        self.envelope = fresh("envelope-key", 32)
        self.coefficients = fresh("share/self-mask", 32), fresh("share/mask-key", 32)
        self.mask = sha("codef/v1/mask-key", sid, self.a)
        self.signing = Ed25519PrivateKey.from_private_bytes(bytes.fromhex(case["signing"][name]))
        hash_ = sha("codef/v1/self-mask-hash", sid, self.b)
        parts = [roster, terms, public(self.envelope), public(self.mask), hash_]
        tag = "codef/v1/advertise-keys"
        self.keys = [*parts, self.signing.sign(joined(tag, sid, name, *parts))]


def terms_hash(case) -> bytes:
    silos = len(case["counts"])
    graph = "complete", silos, silos - 1, case["threshold"], b""
    length = len(next(iter(case["counts"].values())))
    numbers = length, case["cap"], case["threshold"], case["bits"], case["min_silos"]
    return sha("codef/v1/secagg-terms", *numbers, *graph)


def masked(silo, silos, counts, case) -> list[int]:
    sid, bits = bytes.fromhex(case["session"]), case["bits"]
    total = list(counts)
    masks = [(1, hkdf(silo.b, joined("codef/v1/self", sid)))]
    for other in silos:
        if other.name != silo.name:
            key = hkdf(shared(silo.mask, public(other.mask)), joined("codef/v1/pair", sid))
            masks.append((1 if other.name > silo.name else -1, key))
    for sign, key in masks:
        for i, word in enumerate(words(key, len(total), bits)):
            total[i] = (total[i] + sign * word) % 2**bits
    return total


def session(case) -> dict:
    """All messages of a session in which all share and `case["dead"]` send no masked counts."""
    sid, counts = bytes.fromhex(case["session"]), case["counts"]
    signing = {
        name: Ed25519PrivateKey.from_private_bytes(bytes.fromhex(key)).public_key()
        for name, key in case["signing"].items()
    }
    roster = roster_hash([(n, "participant", k.public_bytes_raw()) for n, k in signing.items()])
    silos = [Silo(name, case, terms_hash(case), roster) for name in sorted(counts)]
    alive = [s for s in silos if s.name not in case["dead"]]
    dealt = {s.name: deal(s, len(silos), case["threshold"]) for s in silos}
    advertised = (part for s in silos for part in (sid, s.name, *s.keys))
    names = [s.name for s in (*silos, *alive)]
    digest = sha("codef/v1/advertised", sid, *advertised)
    view = sha("codef/v1/view", sid, digest, len(silos), len(alive), *names)
    signed = {s.name: s.signing.sign(joined(VIEW, sid, s.name, view)).hex() for s in alive}
    size = case["bits"] // 8
    sent = {s.name: masked(s, silos, counts[s.name], case) for s in alive}
    return {
        "keys": {s.name: [part.hex() for part in s.keys] for s in silos},
        "envelopes": {s.name: envelopes(s, silos, dealt[s.name], sid) for s in silos},
        "masked": {
            name: b"".join(word.to_bytes(size, "little") for word in words_).hex()
            for name, words_ in sent.items()
        },
        "view": view.hex(),
        "views": signed,
        "unmask": {s.name: opened(silos.index(s) + 1, dealt, case["dead"]) for s in alive},
        "aggregate": [sum(column) for column in zip(*(counts[s.name] for s in alive), strict=True)],
    }


def deal(silo, silos: int, threshold: int) -> list[dict[int, bytes]]:
    """Shares of b and of a by point."""
    both = zip((silo.b, silo.a), silo.coefficients, strict=True)
    return [shares(value, threshold, list(range(1, silos + 1)), key) for value, key in both]


def opened(point: int, dealt: dict, dead: list[str]) -> dict[str, str]:
    """What the silo at this point sends to unmask: of a dead silo the share of a, else of b."""
    return {name: both[name in dead][point].hex() for name, both in dealt.items()}


def envelopes(silo, silos, dealt, sid) -> dict:
    sealed = {}
    for point, other in enumerate(silos, 1):
        if other.name != silo.name:
            route = joined("codef/v1/env", sid, silo.name, other.name)
            key = hkdf(shared(silo.envelope, public(other.envelope)), route)
            payload = dealt[0][point] + dealt[1][point]
            sealed[other.name] = ChaCha20Poly1305(key).encrypt(bytes(12), payload, route).hex()
    return sealed
