"""Nothing secret leaves a participant, in any form: all parties in one process.

Planted: recognisable records; known by their seeds: transforms, noise, anchor, keys. Searched:
everything that the run leaves and says, apart from the places that exist to hold it.
"""

import base64
import dataclasses
import gzip
import io
import json
import pickle
import zipfile
import zlib
from pathlib import Path

import numpy as np
import pytest
from testkit import planted
from testkit.canary import Searcher, array_needles, byte_needles

from collude.common.errors import ColludeError, DataInvalid, UploadRejected
from collude.common.protocol.recorded import Recorded
from collude.common.transcript import MemoryTranscript
from collude.participant.files import EVERYTHING
from collude.runtime import runner
from collude.runtime.inprocess import assemble, connect
from collude.runtime.rundir import RunDirectory

TABLE = np.random.default_rng(5).uniform(0.1, 1.0, (9, 4))
KEY = np.random.default_rng(6).bytes(32)


def saved(save, **arrays):
    buffer = io.BytesIO()
    save(buffer, **arrays)
    return buffer.getvalue()


def picture(rows: bytes) -> bytes:
    def chunk(kind, data):
        return (
            len(data).to_bytes(4, "big") + kind + data + zlib.crc32(kind + data).to_bytes(4, "big")
        )

    head = (len(rows)).to_bytes(4, "big") + (1).to_bytes(4, "big") + bytes([8, 0, 0, 0, 0])
    data = zlib.compress(b"\0" + rows)
    split = [chunk(b"IDAT", data[i : i + 50]) for i in range(0, len(data), 50)]
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + b"".join(split) + chunk(b"IEND", b"")


def zipped(content: bytes) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("inner.txt", content)
    return buffer.getvalue()


RAW = {
    "float64": TABLE.astype("<f8").tobytes(),
    "float64, big-endian": TABLE.astype(">f8").tobytes(),
    "float32": TABLE.astype("<f4").tobytes(),
    "float32, big-endian": TABLE.astype(">f4").tobytes(),
    "float64, columns first": np.asfortranarray(TABLE).tobytes("F"),
    "float32, columns first": TABLE.astype("<f4").tobytes("F"),
}
FORMS = {
    **RAW,
    **{f"{name}, odd place": b"\xff" * 3 + raw for name, raw in RAW.items()},
    **{f"{name}, hexadecimal": raw.hex().encode() for name, raw in RAW.items()},
    **{f"{name}, HEXADECIMAL": raw.hex().upper().encode() for name, raw in RAW.items()},
    **{f"{name}, base64 from {i}": base64.b64encode(bytes(i) + raw)
       for name, raw in RAW.items() for i in range(3)},
    "base64 for addresses": base64.urlsafe_b64encode(RAW["float64"]),
    "JSON": json.dumps(TABLE.tolist()).encode(),
    "the text of an array": str(TABLE).encode(),
    "its repr": repr(TABLE).encode(),
    "six decimals": "\n".join(f"{x:.6f}" for x in TABLE.ravel()).encode(),
    "nine digits": " ".join(f"{x:.9g}" for x in TABLE.ravel()).encode(),
    "scientific": " ".join(f"{x:e}" for x in TABLE.ravel()).encode(),
    "one number in a sentence": f"got {TABLE[0, 0]!r}, not 1".encode(),
    "npz": saved(np.savez, x=TABLE),
    "compressed npz": saved(np.savez_compressed, x=TABLE),
    "float32 in a compressed npz": saved(np.savez_compressed, x=TABLE.astype("f4")),
    "a cut zip": zipped(RAW["float64"] + bytes(1000))[:-60],
    "gzip": gzip.compress(RAW["float64"]),
    "zlib inside something": b"before" + zlib.compress(RAW["float64"]) + b"after",
    "a picture": picture(RAW["float64"]),
    "a picture in a page": b'<img src="data:image/png;base64,'
    + base64.b64encode(picture(RAW["float64"])) + b'">',
    "gzip in base64": base64.b64encode(gzip.compress(json.dumps(TABLE.tolist()).encode())),
    "zip in hexadecimal": zipped(RAW["float64"]).hex().encode(),
    "pickle": pickle.dumps(TABLE),
}  # fmt: skip
KEY_FORMS = {
    "raw": KEY, "hexadecimal": KEY.hex().encode(), "HEXADECIMAL": KEY.hex().upper().encode(),
    "half of it": KEY[16:], "in quotes": repr(KEY.hex()).encode(),
    "gzip": gzip.compress(KEY + bytes(99)),
    **{f"base64 from {i}": base64.b64encode(bytes(i) + KEY) for i in range(3)},
}  # fmt: skip


@pytest.mark.parametrize("form", FORMS)
def test_the_search_finds_a_planted_array_as(tmp_path, form):
    searcher = Searcher({"planted": array_needles(TABLE)})
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "clean").write_bytes(np.random.default_rng(1).bytes(100_000))
    assert not searcher.under(tmp_path, skip=nowhere)
    (tmp_path / "inner" / "leak").write_bytes(b"noise " * 50 + FORMS[form] + b" noise" * 50)
    assert {leak.file for leak in searcher.under(tmp_path, skip=nowhere)} == {"inner/leak"}


@pytest.mark.parametrize("form", KEY_FORMS)
def test_the_search_finds_a_planted_key_as(form):
    searcher = Searcher({"planted": byte_needles(KEY)})
    assert not searcher.inside(np.random.default_rng(1).bytes(100_000))
    assert searcher.inside(b"noise " * 50 + KEY_FORMS[form] + b" noise" * 50)


def nowhere(place: Path, secret: str) -> bool:
    return False


MEANS_OF_CLEAN_ANCHORS = ("aa-gdp", "aa-gdp-noise")
"""Without noise the mean of an anchor upload is psi itself: the analyst has it, and sends it to
its owner as the mean in its alignment map. Psi hides nothing; docs/threat-model.md says so."""


def known_place(method: str):
    def may_hold(place: Path, secret: str) -> bool:
        owner, what = secret.split("/", 1)
        own_map = place.parts[:2] == ("transcripts", owner) and "r5_deliver" in place.name
        return own_place(place, secret) or (
            method in MEANS_OF_CLEAN_ANCHORS and what == "psi" and own_map
        )

    return may_hold


def own_place(place: Path, secret: str) -> bool:
    """Whether a party's own folder, or the truth about it, may hold this secret of its."""
    owner, what = secret.split("/", 1)
    if place.parts[0] == "truth":
        return (place.stem == owner and what in {"X", "O", "psi"}) or owner == planted.SHARED
    if place.parts[0] != "parties":
        return False
    if owner == planted.SHARED:
        return place.parts[1].startswith("participant-") and what in {"A", "O", "psi"}
    return place.parts[1] == owner


METHODS = ["local", "c-gdp", "c-gdp-noise", "i-gdp", "aa-gdp", "aa-gdp-noise", "naa-gdp"]


def whole_run(federation, root, *, report=False) -> RunDirectory:
    """Run and score, and report if asked for, as `collude run` does."""
    run = RunDirectory.create(root)
    runner._run(federation, run, runner.Options(out=root, compare=False, report=report))
    return run


RUNS = [(method, "simulation") for method in METHODS]
RUNS += [(method, "deployment") for method in ("c-gdp", "naa-gdp")]


@pytest.mark.parametrize(("method", "mode"), RUNS)
def test_nothing_secret_leaves(tmp_path, capfd, caplog, method, mode):
    federation = planted.planted(method, mode=mode)
    caplog.set_level(0)
    run = whole_run(federation, tmp_path / "run")
    searcher = Searcher(planted.canaries(federation, planted.session_of(run)))
    assert not searcher.under(run.root, skip=known_place(method))
    assert not searcher.inside("".join(capfd.readouterr()).encode())
    assert not searcher.inside(caplog.text.encode())
    if federation.scenario.mechanism.traits.uploads:
        found_what_does_leave(run)
    if mode == "deployment":
        inside = searcher.under(run.root / "parties", skip=nowhere)
        assert not inside, "a deployment keeps no secret at all"
    elif federation.scenario.mechanism.traits.uploads:
        kept = {leak.secret for leak in searcher.under(run.root, skip=nowhere)}
        made = set(planted.arrays(federation, planted.session_of(run)))
        assert kept == {f"{owner}/{what}" for owner, what in made} - NOT_KEPT


NOT_KEPT = {f"participant-{i}/{what}" for i in range(3) for what in ("held-out X", "W")}
"""What no file of a run in one process holds: nobody needs it afterwards."""


def found_what_does_leave(run: RunDirectory) -> None:
    """The proof that the search looks into the right files: it finds what each must hold."""
    uploads = planted.sent(run)
    found = Searcher(uploads).under(run.root, skip=nowhere)
    assert {leak.secret for leak in found} == set(uploads)
    assert {Path(leak.file).parts[:2] for leak in found} == {("transcripts", "analyst")}


def test_colluders_and_attacks_change_nothing_for_the_others(tmp_path):
    federation = planted.planted(colluders=["participant-0"],
                                 attacks=["procrustes", "centred-procrustes"])  # fmt: skip
    run = whole_run(federation, tmp_path / "run", report=True)
    assert {path.stem for path in (run.root / "attacks").glob("*.npz")} == {
        "procrustes", "centred-procrustes"}  # fmt: skip
    searcher = Searcher(planted.canaries(federation, planted.session_of(run)))
    assert not searcher.under(run.root, skip=disclosed_or_own)


def disclosed_or_own(place: Path, secret: str) -> bool:
    """A colluder's own secrets, and the anchor that it knows, may lie at the attacker's."""
    owner, what = secret.split("/", 1)
    told = (owner, what) in {("participant-0", "X"), ("participant-0", "O"),
                             ("participant-0", "psi"), (planted.SHARED, "A")}  # fmt: skip
    return own_place(place, secret) or (told and place.parts[:2] == ("parties", "attacker"))


# --- in memory: texts and pickles of every object, after every step ------------------------------


def reachable(start) -> list[object]:
    """Return all objects of the product that can be reached from some, containers included."""
    seen, open_, ours = set(), list(start), []
    while open_:
        thing = open_.pop()
        if id(thing) in seen or isinstance(thing, (type, np.ndarray, str, bytes, int, float)):
            continue
        seen.add(id(thing))
        if type(thing).__module__.startswith("collude."):
            ours.append(thing)
        open_ += parts_of(thing)
    return ours


def parts_of(thing) -> list[object]:
    if isinstance(thing, dict):
        return list(thing.values())
    if isinstance(thing, (list, tuple, set, frozenset)):
        return list(thing)
    slots = [s for kind in type(thing).__mro__ for s in getattr(kind, "__slots__", ())]
    held = [getattr(thing, name) for name in slots if hasattr(thing, name)]
    return held + list(getattr(thing, "__dict__", {}).values())


def copied(thing) -> bytes:
    try:
        return pickle.dumps(thing)
    except (TypeError, AttributeError, pickle.PicklingError):
        return b""


class Watch:
    """Looks at all objects of the participants after each step of theirs."""

    def __init__(self, federation):
        self.sessions = assemble(federation)
        self.texts, self.copies, self.kinds = [], [], set()

    def look(self):
        for thing in reachable([*self.sessions.participants.values()]):
            self.kinds.add(type(thing).__name__)
            self.texts.append(f"{thing!r} {thing!s}".encode())
            self.copies.append(copied(thing))

    def run(self):
        watched = [Recorded(session, MemoryTranscript(), self.look)
                   for session in self.sessions.participants.values()]  # fmt: skip
        connect([Recorded(self.sessions.analyst, MemoryTranscript()), *watched])


@pytest.mark.parametrize("method", ["naa-gdp", "c-gdp-noise"])
def test_no_object_shows_or_copies_a_secret(method):
    federation = planted.planted(method)
    watch = Watch(federation)
    watch.run()
    assert {"Silo", "Core", "Seeded", "Committed", "JointMaterial", "RigidTransform", "SigningKey",
            "SessionKey", "Entropy", "Share", "UploadState"} <= watch.kinds  # fmt: skip
    session = watch.sessions.participants["participant-0"]._gate.session
    secrets = planted.canaries(federation, session)
    assert not Searcher(secrets).inside(b"\n".join(watch.texts))
    uncopied = {name: found for name, found in secrets.items() if "X" not in name.split("/")[1]}
    assert not Searcher(uncopied).inside(b"\n".join(watch.copies))


def test_a_disclosure_shows_its_shapes_alone():
    sessions = assemble(planted.planted())
    silo = sessions.silos["participant-0"]
    connect([sessions.analyst, *sessions.participants.values()])
    told = silo.disclosure(EVERYTHING)
    secrets = {name: array_needles(getattr(told, name)) for name in ("records", "rotation")}
    assert f"records=shape {told.records.shape}" in repr(told)
    assert not Searcher(secrets).inside(f"{told!r} {told!s}".encode())


# --- what goes wrong says nothing either --------------------------------------------------------


def test_an_error_about_records_shows_none_of_them():
    federation = planted.planted()
    share = federation.shares["participant-1"]
    records = share.records.copy()
    records[3, 3] = np.nan
    federation.shares["participant-1"] = dataclasses.replace(share, records=records)
    with pytest.raises(DataInvalid) as caught:
        assemble(federation)
    assert not Searcher({"X": array_needles(share.records)}).inside(everything_of(caught.value))


def test_a_refused_upload_shows_none_of_its_numbers(tmp_path):
    federation = planted.planted("i-gdp")
    sessions = assemble(federation)
    huge = sessions.silos["participant-1"]._share.records
    huge[2] = 1e200  # after the participant's own check, as faulty memory would do it
    with np.errstate(over="ignore"):
        connect([sessions.analyst, *sessions.participants.values()])
    assert isinstance(sessions.analyst.refused[0], UploadRejected)
    made = planted.arrays(federation, sessions.analyst._gate.session)
    secrets = {"/".join(place): array_needles(table) for place, table in made.items()}
    upload = sessions.silos["participant-1"].upload(None)
    secrets["Y"] = array_needles(upload.private)
    errors = [e for s in (sessions.analyst, *sessions.participants.values())
              for e in (s.error, *s.refused) if e is not None]  # fmt: skip
    assert errors
    assert not Searcher(secrets).inside(b"".join(map(everything_of, errors)))


def everything_of(error: ColludeError) -> bytes:
    return f"{error!s} {error!r} {vars(error)} {copied(error)!r}".encode()
