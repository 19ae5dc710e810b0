"""What the participants of a recorded run share without the analyst, as bytes to look for."""

import numpy as np

from collude.common.ids import ANALYST, participant_name
from collude.common.protocol.anchor import joint_seed, seed_hash
from collude.common.protocol.codec import decode_message
from collude.common.protocol.messages import Upload
from collude.common.randomness import Entropy
from collude.common.transcript import read_parcels, read_transcript
from collude.runtime.rundir import RunDirectory

PARTICIPANTS = tuple(participant_name(i) for i in range(3))


def anchor(run: RunDirectory):
    """A, shape (r, d), as participant-1 holds it."""
    path = run.root / "parties" / "participant-1" / "disclosable.npz"
    with np.load(path, allow_pickle=False) as told:
        return told["anchor"]


def joint(run: RunDirectory) -> tuple[bytes, dict[str, bytes]]:
    """The joint seed, derived again from the parties' seeds, and the shares in it."""
    seeds = {n: bytes.fromhex((run.party(n) / "seed").read_text()) for n in PARTICIPANTS}
    shares = {n: Entropy(s, simulated=True).secret("anchor-share") for n, s in seeds.items()}
    session = next(e.session for e in read_transcript(run.transcripts, ANALYST) if e.session)
    return joint_seed(bytes.fromhex(session), shares), shares


def secrets(run: RunDirectory) -> dict[str, bytes]:
    """What the analyst must not know: A in several forms, the joint seed, the shares in it."""
    seed, shares = joint(run)
    table = anchor(run)
    rows = {f"A, row {i}": table[i, :4] for i in (0, len(table) // 2, -1)}
    rows["A, column 0"] = table[:4, 0]
    forms = {"float64": "<f8", "float32": "<f4", "big-endian": ">f8"}
    return {
        "joint seed": seed,
        "joint seed in hexadecimal": seed.hex().encode(),
        **{f"the share of {name}": share for name, share in shares.items()},
        **{f"{n}, {f}": r.astype(t).tobytes() for n, r in rows.items() for f, t in forms.items()},
    }


def known_to_analyst(run: RunDirectory) -> dict[str, bytes]:
    """What the analyst does hold: proof that the search finds what is there."""
    upload = next(
        message
        for parcel in read_parcels(run.transcripts, ANALYST)
        if isinstance(message := decode_message(parcel.body, parcel.sender), Upload)
    )
    return {
        "B, row 0": upload.anchor[0][:4].tobytes(),
        "Y, row 1": upload.private[1][:4].tobytes(),
        "hash of the joint seed": seed_hash(joint(run)[0]),
    }
