"""The digest of a run from its transcripts alone. It shares no code with the product.

python transcript_digest.py RUN/transcripts
"""

import hashlib
import json
import struct
import sys
from pathlib import Path

NOT_IN_IT = ("r4_align", "r5_deliver", "r6_evaluate", "codef_release", "done", "aborted")


def lp(item: bytes) -> bytes:
    return struct.pack(">I", len(item)) + item


def transcript_digest(folder: Path) -> str:
    items = []
    for path in folder.glob("*.jsonl"):
        for line in map(json.loads, path.read_text(encoding="utf-8").splitlines()):
            body = hashlib.sha256((folder / line["blob"]).read_bytes())
            if body.hexdigest() != line["sha256"] or line["receiver"] != path.stem:
                raise ValueError(f"{line['blob']} is not what {path.name} says")
            names = [line["round"], line["sender"], line["receiver"], str(line["sequence"])]
            if line["round"] not in NOT_IN_IT:
                items.append(b"".join(lp(n.encode()) for n in names) + lp(body.digest()))
    tag = lp(b"collude/v1/transcript")
    return hashlib.sha256(tag + b"".join(lp(item) for item in sorted(items))).hexdigest()


if __name__ == "__main__":
    print(transcript_digest(Path(sys.argv[1])))  # noqa: T201 -- it is a command
