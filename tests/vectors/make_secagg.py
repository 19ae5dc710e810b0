"""Write `secagg.json`: sessions, and all their messages computed without the product.

PYTHONPATH=tests/helpers python tests/vectors/make_secagg.py
"""

import json
from pathlib import Path

from testkit import independent_secagg as again

PATH = Path(__file__).with_name("secagg.json")


def case(seed, silos, length, threshold, bits, dead):
    names = [f"participant-{i}" for i in range(silos)]
    cap = (2**bits - 1) // silos
    inputs = {
        "seed": seed,
        "session": bytes(range(seed, seed + 32)).hex(),
        "signing": {name: bytes([seed + i + 1] * 32).hex() for i, name in enumerate(names)},
        "threshold": threshold,
        "bits": bits,
        "cap": cap,
        "min_silos": 3,
        "dead": [names[i] for i in dead],
        "counts": {
            name: [(7 * i + 3 * p + 1) ** 5 % (cap + 1) for p in range(length)]
            for i, name in enumerate(names)
        },
    }
    return {"inputs": inputs, "outputs": again.session(inputs)}


def cases():
    return [
        case(1, 3, 3, 2, 32, ()),
        case(2, 5, 6, 3, 16, (1,)),
        case(3, 4, 9, 3, 64, (3,)),
        case(4, 12, 2, 7, 8, (0, 10)),
    ]


def text() -> str:
    return json.dumps(cases(), indent=1) + "\n"


if __name__ == "__main__":
    PATH.write_text(text(), encoding="utf-8")
