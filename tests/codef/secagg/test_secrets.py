"""What stays secret: from prints and pickles, and from whoever carries the messages."""

import copy
import gc
import pickle

import numpy as np
import pytest
from testkit.aggregation import aggregation, collect, hand_out, letters_of, start, terms_of, up_to

from collude.codef.secagg import STAGES, Client, Stage
from collude.codef.secagg.keys import mask_key, pair_mask_key, self_mask_key
from collude.codef.secagg.prg import add_masks
from collude.common.randomness import Entropy

P0 = "participant-0"


@pytest.mark.parametrize("stage", STAGES)
def test_a_silo_shows_nothing_and_is_neither_pickled_nor_copied(stage):
    client = up_to(aggregation(), stage).fed.clients[P0]
    assert repr(client) == "Client()"
    assert "bytes" not in repr(client._state).replace("object at", "")
    for copied in (pickle.dumps, copy.copy, copy.deepcopy):
        with pytest.raises(TypeError, match="not pickled"):
            copied(client)


def everything_below(root):
    """All objects that can be reached from `root` without passing a module or a class."""
    seen, edge = {}, [root]
    while edge:
        thing = edge.pop()
        if id(thing) in seen or isinstance(thing, type) or type(thing).__name__ == "module":
            continue
        seen[id(thing)] = thing
        if not callable(thing) or hasattr(thing, "__self__"):
            edge.extend(gc.get_referents(thing))
    return list(seen.values())


def holds(root, secret):
    return any(isinstance(x, bytes | bytearray) and secret in x for x in everything_below(root))


def test_secrets_and_counts_are_dropped_when_they_have_served():
    fed = aggregation()
    talk = start(fed)
    client = fed.clients[P0]
    seeds = client._state._seeds
    secrets = [seeds.self_mask, seeds.mask_key, seeds.envelope_key]
    assert all(holds(client, s) for s in secrets)  # the search finds what is there
    talk = up_to(fed2 := aggregation(), "masked_input")
    client = fed2.clients[P0]
    assert not any(holds(client, s) for s in secrets)
    counts = fed2.counts[P0]
    arrays = [x for x in everything_below(client) if isinstance(x, np.ndarray)]
    assert not any(x.shape == counts.shape and (x == counts).all() for x in arrays)
    assert talk.waiting[P0].words != counts.astype("<u4").tobytes()


@pytest.mark.parametrize("end", ["done", "aborted"])
def test_at_the_end_nothing_is_left(end):
    fed = aggregation()
    talk = letters_of(fed, "consistency")
    client = fed.clients[P0]
    if end == "done":
        client.receive(talk.letters[P0])
    else:
        client.give_up()
    assert client.stage is Stage(end)
    assert client._state is None


def test_no_message_holds_a_seed_a_count_or_an_unsealed_share():
    fed = aggregation(length=8)
    talk = start(fed)
    seeds = {name: client._state._seeds for name, client in fed.clients.items()}
    sent = []
    for _ in range(4):
        sent += [repr(message) for message in talk.waiting.values()]
        for name, message in talk.waiting.items():
            fed.server.receive(name, message)
        talk.letters = fed.server.close()
        sent += [repr(letter) for letter in talk.letters.values()]
        hand_out(talk)
    text = "".join(sent)
    planted = [s for x in seeds.values() for s in (x.self_mask, x.mask_key, x.envelope_key)]
    planted += [c.astype("<u4").tobytes() for c in fed.counts.values()]
    planted += [named.share for message in talk.waiting.values() for named in message.self_masks]
    assert not [secret for secret in planted if repr(secret)[2:-1] in text]
    assert all(
        type(m).__name__ == "Unmask" and "share" not in repr(m) for m in talk.waiting.values()
    )


# --- what the coordinator sees --------------------------------------------------------------


def masked(counts, session, silos=3):
    """The masked counts of the first silo, with everything else as always."""
    fed = aggregation(
        silos=silos, threshold=2, length=len(counts[0]), counts=counts, session=session
    )
    return np.frombuffer(up_to(fed, "masked_input").waiting[P0].words, "<u4")


def chi_square(words):
    """Over all bytes of the words, against 256 equal cells."""
    observed = np.bincount(words.view(np.uint8), minlength=256)
    expected = words.nbytes / 256
    return ((observed - expected) ** 2 / expected).sum()


def test_masked_counts_are_uniform_whatever_the_counts():
    length = 50_000
    for value in (0, 1, 1000):
        counts = np.full((3, length), value)
        statistic = chi_square(masked(counts, bytes(32)))
        assert 255 - 5 * np.sqrt(2 * 255) < statistic < 255 + 5 * np.sqrt(2 * 255)
    # the test can fail: unmasked counts are far away
    assert chi_square(np.arange(length, dtype="<u4")) > 10_000


def test_masked_counts_do_not_tell_which_counts_they_hide():
    length = 20_000
    zeros = masked(np.zeros((3, length), int), bytes(32)).astype(np.float64)
    others = masked(np.full((3, length), 1000), bytes([1] * 32)).astype(np.float64)
    spread = 2**32 / np.sqrt(12)
    assert abs(zeros.mean() - others.mean()) < 5 * spread * np.sqrt(2 / length)
    assert abs(np.corrcoef(zeros, others)[0, 1]) < 5 / np.sqrt(length)
    assert abs(np.corrcoef(zeros[1:], zeros[:-1])[0, 1]) < 5 / np.sqrt(length)


def test_one_changed_seed_changes_every_masked_count():
    counts = np.zeros((3, 1000), int)
    one, two = (masked(counts, bytes([i] * 32)) for i in (1, 2))
    assert (one == two).sum() <= 1
    made, keys = terms_of(silos=3, threshold=2, length=1000)
    words = []
    for seed in (0, 1):  # another silo's seed alone
        fed = aggregation(silos=3, threshold=2, length=1000, counts=counts)
        name = "participant-2"
        fed.clients[name] = Client(
            made, name, counts[2], keys[name], Entropy(bytes([seed] * 32), simulated=True)
        )
        talk = up_to(fed, "masked_input")
        words.append(np.frombuffer(talk.waiting[P0].words, "<u4"))
    assert (words[0] == words[1]).sum() <= 1


def test_a_silo_whose_counts_come_too_late_stays_hidden():
    """The coordinator declares P2 dead, learns its pair masks, and then gets its masked counts.

    P2's own mask, of which nobody gave a share, still hides them.
    """
    late, length = "participant-2", 50_000
    counts = np.full((3, length), 7)
    fed = aggregation(silos=3, threshold=2, length=length, counts=counts, min_silos=2)
    seeds = start(fed).fed.clients[late]._state._seeds
    talk = up_to(fed, "masked_input")
    words = np.frombuffer(talk.waiting.pop(late).words, "<u4").copy()
    for _ in range(2):
        collect(talk)
        hand_out(talk)
    for name, message in talk.waiting.items():
        assert [named.name for named in message.self_masks] == list(fed.names[:2])
        assert [named.name for named in message.mask_keys] == [late]
        fed.server.receive(name, message)
    keys = fed.server._state._known.shared.advertised.keys
    own = mask_key(fed.terms.session, seeds.mask_key)
    opened = [pair_mask_key(fed.terms.session, own, keys[n].mask_key) for n in fed.names[:2]]
    plus, minus = fed.server._state._masks()
    assert {*opened} <= {*plus, *minus}  # the coordinator has both pair masks now
    add_masks(words, opened, [])
    assert abs(chi_square(words) - 255) < 5 * np.sqrt(2 * 255)
    add_masks(words, [], [self_mask_key(fed.terms.session, seeds.self_mask)])
    assert (words == 7).all()  # with its own mask it would be open
