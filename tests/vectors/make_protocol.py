"""Write `protocol.json`: fixed inputs, and outputs computed without the product.

PYTHONPATH=tests/helpers python tests/vectors/make_protocol.py
"""

import json
from pathlib import Path

from testkit import independent as again


def key(number: int) -> bytes:
    return bytes(range(number, number + 32))


NAMES = ("analyst", "participant-0", "participant-1")
MEMBERS = [(name, name.split("-", maxsplit=1)[0], key(16 * i)) for i, name in enumerate(NAMES)]
JOINS = [("participant-0", key(3), key(5)), ("participant-1", key(7), key(9))]
SHARES = {"participant-0": key(11), "participant-1": key(13)}
ROUTE = (key(17), key(19), "participant-0", "participant-1", 0)
PARCELS = [
    ("r0_join", "participant-0", "analyst", 0, b"join 0"),
    ("r0_join", "participant-1", "analyst", 0, b"join 1"),
    ("r1_anchor_commit", "analyst", "participant-0", 2, b""),
    ("r3_upload", "participant-1", "analyst", 10, bytes(1000)),
    ("r5_deliver", "analyst", "participant-1", 3, b"not in the digest"),
]


def cases() -> list[dict[str, object]]:
    roster, scenario, session = again.roster_hash(MEMBERS), key(21), key(17)
    public, ciphertext = again.envelope(b"a share and its nonce", ROUTE, key(9), key(23))
    return [
        case("hkdf", again.hkdf(key(1), b"info", 42), key=key(1), info=b"info", length=42),
        *(
            case("party seed", again.party_seed(seed, party), seed=seed, party=party)
            for seed, party in ((0, "analyst"), (7, "participant-0"), (2**63 - 1, "participant-10"))
        ),
        case("secret", again.secret(key(1), "anchor-share", 3), key=key(1),
             purpose="anchor-share", counter=3),
        case("roster hash", roster, members=MEMBERS),
        *(
            case("session id", again.session_id(roster, scenario, attempt, JOINS), members=MEMBERS,
                 scenario=scenario, attempt=attempt, joins=JOINS)
            for attempt in (0, 1)
        ),
        case("commitment", again.commitment(session, "participant-0", key(2), key(4)),
             session=session, name="participant-0", nonce=key(2), share=key(4)),
        case("joint seed", again.joint_seed(session, SHARES), session=session, shares=SHARES),
        case("envelope", public + ciphertext, payload=b"a share and its nonce", route=ROUTE,
             recipient_key=key(9), ephemeral_seed=key(23)),
        case("transcript digest", bytes.fromhex(again.transcript_digest(PARCELS)),
             parcels=PARCELS),
    ]  # fmt: skip


def case(what: str, output: bytes, **inputs: object) -> dict[str, object]:
    return {"what": what, "inputs": plain(inputs), "output": output.hex()}


def plain(value: object) -> object:
    """Bytes as `hex:...`, so that JSON keeps them apart from text."""
    if isinstance(value, bytes):
        return f"hex:{value.hex()}"
    if isinstance(value, dict):
        return {name: plain(item) for name, item in value.items()}
    return [plain(item) for item in value] if isinstance(value, list | tuple) else value


if __name__ == "__main__":
    text = json.dumps(cases(), indent=1) + "\n"
    Path(__file__).with_name("protocol.json").write_text(text, encoding="utf-8")
