"""Releases under a root: no proof for what was not recorded, and none tells how many were."""

import pickle
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from testkit.independent import sha

from collude.codef.ledger import InclusionProof, ReleaseTree, check_inclusion
from collude.codef.ledger.releases import releases_opened
from collude.common.errors import LedgerRejected, ParameterInvalid

SESSION, SILO, KEY = bytes(range(32)), "participant-0", bytes([3] * 32)
ROUTE = SESSION, SILO
RECEIPTS = [b"first", b"second", b"third"]


def tree(receipts=RECEIPTS, depth=3, key=KEY):
    return ReleaseTree(SESSION, SILO, receipts, depth, key)


@pytest.mark.parametrize(
    ("receipts", "depth"),
    [([b""], 3), ([b"a", b"a"], 3), ([b"a", b"b", b"c"], 1), ([b"a"], -1), ([b"a"], 25)],
)
def test_receipts_that_cannot_be_recorded_are_refused(receipts, depth):
    with pytest.raises(ParameterInvalid):
        tree(receipts, depth)


@pytest.mark.parametrize("receipt", [b"fourth", b""])
def test_there_is_no_proof_of_what_was_not_released(receipt):
    with pytest.raises(ParameterInvalid):
        tree().proof(receipt)


def flipped(content):
    return bytes([content[0] ^ 1]) + content[1:]


PROOFS = {
    "another salt": lambda p: replace(p, salt=flipped(p.salt)),
    "another place": lambda p: replace(p, place=p.place ^ 1),
    "a place outside": lambda p: replace(p, place=p.place + 8),
    "a negative place": lambda p: replace(p, place=p.place - 8),
    "a sibling altered": lambda p: replace(p, siblings=(flipped(p.siblings[0]), *p.siblings[1:])),
    "siblings swapped": lambda p: replace(p, siblings=p.siblings[::-1]),
    "a sibling fewer": lambda p: replace(p, siblings=p.siblings[1:]),
    "a sibling more": lambda p: replace(p, siblings=(*p.siblings, bytes(32))),
    "no siblings": lambda p: replace(p, siblings=()),
}


@pytest.mark.parametrize("change", PROOFS.values(), ids=PROOFS)
def test_a_proof_that_was_altered_is_refused(change):
    made = tree()
    proof = change(made.proof(b"second"))
    with pytest.raises(LedgerRejected) as caught:
        check_inclusion(made.root, ROUTE, b"second", proof, 3)
    assert caught.value.party == SILO


def test_a_proof_of_another_receipt_root_silo_or_session_is_refused():
    made = tree()
    proof = made.proof(b"second")
    check_inclusion(made.root, ROUTE, b"second", proof, 3)
    for root, route, receipt in (
        (made.root, ROUTE, b"first"), (tree(key=bytes(32)).root, ROUTE, b"second"),
        (made.root, (SESSION, "participant-1"), b"second"),
        (made.root, (bytes(32), SILO), b"second"),
    ):  # fmt: skip
        with pytest.raises(LedgerRejected):
            check_inclusion(root, route, receipt, proof, 3)


def test_an_inner_node_does_not_pass_for_a_leaf():
    made = tree()
    proof = made.proof(b"first")
    short = replace(proof, place=proof.place >> 1, siblings=proof.siblings[1:])
    for depth in (2, 3):
        with pytest.raises(LedgerRejected):
            check_inclusion(made.root, ROUTE, b"first", short, depth)


def test_a_leaf_of_nothing_proves_no_release():
    made = tree()
    place, (salt, _) = next((i, leaf) for i, leaf in enumerate(made.leaves) if leaf[1] == b"")
    siblings = tuple(level[(place >> up) ^ 1] for up, level in enumerate(made._levels[:-1]))
    with pytest.raises(LedgerRejected):
        check_inclusion(made.root, ROUTE, b"", InclusionProof(place, salt, siblings), 3)


@pytest.mark.parametrize("depth", [0, 2, 4])
def test_a_tree_of_another_depth_than_was_agreed_is_refused(depth):
    made = tree()
    with pytest.raises(LedgerRejected):
        check_inclusion(made.root, ROUTE, b"first", made.proof(b"first"), depth)


def by_hand(leaves):
    level = [sha("codef/v1/release", SESSION, SILO, salt, receipt) for salt, receipt in leaves]
    while len(level) > 1:
        pairs = zip(level[::2], level[1::2], strict=True)
        level = [sha("codef/v1/release-node", left, right) for left, right in pairs]
    return level[0]


@given(st.integers(0, 6), st.data())
def test_every_release_is_proved_and_the_root_is_that_of_all_leaves(depth, data):
    receipts = data.draw(
        st.lists(st.binary(min_size=1, max_size=9), max_size=1 << depth, unique=True)
    )
    made = tree(receipts, depth, data.draw(st.binary(min_size=32, max_size=32)))
    assert made.root == by_hand(made.leaves)
    for receipt in receipts:
        check_inclusion(made.root, ROUTE, receipt, made.proof(receipt), depth)
    assert releases_opened(made.root, ROUTE, made.leaves, depth) == len(receipts)


def test_opened_leaves_that_leave_one_out_are_refused():
    made = tree()
    without = [(salt, b"" if receipt == b"third" else receipt) for salt, receipt in made.leaves]
    for leaves in (without, made.leaves[:-1], made.leaves[:4], []):
        with pytest.raises(LedgerRejected):
            releases_opened(made.root, ROUTE, leaves, 3)


def test_neither_size_nor_place_tells_how_many_were_released():
    few, many = tree([b"x"], 6), tree([b"x", *(bytes([i]) * 2 for i in range(60))], 6)
    assert [len(t.root) for t in (few, many)] == [32, 32]
    assert len(few.proof(b"x").siblings) == len(many.proof(b"x").siblings)
    places = {tree([b"x"], 6, bytes([i] * 32)).proof(b"x").place for i in range(200)}
    assert len(places) > 50  # of 64, drawn 200 times: all but a few


def test_salts_are_all_different_and_the_tree_is_not_shown():
    made = tree()
    assert len({salt for salt, _ in made.leaves}) == 8
    assert repr(made) == "ReleaseTree()"
    with pytest.raises(TypeError):
        pickle.dumps(made)
