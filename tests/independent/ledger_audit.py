"""Check a ledger by its text alone: python ledger_audit.py FILE. It shares no code with us."""

import hashlib
import json
import sys
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey


def lp(*items: bytes | str | int) -> bytes:
    plain = (i if isinstance(i, bytes) else str(i).encode() for i in items)
    return b"".join(len(i).to_bytes(4, "big") + i for i in plain)


def sha(*items: bytes | str | int) -> bytes:
    return hashlib.sha256(lp(*items)).digest()


def verify(name: str, signature: bytes, *items: bytes | str | int) -> None:
    Ed25519PublicKey.from_public_bytes(keys[name]).verify(signature, lp(*items))


first, *lines = map(json.loads, Path(sys.argv[1]).read_text(encoding="utf-8").splitlines())
keys = {name: bytes.fromhex(key) for name, _, key in first["roster"]}
roster = sha("collude/v1/roster", *(x for n, r, _ in first["roster"] for x in (n, r, keys[n])))
period = [bytes.fromhex(first["period"])] if first["period"] else []
heads, sid = [sha("codef/v1/genesis", roster, *period)], b""
for line in lines:
    texts = {name: value for name, value in line.items() if isinstance(value, str)}
    x = {name: bytes.fromhex(texts[name]) for name in texts if name not in {"silo", "signer"}}
    if "phase" in line:
        found = sid = sha("codef/v1/sid-commit", roster, x["terms"], line["phase"], heads[-1])
    elif "entry" in line:
        items = (sid, line["silo"], x["commitment"], x["releases"], x["pedersen"])
        verify(line["silo"], x["signature"], "codef/v1/commit-entry", *items)
        content = lp(len(heads) - 1, *items, x["signature"])
        heads.append(found := sha("codef/v1/entry", heads[-1], content))
    else:
        items = (heads[0], line["head"], x["hash"], line["signer"])
        verify(line["signer"], x["signature"], "codef/v1/head", *items)
        found = heads[line["head"]]
    if found != x.get("hash", x.get("session")):
        sys.exit(f"not so: {line}")
sys.stdout.write(f"{len(heads) - 1} entries, head {heads[-1].hex()}\n")
