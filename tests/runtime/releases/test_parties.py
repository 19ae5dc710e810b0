"""What each party of a release is given, which driver it gets, and what is refused."""

from pkgutil import resolve_name

import numpy as np
import pytest
from testkit.quick import quickstart
from testkit.releases import release

from collude.codef.coordinator.driver import parcels_of
from collude.common.data.persons import KNOWN_FILE, load_known, load_tables
from collude.common.errors import DataUnavailable, ScenarioInvalid
from collude.common.ids import ANALYST, ATTACKER, COORDINATOR, Role, participant_name
from collude.common.net.setup import load_setup
from collude.participant.silo_driver import own_tables, peers_of
from collude.runtime.federation import prepare, prepare_releases
from collude.runtime.party import RELEASE_DRIVERS, driver_of, run_party
from collude.runtime.party_files import write_party_file, write_party_folders
from collude.runtime.rundir import RunDirectory

SILOS = 12  # over ten, so that sorted names are in another order than numbers
TWELVE = release(silos=SILOS, policies=["paper", "success"])
SILO = participant_name(10)


@pytest.fixture(scope="module")
def federation():
    return prepare_releases(TWELVE)


@pytest.fixture(scope="module")
def run(tmp_path_factory, federation):
    run = RunDirectory.create(tmp_path_factory.mktemp("parties") / "run")
    write_party_folders(federation, run)
    return run


def setup_of(federation, run, party, **peers):
    return load_setup(write_party_file(federation, run, party, peers))


def test_a_command_for_another_role_is_refused(federation, run):
    config = write_party_file(federation, run, COORDINATOR, {})
    with pytest.raises(ScenarioInvalid) as caught:
        run_party(config, Role.PARTICIPANT)
    assert caught.value.hint == "Start it with `collude coordinator`."


def test_a_scenario_without_codef_has_no_coordinator(tmp_path):
    """Also where the roster has one: it would wait for nobody."""
    federation = prepare(quickstart())
    run = RunDirectory.create(tmp_path / "run")
    write_party_folders(federation, run)
    setup = setup_of(federation, run, ANALYST)
    file = setup.file.model_copy(
        update={"party": setup.file.party.model_copy(update={"role": Role.COORDINATOR})}
    )
    with pytest.raises(ScenarioInvalid) as caught:
        driver_of(type(setup)(file, *(getattr(setup, n) for n in setup.__slots__[1:])))
    assert caught.value.field == "party.role"


def test_a_silo_that_is_told_nothing_of_its_persons_is_refused(federation, run):
    setup = setup_of(federation, run, SILO, coordinator="127.0.0.1:7400")
    (run.party(SILO) / "records.npz").rename(run.party(SILO) / "away.npz")
    try:
        with pytest.raises(DataUnavailable):
            own_tables(setup)
        without = setup_of(federation, run, SILO, coordinator="127.0.0.1:7400")
        with pytest.raises(DataUnavailable) as caught:
            own_tables(without)
        assert caught.value.field == "party.records"
    finally:
        (run.party(SILO) / "away.npz").rename(run.party(SILO) / "records.npz")


def test_every_silo_holds_its_own_persons_in_its_own_order(federation, run):
    for number, name in enumerate(TWELVE.participants):
        tables = load_tables(run.party(name) / "records.npz", TWELVE, name)
        for population, table in zip(federation.populations, tables, strict=True):
            assert np.array_equal(table.attributes, population.attributes[:, number])
        assert not (run.party(name) / KNOWN_FILE).exists()


def test_the_querier_knows_the_persons_and_the_coordinator_nothing(federation, run):
    known = load_known(run.party(ATTACKER) / KNOWN_FILE, TWELVE, ATTACKER)
    assert np.array_equal(known[1].bits, federation.populations[1].attributes)
    for party in (ATTACKER, COORDINATOR):
        assert not (run.party(party) / "records.npz").exists()
    assert not (run.party(COORDINATOR) / KNOWN_FILE).exists()


def test_each_role_has_a_driver_of_its_own_and_an_analyst_has_none():
    names = {role: resolve_name(named).__name__ for role, named in RELEASE_DRIVERS.items()}
    assert names == {
        Role.COORDINATOR: "CoordinatorDriver",
        Role.PARTICIPANT: "SiloDriver",
        Role.ATTACKER: "ReleaseDriver",
    }


def test_a_silo_serves_the_querier_and_needs_the_coordinator():
    peers = peers_of(TWELVE)
    assert (peers.callers, peers.called) == ((ATTACKER,), (COORDINATOR,))
    assert peers.needed == {COORDINATOR}
    assert peers_of(release("collusion.attacks=[]")).callers == ()


def test_a_silo_may_deliver_all_that_its_periods_need():
    each = 3 + 7  # three to begin with, seven in an epoch
    for scenario in (TWELVE, release(epochs=100, policies=["paper"] * 8)):
        periods, epochs = len(scenario.codef.periods), scenario.codef.epochs
        assert parcels_of(scenario) > periods * (3 + 7 * epochs) + each
