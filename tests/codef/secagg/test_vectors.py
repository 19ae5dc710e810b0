"""Every message of whole sessions, as bare primitives give them from everybody's secrets."""

import importlib.util
import json
from pathlib import Path

import pytest
from testkit.aggregation import Federation as Fed
from testkit.aggregation import collect, entropy, hand_out, start

from collude.codef.secagg import Client, Modulus, Server, Terms
from collude.common.protocol.signing import SigningKey
from collude.common.roster import Roster

FOLDER = Path(__file__).parents[2] / "vectors"
CASES = json.loads((FOLDER / "secagg.json").read_text(encoding="utf-8"))


def made(inputs):
    keys = {n: SigningKey.from_bytes(bytes.fromhex(k)) for n, k in inputs["signing"].items()}
    terms = Terms(
        session=bytes.fromhex(inputs["session"]),
        roster=Roster.of({name: key.public for name, key in keys.items()}),
        length=len(inputs["counts"]["participant-0"]),
        cap=inputs["cap"],
        threshold=inputs["threshold"],
        modulus=Modulus(inputs["bits"]),
        min_silos=inputs["min_silos"],
    )
    counts = {n: [int(c) for c in values] for n, values in inputs["counts"].items()}
    clients = {n: Client(terms, n, counts[n], keys[n], entropy(n, inputs["seed"])) for n in keys}
    return Fed(terms, keys, counts, clients, Server(terms))


@pytest.mark.parametrize("case", CASES, ids=range(len(CASES)))
def test_every_message_is_the_one_computed_without_the_product(case):
    fed, dead, out = made(case["inputs"]), case["inputs"]["dead"], case["outputs"]
    talk = start(fed)
    fields = "roster", "parameters", "envelope_key", "mask_key", "self_mask_hash", "signature"
    sent = {n: [getattr(k, f).hex() for f in fields] for n, k in talk.waiting.items()}
    assert sent == out["keys"]
    collect(talk)
    hand_out(talk)
    sealed = {
        n: {e.recipient: e.ciphertext.hex() for e in k.envelopes} for n, k in talk.waiting.items()
    }
    assert sealed == out["envelopes"]
    collect(talk)
    hand_out(talk)
    masked = {n: k.words.hex() for n, k in talk.waiting.items() if n not in dead}
    assert masked == out["masked"]
    collect(talk, dead)
    hand_out(talk)
    assert {k.view.hex() for k in talk.waiting.values()} == {out["view"]}
    assert {n: k.signature.hex() for n, k in talk.waiting.items()} == out["views"]
    collect(talk)
    hand_out(talk)
    shares = {
        n: {s.name: s.share.hex() for s in (*k.self_masks, *k.mask_keys)}
        for n, k in talk.waiting.items()
    }
    assert shares == out["unmask"]
    collect(talk)
    assert fed.server.aggregate.tolist() == out["aggregate"]


def test_the_file_is_what_its_generator_writes():
    spec = importlib.util.spec_from_file_location("make_secagg", FOLDER / "make_secagg.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert (FOLDER / "secagg.json").read_text(encoding="utf-8") == module.text()
