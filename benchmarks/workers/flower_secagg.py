"""The same steps of flwr's SecAgg+, in the order in which its client mod and workflow take them.

    STEP SILOS NEIGHBOURS SHARES LENGTH

STEP is `mask`, `share` or `silo` as in `collude_secagg.py`; `combine` is the coordinator's
`combine_shares` alone, each time of as few shares as will do; `unmask` its whole last step, with
all the shares that came, as its workflow does. These two do one PART-th of their work, and say
PART times their seconds: flwr does every secret for itself. Fewer than 100 silos try the machinery.

Left out: quantizing (counts are whole), the weights, records and messages. Its own code is called
everywhere: `flwr.common.secure_aggregation` and `flwr.supercore.primitives.asymmetric`.
"""

import os
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
from flwr.common import ndarray_to_bytes
from flwr.common.secure_aggregation.crypto.shamir import combine_shares, create_shares
from flwr.common.secure_aggregation.crypto.symmetric_encryption import (
    decrypt,
    encrypt,
    generate_shared_key,
)
from flwr.common.secure_aggregation.ndarrays_arithmetic import (
    get_parameters_shape,
    parameters_addition,
    parameters_mod,
    parameters_subtraction,
)
from flwr.common.secure_aggregation.secaggplus_utils import (
    pseudo_rand_gen,
    share_keys_plaintext_concat,
    share_keys_plaintext_separate,
)
from flwr.supercore.primitives.asymmetric import (
    bytes_to_private_key,
    bytes_to_public_key,
    generate_key_pairs,
    private_key_to_bytes,
    public_key_to_bytes,
)

from benchmarks.workers.timing import measured, say

MODULUS = 1 << 32
GONE_ONE_IN = 10
PART = 10
SEED_BYTES = 32
Vectors = list[Any]
Keys = tuple[bytes, bytes]


def new_keys() -> Keys:
    """Return a private and a public key, as flwr keeps and sends them: PEM."""
    private, public = generate_key_pairs()
    return private_key_to_bytes(private), public_key_to_bytes(public)


def shared_key(private: bytes, public: bytes) -> bytes:
    key: bytes = generate_shared_key(bytes_to_private_key(private), bytes_to_public_key(public))
    return key


def share_keys(
    seed: bytes, keys: tuple[Keys, Keys], others: list[bytes], shares: int
) -> tuple[list[bytes], list[bytes]]:
    """Return the key with each neighbour and the envelope for it (`_share_keys`)."""
    seeds = create_shares(seed, shares, len(others) + 1)
    privates = create_shares(keys[0][0], shares, len(others) + 1)
    agreed, sealed = [], []
    for index, public in enumerate(others):
        key = shared_key(keys[1][0], public)
        text = share_keys_plaintext_concat(0, index + 1, seeds[index + 1], privates[index + 1])
        agreed.append(key)
        sealed.append(encrypt(key, text))
    return agreed, sealed


def masked(counts: Any, seed: bytes, private: bytes, others: list[bytes]) -> list[bytes]:
    """Return the masked counts as they are sent (`_collect_masked_vectors`)."""
    vectors: Vectors = [counts]
    shapes = get_parameters_shape(vectors)
    vectors = parameters_addition(vectors, pseudo_rand_gen(seed, MODULUS, shapes))
    for index, public in enumerate(others):
        mask = pseudo_rand_gen(shared_key(private, public), MODULUS, shapes)
        change = parameters_addition if index % 2 else parameters_subtraction
        vectors = change(vectors, mask)
    vectors = parameters_mod(vectors, MODULUS)
    return [ndarray_to_bytes(vector) for vector in vectors]


def silo_of(neighbours: int, shares: int, length: int) -> dict[str, Callable[[], object]]:
    """Return one silo's steps."""
    keys = new_keys(), new_keys()
    masks = [new_keys()[1] for _ in range(neighbours)]
    seals = [new_keys()[1] for _ in range(neighbours)]
    seed, counts = os.urandom(SEED_BYTES), np.ones(length, dtype=np.int32)

    def live() -> object:
        mine = new_keys(), new_keys()
        fresh = os.urandom(SEED_BYTES)
        agreed, sealed = share_keys(fresh, mine, seals, shares)
        # What the neighbours send back is as long as what was sent, and opens with the same keys.
        held = [
            share_keys_plaintext_separate(decrypt(key, envelope))
            for key, envelope in zip(agreed, sealed, strict=True)
        ]
        sent = masked(counts, fresh, mine[0][0], masks)
        return sent, [share for _, _, share, _ in held]

    return {
        "share": lambda: share_keys(seed, keys, seals, shares),
        "mask": lambda: masked(counts, seed, keys[0][0], masks),
        "silo": live,
    }


def coordinator_of(
    silos: int, neighbours: int, shares: int, length: int
) -> dict[str, Callable[[], object]]:
    """Return one PART-th of the coordinator's steps."""
    seed, private = os.urandom(SEED_BYTES), new_keys()[0]
    seed_shares, private_shares = (
        create_shares(secret, shares, neighbours + 1) for secret in (seed, private)
    )
    gone = silos // GONE_ONE_IN
    alive = silos - gone
    came = neighbours + 1 - gone
    others = [new_keys()[1] for _ in range(came)]
    total: Vectors = [np.ones(length, dtype=np.int64)]

    def secrets(used: int) -> tuple[list[bytes], list[bytes]]:
        of_alive = [combine_shares(seed_shares[:used]) for _ in range(max(1, alive // PART))]
        of_gone = [combine_shares(private_shares[:used]) for _ in range(max(1, gone // PART))]
        if {*of_alive, *of_gone} != {seed, private}:
            raise RuntimeError("a secret is wrong")
        return of_alive, of_gone

    def unmask() -> object:
        vectors, shapes = total, get_parameters_shape(total)
        of_alive, of_gone = secrets(came)
        for secret in of_alive:
            vectors = parameters_subtraction(vectors, pseudo_rand_gen(secret, MODULUS, shapes))
        for secret in of_gone:
            for index, public in enumerate(others):
                mask = pseudo_rand_gen(shared_key(secret, public), MODULUS, shapes)
                change = parameters_addition if index % 2 else parameters_subtraction
                vectors = change(vectors, mask)
        return parameters_mod(vectors, MODULUS)

    return {"combine": lambda: secrets(shares), "unmask": unmask}


def main() -> None:
    step = sys.argv[1]
    silos, neighbours, shares, length = map(int, sys.argv[2:])
    if step in {"combine", "unmask"}:
        _, figures = measured(coordinator_of(silos, neighbours, shares, length)[step])
        say({name: value * (1 if name == "peak" else PART) for name, value in figures.items()})
        return
    say(measured(silo_of(neighbours, shares, length)[step])[1])


if __name__ == "__main__":
    main()
