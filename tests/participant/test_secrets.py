"""Whatever holds a secret shows nothing of it and does not leave the process."""

import copy
import logging
import pickle

import pytest
from testkit.canary import Searcher, array_needles, byte_needles
from testkit.federation import P0, D, core, federation, parties, silo
from testkit.network import talk

from collude.common.geometry.expansion import expand_anchor, expand_transform
from collude.common.ids import Round
from collude.participant.joint import JointMaterial
from collude.participant.r0_join import Joined
from collude.participant.r1_anchor import Committed, Seeded
from collude.participant.session import ParticipantSession

FED = federation()
SEED, SHARE, NONCE = (bytes(range(i, i + 32)) for i in (50, 90, 130))
KNOWN = core(FED, P0)
JOINED = Joined(bytes(32), {}, D, D + 1)
MATERIAL = JointMaterial(expand_anchor(SEED, D + 1, D), expand_transform(SEED, D))


def uploaded():
    made = silo(FED, P0)
    made.upload(SEED)
    return made


HOLDERS = {
    "Core": KNOWN,
    "Entropy": KNOWN.entropy,
    "SigningKey": KNOWN.signing_key,
    "SessionKey": KNOWN.session_key,
    "Committed": Committed(JOINED, NONCE, SHARE, {}),
    "Seeded": Seeded(JOINED, SEED),
    "JointMaterial": MATERIAL,
    "RigidTransform": MATERIAL.transform,
    "Silo": uploaded(),
    "ParticipantSession": ParticipantSession(core(FED, P0), uploaded()),
}


def key_needles(secret):
    """As in a canary search, and as Python shows bytes."""
    halves = secret[:16], secret[16:]
    return byte_needles(secret) | {repr(half)[2:-1].encode() for half in halves}


NEEDLES = {
    "seed": key_needles(SEED),
    "share": key_needles(SHARE),
    "nonce": key_needles(NONCE),
    "A": array_needles(MATERIAL.anchor),
    "O": array_needles(MATERIAL.transform.rotation),
    "X": array_needles(FED.shares[P0].records),
    **{
        purpose: key_needles(KNOWN.fresh(purpose))
        for purpose in ("session-key", "anchor-share", "anchor-nonce")
    },
    "party seed": key_needles(FED.seeds[P0]),
    "signing key": key_needles(FED.signing_seed(P0)),
}
SEARCH = Searcher(NEEDLES)


def test_the_search_finds_each_secret_as_it_would_be_shown():
    shown = [repr(SEED), repr(SHARE), repr(NONCE), repr(FED.seeds[P0])]
    tables = (MATERIAL.anchor, MATERIAL.transform.rotation, FED.shares[P0].records)
    shown += [str(table.tolist()) for table in tables]
    found = {secret for _, secret in SEARCH.inside("\n".join(shown).encode())}
    assert found == {"seed", "share", "nonce", "party seed", "A", "O", "X"}


@pytest.mark.parametrize("show", [repr, str, "{}".format, "{!r}".format, ascii])
@pytest.mark.parametrize("name", HOLDERS)
def test_no_secret_is_in_a_text(name, show):
    assert SEARCH.inside(show(HOLDERS[name]).encode()) == set()


@pytest.mark.parametrize("name", HOLDERS)
def test_no_secret_is_in_a_log(name, caplog):
    with caplog.at_level(logging.DEBUG):
        logging.getLogger("x").info("holds %s %r", HOLDERS[name], [HOLDERS[name]])
    assert caplog.text
    assert SEARCH.inside(caplog.text.encode()) == set()


@pytest.mark.parametrize("keep", [pickle.dumps, copy.copy, copy.deepcopy], ids=lambda f: f.__name__)
@pytest.mark.parametrize("name", sorted(set(HOLDERS) - {"Core", "Silo", "ParticipantSession"}))
def test_a_secret_is_not_pickled_or_copied(name, keep):
    with pytest.raises(TypeError, match="not pickled"):
        keep(HOLDERS[name])


@pytest.mark.parametrize("name", ["Core", "Silo", "ParticipantSession"])
def test_what_holds_secrets_is_not_pickled_or_copied_whole(name):
    for keep in (pickle.dumps, copy.deepcopy):
        with pytest.raises(TypeError, match="not pickled"):
            keep(HOLDERS[name])


def test_a_session_keeps_no_secret_of_a_round_that_is_over():
    talked = talk(parties(FED))
    for session in talked.parties.participants.values():
        assert session.round is Round.DONE
        assert session._state is None
