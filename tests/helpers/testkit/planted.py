"""A federation whose secrets are canaries, all of them known to the test."""

from collections.abc import Mapping

import numpy as np
from cryptography.hazmat.primitives.serialization import load_pem_private_key
from testkit.canary import Needles, array_needles, byte_needles

from collude.common.data import Dataset
from collude.common.geometry import haar_orthogonal
from collude.common.geometry.expansion import expand_anchor, expand_transform
from collude.common.ids import ANALYST
from collude.common.protocol.anchor import joint_seed
from collude.common.protocol.codec import decode_message
from collude.common.protocol.messages import Upload
from collude.common.scenario import Scenario, build_scenario
from collude.common.transcript import read_parcels, read_transcript
from collude.runtime.federation import Federation, prepare
from collude.runtime.rundir import RunDirectory

WIDTH = 12
ROWS = 90
PARTICIPANTS = 3
NOISE = {"naa-gdp": {"anchor_noise": 0.05}, "aa-gdp-noise": {"private_noise": 0.05},
         "c-gdp-noise": {"private_noise": 0.05}}  # fmt: skip
SHARED = "everybody's"


def records() -> Dataset:
    """Numbers between .1 and 1 that nothing else would make, in two classes."""
    rng = np.random.default_rng(20_26)
    table = rng.uniform(0.1, 1.0, (ROWS, WIDTH))
    return Dataset("digits", table, np.arange(ROWS, dtype=np.int64) % 2, credit="canaries")


def planted(method: str = "naa-gdp", *, mode: str = "simulation", **collusion) -> Federation:
    """Return a federation of three that holds the canaries as records."""
    return prepare(scenario(method, mode=mode, **collusion), records())


def scenario(method: str, *, mode: str, **collusion) -> Scenario:
    return build_scenario({
        "scenario": {
            "name": "canary",
            "mode": mode,
            **({"seed": 11} if mode == "simulation" else {}),
        },
        "data": {"participants": PARTICIPANTS},
        "mechanism": {"method": method, **NOISE.get(method, {})},
        "collusion": {"colluders": [], "attacks": [], **collusion},
    })


def session_of(run: RunDirectory) -> bytes:
    """Return the session id of a run."""
    return bytes.fromhex(next(e.session for e in read_transcript(run.transcripts, ANALYST)
                              if e.session))  # fmt: skip


def arrays(federation: Federation, session: bytes) -> dict[tuple[str, str], np.ndarray]:
    """Return (owner, what) -> the arrays that must not leave, made again from the seeds."""
    scenario_, shares = federation.scenario, federation.shares
    traits = scenario_.mechanism.traits
    found = {}
    for name, share in shares.items():
        entropy = federation.entropy(name)
        found[name, "X"], found[name, "held-out X"] = share.records, share.test_records
        rng = entropy.secret_generator("own-transform")
        if traits.uploads and not traits.common_secret:
            found[name, "O"] = haar_orthogonal(WIDTH, rng)
            found[name, "psi"] = rng.standard_normal(WIDTH)
        if traits.anchor_noise or traits.private_noise:
            shape = (WIDTH + 1, WIDTH) if traits.anchor_noise else share.records.shape
            found[name, "W"] = entropy.secret_generator("upload-noise").standard_normal(shape)
    if traits.anchor:
        found[SHARED, "A"] = expand_anchor(_seed(federation, session), WIDTH + 1, WIDTH)
    if traits.common_secret:
        common = expand_transform(_seed(federation, session), WIDTH)
        found[SHARED, "O"], found[SHARED, "psi"] = common.rotation, common.translation
    return found


def keys(federation: Federation, session: bytes) -> dict[tuple[str, str], bytes]:
    """Return (owner, what) -> the keys and seeds that must not leave."""
    found = {}
    names = federation.scenario.participants
    for name in names:
        entropy = federation.entropy(name)
        found[name, "party seed"] = federation.seeds[name]
        found[name, "signing key"] = federation.signing_seed(name)
        purposes = ["session-key", "anchor-share", "anchor-nonce"]
        purposes += [f"anchor-ephemeral/{peer}" for peer in names if peer != name]
        found |= {(name, purpose): entropy.secret(purpose) for purpose in purposes}
    if (traits := federation.scenario.mechanism.traits).anchor or traits.common_secret:
        found[SHARED, "joint seed"] = _seed(federation, session)
    return found


def _seed(federation: Federation, session: bytes) -> bytes:
    shares = {name: federation.entropy(name).secret("anchor-share")
              for name in federation.scenario.participants}  # fmt: skip
    return joint_seed(session, shares)


def tls_key(pem: bytes) -> bytes:
    """Return the private number of an elliptic-curve key."""
    return load_pem_private_key(pem, password=None).private_numbers().private_value.to_bytes(32)


def canaries(federation: Federation, session: bytes) -> dict[str, Needles]:
    """Return `owner/what` -> needles for all secrets."""
    tables = {k: array_needles(v) for k, v in arrays(federation, session).items()}
    secrets = {k: byte_needles(v) for k, v in keys(federation, session).items()}
    return {f"{owner}/{what}": found for (owner, what), found in (tables | secrets).items()}


def sent(run: RunDirectory) -> Mapping[str, Needles]:
    """Return what does leave: every Y and B, as the proof that the search finds what is there."""
    uploads = {
        parcel.sender: message
        for parcel in read_parcels(run.transcripts, ANALYST)
        if isinstance(message := decode_message(parcel.body), Upload)
    }
    pairs = {f"{name}/{field}": getattr(upload, field)
             for name, upload in uploads.items() for field in ("private", "anchor")}  # fmt: skip
    return {name: array_needles(table) for name, table in pairs.items() if table is not None}
