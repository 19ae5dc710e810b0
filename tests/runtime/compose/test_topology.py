"""Who may reach whom, derived once: everything else about a site follows from it."""

from ipaddress import IPv4Network

import pytest
from hypothesis import given
from hypothesis import strategies as st
from testkit.quick import quickstart

from collude.common.errors import ScenarioInvalid
from collude.common.ids import ANALYST, ATTACKER, COORDINATOR, Role, role_of
from collude.runtime.compose.topology import LARGE_SITE, command_of, topology_of

MEMBERS = st.integers(2, 6).flatmap(
    lambda n: st.tuples(st.just(n), st.sets(st.integers(0, n - 1), max_size=n - 1))
)


BASE = quickstart()


def topology(participants=3, colluders=(0,)):
    """Of the quickstart with other numbers; the scenario's own checks are not the matter here."""
    named = tuple(f"participant-{index}" for index in sorted(colluders))
    return topology_of(changed(data={"participants": participants}, collusion={"colluders": named}))


def changed(**sections):
    parts = {name: getattr(BASE, name).model_copy(update=values)
             for name, values in sections.items()}  # fmt: skip
    return BASE.model_copy(update=parts)


def participants(names):
    return {name for name in names if role_of(name) is Role.PARTICIPANT}


@given(MEMBERS)
def test_no_participant_reaches_another(drawn) -> None:
    made = topology(*drawn)
    for party in participants(made.parties):
        assert participants(made.reaches(party)) == set()


@given(MEMBERS)
def test_the_attacker_reaches_only_those_who_tell_it(drawn) -> None:
    made = topology(*drawn)
    assert made.reaches(ATTACKER) == {ANALYST, *made.colluders}
    for link in made.links:
        if link.caller == ATTACKER:
            wanted = "listen" if link.callee in made.colluders else "disclosure_listen"
            assert link.field == wanted


@given(MEMBERS)
def test_mail_and_disclosures_share_no_network(drawn) -> None:
    made = topology(*drawn)
    mail = {
        link.network for link in made.links if link.callee == ANALYST and link.field == "listen"
    }
    assert not mail & {link.network for link in made.links if link.caller == ATTACKER}


@given(MEMBERS)
def test_whom_a_party_calls_serves_on_a_network_of_both(drawn) -> None:
    made = topology(*drawn)
    for link in made.links:
        assert {link.caller, link.callee} <= set(made.networks[link.network])
        address = f"{link.callee}.{link.network}"
        assert any(address in listens for listens in made.listens(link.callee).values())
        port = made.peers(link.caller)[link.callee].rpartition(":")[2]
        assert port in made.listens(link.callee)[link.field]


def test_the_parties_of_the_quickstart_start_after_those_they_call() -> None:
    made = topology()
    assert made.parties == (ANALYST, "participant-0", "participant-1", "participant-2", ATTACKER)
    place = {party: index for index, party in enumerate(made.parties)}
    assert all(place[link.callee] < place[link.caller] for link in made.links)
    assert [command_of(made, p) for p in made.parties] == [
        "analyst", "colluder", "participant", "participant", "attacker",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "change",
    [{"collusion": {"attacks": ()}}, {"mechanism": {"method": "local"}}],
    ids=["no attack", "no upload"],
)
def test_without_an_attack_there_is_no_attacker(change) -> None:
    made = topology_of(changed(**change))
    assert ATTACKER not in made.parties
    assert made.peers("participant-1") == {ANALYST: "analyst:7400"}


def test_the_coordinator_is_on_every_participants_network() -> None:
    made = topology_of(changed(codef={"enabled": True}))
    assert made.parties[:2] == (COORDINATOR, ANALYST)
    for party in participants(made.parties):
        assert set(made.networks[f"with-{party}"]) == {party, ANALYST, COORDINATOR}
        assert made.peers(party) == {ANALYST: "analyst:7400", COORDINATOR: "coordinator:7400"}
    assert COORDINATOR not in made.reaches(ATTACKER)


def test_silos_that_answer_about_persons_have_no_analyst_and_are_all_asked() -> None:
    made = topology_of(changed(codef={"enabled": True}, data={"source": "persons"}))
    silos = participants(made.parties)
    assert set(made.parties) == {COORDINATOR, ATTACKER, *silos}
    assert made.reaches(ATTACKER) == silos
    for party in silos:
        assert participants(made.reaches(party)) == set()
        assert made.listens(party) == {"listen": f"{party}.tells-{party}:7400"}


# --- ranges of addresses


def test_a_small_site_leaves_addresses_to_the_engine_and_a_large_one_takes_its_own() -> None:
    assert topology().subnets() == {}
    made = topology(LARGE_SITE + 1)
    ranges = [IPv4Network(subnet) for subnet in made.subnets().values()]
    assert len(ranges) == len(made.networks)
    assert sum(a.overlaps(b) for a in ranges for b in ranges) == len(ranges)  # with itself alone
    members = max(len(names) for names in made.networks.values())
    assert min(r.num_addresses for r in ranges) >= members + 3  # network, gateway, broadcast


@pytest.mark.parametrize("pool", ["10.0.0.0/26", "10.0.0.0/30"])
def test_a_range_that_is_too_small_is_named(pool) -> None:
    with pytest.raises(ScenarioInvalid) as caught:
        topology().subnets(IPv4Network(pool))
    assert (caught.value.field, caught.value.got) == ("--subnets", pool)
