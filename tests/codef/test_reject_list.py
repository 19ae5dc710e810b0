"""Everything that counting together must refuse, and the tests that show each refusal.

The list is the design's. An entry has tests, or waits for them with a reason, or both: what the
session refuses is shown here already where the same thing must be refused over the wire as well.
"""

import ast
from dataclasses import dataclass
from functools import cache

import pytest
from testkit.command import ROOT

LEDGER, SECAGG, PEDERSEN = "tests/codef/ledger", "tests/codef/secagg", "tests/codef/pedersen"
COORDINATOR, SILO = "tests/codef/coordinator/test_session.py", "tests/participant/codef"


@dataclass(frozen=True)
class Refused:
    """What must be refused: by these tests; `pending` says what is still to be shown, and where."""

    tests: tuple[str, ...] = ()
    pending: str = ""


TABLE = {
    "a count outside [0, c_max]": Refused((
        f"{SECAGG}/test_terms.py::test_counts_that_are_none_are_refused_and_not_shown",
        f"{SECAGG}/client/test_session.py::test_counts_above_the_cap_are_this_partys_fault",
        f"{PEDERSEN}/test_vectors.py::test_a_count_above_c_max_is_refused_though_the_common_cap_is_greater",
    )),
    "a count that decreases within a period": Refused((
        f"{SECAGG}/test_terms.py::test_counts_that_decrease_within_a_period_are_refused",
        f"{SILO}/test_epoch.py::test_counts_beyond_the_cap_or_that_decrease_are_not_committed_to",
        f"{PEDERSEN}/test_vectors.py::test_counts_that_decreased_are_refused",
    )),
    "counts of another length or type": Refused((
        f"{SECAGG}/test_terms.py::test_counts_that_are_none_are_refused_and_not_shown",
        f"{SECAGG}/test_server.py::test_masked_counts_of_another_length_are_refused",
        f"{SECAGG}/test_server.py::test_masked_counts_above_the_modulus_are_refused",
        f"{PEDERSEN}/test_commitments.py::test_counts_that_are_none_are_refused",
    )),
    "K c_max >= 2^w": Refused((
        f"{SECAGG}/test_terms.py::test_terms_that_cannot_hold_are_refused",
        f"{SECAGG}/test_terms.py::test_the_largest_cap_that_is_taken_does_not_wrap",
        f"{PEDERSEN}/test_vectors.py::test_terms_whose_limbs_could_wrap_are_refused",
    )),
    "an opening that does not match the commitment": Refused((
        f"{LEDGER}/test_commitments.py::test_another_opening_is_refused",
        f"{PEDERSEN}/test_check.py::test_an_opening_that_does_not_match_is_refused",
    )),
    "a nonce used again": Refused((
        f"{LEDGER}/test_commitments.py::test_a_nonce_that_serves_twice_is_refused",
    )),
    "a commitment of another session or epoch": Refused((
        f"{LEDGER}/test_chain.py::test_an_entry_of_another_phase_is_refused",
        f"{LEDGER}/test_chain.py::test_an_epoch_that_was_committed_to_is_refused",
        f"{LEDGER}/test_commitments.py::test_another_opening_is_refused",
        f"{COORDINATOR}::test_a_commitment_of_another_phase_is_refused_whatever_its_header_says",
    )),
    "a second commitment of one silo in an epoch": Refused((
        f"{LEDGER}/test_chain.py::test_a_second_commit_of_one_silo_in_an_epoch_is_refused",
        f"{COORDINATOR}::test_a_second_commitment_while_the_phase_is_open_is_refused",
        f"{SILO}/test_epoch.py::test_a_phase_that_does_not_belong_is_refused",
    )),
    "an entry whose previous hash is not the head": Refused((
        f"{LEDGER}/test_chain.py::test_a_phase_that_does_not_follow_the_head_is_refused",
    )),
    "two heads": Refused((
        f"{LEDGER}/test_heads.py::test_a_head_of_another_ledger_at_this_length_is_a_fork",
        f"{LEDGER}/test_heads.py::test_a_coordinator_that_signs_two_ledgers_is_convicted",
        f"{LEDGER}/test_heads.py::test_two_silos_that_were_shown_two_ledgers_have_a_proof_without_a_culprit",
        f"{SILO}/test_epoch.py::test_silos_that_were_shown_two_ledgers_notice_before_any_key_is_made",
    )),
    "an unknown id": Refused((
        f"{LEDGER}/test_chain.py::test_a_silo_that_is_not_on_the_roster_is_refused",
        f"{SECAGG}/client/test_r0_advertise_keys.py::test_keys_of_a_silo_that_is_not_on_the_roster_are_refused",
        f"{SECAGG}/test_server.py::test_a_stranger_is_refused",
        f"{SECAGG}/test_terms.py::test_a_client_that_is_none_of_the_silos_is_refused",
    )),
    "a duplicate id": Refused((
        f"{SECAGG}/client/test_r0_advertise_keys.py::test_a_list_of_keys_out_of_order_is_refused",
        f"{SECAGG}/test_server.py::test_a_message_that_comes_twice_is_refused_and_counts_once",
        f"{LEDGER}/test_chain.py::test_a_second_commit_of_one_silo_in_an_epoch_is_refused",
    )),
    "a duplicate key": Refused((
        f"{SECAGG}/client/test_r0_advertise_keys.py::test_a_key_that_is_mine_or_anothers_is_refused",
        f"{SECAGG}/client/test_r0_advertise_keys.py::test_one_key_for_both_purposes_is_refused",
        f"{SECAGG}/test_server.py::test_another_silos_key_is_refused",
    )),
    "a key equal to the own one": Refused((
        f"{SECAGG}/client/test_r0_advertise_keys.py::test_a_key_that_is_mine_or_anothers_is_refused",
        f"{SECAGG}/client/test_r0_advertise_keys.py::test_my_own_keys_altered_are_refused",
    )),
    "an X25519 key of low order, or an all-zero output": Refused((
        f"{SECAGG}/client/test_r0_advertise_keys.py::test_keys_of_low_order_are_refused",
        f"{SECAGG}/client/test_r0_advertise_keys.py::test_a_secret_with_a_key_of_low_order_is_zero_whatever_the_other_key",
        f"{SECAGG}/test_server.py::test_keys_of_low_order_or_in_another_form_are_refused",
        f"{SECAGG}/test_envelope.py::test_a_key_of_low_order_seals_and_opens_nothing",
    )),
    "a share envelope with another sender, recipient or associated data": Refused((
        f"{SECAGG}/client/test_r1_share_keys.py::test_an_envelope_with_another_address_is_refused",
        f"{SECAGG}/client/test_r1_share_keys.py::test_an_envelope_for_another_silo_does_not_open",
        f"{SECAGG}/test_server.py::test_envelopes_that_are_not_one_for_each_neighbour_are_refused",
        f"{SECAGG}/test_envelope.py::test_an_envelope_of_another_route_or_session_does_not_open",
    )),
    "t < 2, or below policy": Refused((
        f"{SECAGG}/test_terms.py::test_terms_that_cannot_hold_are_refused",
    )),
    "|U1| < t": Refused((
        f"{SECAGG}/client/test_r0_advertise_keys.py::test_too_few_keys_are_refused",
        f"{SECAGG}/client/test_r1_share_keys.py::test_too_few_silos_that_shared_are_refused",
        f"{SECAGG}/test_server.py::test_too_few_silos_end_the_session_in_their_stage",
    )),
    "|U2| < t or < K_min": Refused((
        f"{SECAGG}/client/test_r2_masked_input.py::test_a_sum_of_too_few_is_refused",
        f"{SECAGG}/test_server.py::test_too_few_silos_end_the_session_in_their_stage",
        f"{SECAGG}/test_server.py::test_fewer_than_k_min_inputs_are_not_summed",
    )),
    "dead and alive lists that overlap": Refused((
        f"{SECAGG}/client/test_r3_consistency.py::test_a_request_for_both_secrets_of_a_silo_is_refused",
    )),
    "a second unmask request": Refused((
        f"{SECAGG}/client/test_session.py::test_a_second_unmask_request_is_refused",
        f"{SILO}/test_epoch.py::test_a_second_unmask_request_gets_no_share",
    )),
    "U2 that is not a subset of U1": Refused((
        f"{SECAGG}/client/test_r2_masked_input.py::test_a_silo_in_the_sum_that_had_not_shared_is_refused",
        f"{SECAGG}/client/test_r3_consistency.py::test_a_request_for_others_than_were_signed_is_refused",
    )),
    "signed U2 lists that differ": Refused((
        f"{SECAGG}/client/test_r3_consistency.py::test_a_silo_that_was_shown_other_lists_is_named",
        f"{SECAGG}/client/test_r3_consistency.py::test_a_view_with_another_silos_signature_is_refused",
        f"{SECAGG}/client/test_r3_consistency.py::test_too_few_signed_views_are_refused",
        f"{SECAGG}/test_server.py::test_a_view_of_other_lists_is_refused",
    )),
    "an aggregate > K c_max": Refused((
        f"{SECAGG}/test_server.py::test_a_sum_above_what_silos_may_count_is_refused",
        f"{SECAGG}/test_server.py::test_the_largest_sum_of_those_left_is_taken_and_one_more_is_not",
        f"{PEDERSEN}/test_vectors.py::test_sums_that_so_many_silos_cannot_have_are_refused",
    )),
    "a Pedersen mismatch": Refused((
        f"{PEDERSEN}/test_check.py::test_another_sum_than_came_out_is_refused",
        f"{PEDERSEN}/test_check.py::test_a_silo_that_masks_another_vector_than_it_committed_to_is_noticed",
        f"{PEDERSEN}/test_check.py::test_a_silo_left_out_of_the_sum_is_noticed",
        f"{PEDERSEN}/test_check.py::test_a_silo_counted_twice_is_noticed",
        f"{PEDERSEN}/test_check.py::test_a_commitment_that_is_none_names_its_silo",
    )),
    "a params hash other than the own": Refused((
        f"{SECAGG}/client/test_r0_advertise_keys.py::test_a_silo_that_runs_with_other_terms_is_named",
        f"{SECAGG}/test_server.py::test_keys_for_other_terms_are_refused",
        f"{LEDGER}/test_chain.py::test_an_entry_under_terms_that_the_phase_does_not_name_is_refused",
        f"{SILO}/test_setup.py::test_joins_that_are_not_in_order_are_refused",
        f"{COORDINATOR}::test_a_join_under_other_terms_is_named_with_both_values",
        f"{COORDINATOR}::test_one_silos_message_that_is_wrong_costs_that_silo_its_place_and_nobody_else",
    )),
    "a roster hash other than the own": Refused((
        f"{SECAGG}/client/test_r0_advertise_keys.py::test_a_silo_that_runs_with_other_terms_is_named",
        f"{SECAGG}/test_server.py::test_keys_for_other_terms_are_refused",
        f"{LEDGER}/test_text.py::test_a_ledger_of_another_roster_is_refused",
        f"{SILO}/test_setup.py::test_joins_that_are_not_in_order_are_refused",
        f"{COORDINATOR}::test_a_join_under_other_terms_is_named_with_both_values",
        f"{COORDINATOR}::test_one_silos_message_that_is_wrong_costs_that_silo_its_place_and_nobody_else",
    )),
    # Not in the list of refusals, but beside it.
    "a share that is not the one dealt out": Refused((
        f"{SECAGG}/test_server.py::test_a_silo_that_shifts_a_share_is_named",
        f"{SECAGG}/test_server.py::test_a_silo_that_deals_out_another_seed_than_it_advertised_is_named",
    )),
    "a restarted silo that unmasks again or masks another vector under old keys": Refused((
        "tests/e2e/test_restarted_silo.py::test_it_refuses_and_the_others_go_on",
        f"{SILO}/test_setup.py::test_a_silo_that_was_restarted_stays_out_of_a_period_that_it_joined",
        f"{SILO}/test_setup.py::test_no_aggregation_is_entered_twice",
    )),
}  # fmt: skip


@cache
def named_in(path: str) -> dict[str, bool]:
    """The tests in a file, and whether one is marked as skipped or expected to fail."""
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    return {
        node.name: any(
            "skip" in mark or "xfail" in mark for mark in map(ast.unparse, node.decorator_list)
        )
        for node in tree.body
        if isinstance(node, ast.FunctionDef)
    }


def shows(test: str) -> bool:
    path, _, name = test.partition("::")
    return (
        (ROOT / path).is_file()
        and name.startswith("test_")
        and named_in(path).get(name, True) is False
    )


@pytest.mark.parametrize("entry", TABLE)
def test_every_refusal_has_tests_or_waits_for_them_with_a_reason(entry):
    refused = TABLE[entry]
    assert refused.tests or refused.pending
    assert not [test for test in refused.tests if not shows(test)]
    assert len(set(refused.tests)) == len(refused.tests)


def test_a_test_that_is_not_there_shows_nothing():
    here = "tests/codef/test_reject_list.py"
    assert shows(f"{here}::test_a_test_that_is_not_there_shows_nothing")
    for other in ("test_nothing", "shows", ""):
        assert not shows(f"{here}::{other}")
    assert not shows("tests/codef/test_nowhere.py::test_a")


def test_what_waits_is_counted():
    """To fill an entry in, name its test and change this number."""
    assert sum(bool(refused.pending) for refused in TABLE.values()) == 0
    assert sum(not refused.tests for refused in TABLE.values()) == 0
