"""Coordinator, silos and querier started one by one, as in the field: a deployment, no seed."""

import signal

import numpy as np
import pytest
from testkit.by_hand import free_ports
from testkit.command import collude
from testkit.watching import ending, start, until

from collude.attacker.releases.output import read_releases
from collude.common.data.persons import KNOWN_FILE, drawn, save_known, save_tables
from collude.common.ids import ATTACKER, COORDINATOR, participant_name

pytestmark = pytest.mark.processes

SILOS = tuple(participant_name(i) for i in range(3))
PARTIES = (COORDINATOR, *SILOS, ATTACKER)
SCENARIO = """
[scenario]
name = "field"
mode = "deployment"
[data]
source = "persons"
[codef]
enabled = true
silos = 3
persons = 20
attributes = 2
epochs = 2
max_success = 0.4
[network]
deadline_s = 5
"""


class Field:
    """A consortium by `collude pki init`, each with what it holds, on ports that are free."""

    def __init__(self, folder):
        self.folder, self._started = folder, {}
        named = [word for party in PARTIES for word in ("--party", party)]
        assert collude("pki", "init", folder, *named).code == 0
        (folder / "scenario.toml").write_text(SCENARIO)
        ports = free_ports(8)
        population = drawn("plain", (20, 3, 2), 1.0, np.random.default_rng(5))
        for party in PARTIES:
            config = folder / party / "party.toml"
            text = config.read_text()
            for number, port in enumerate(ports, start=7400):
                text = text.replace(f":{number}", f":{port}")
            if party in SILOS:
                save_tables([population.table(SILOS.index(party))], folder / party / "held.npz")
                text = text.replace("[party]\n", '[party]\nrecords = "held.npz"\n')
            config.write_text(text)
        (folder / ATTACKER / "state").mkdir()
        save_known([population.known], folder / ATTACKER / "state" / KNOWN_FILE)

    def start(self, party):
        command = party if party in {COORDINATOR, ATTACKER} else "participant"
        config = self.folder / party / "party.toml"
        self._started[party] = start(command, "--config", config, "--json", env={})

    def ended(self, party):
        return ending(self._started[party])

    def interrupt(self, party):
        self._started[party].send_signal(signal.SIGTERM)

    def listens(self, party):
        path = self.folder / party / "state" / "listening"
        until(path.exists, f"{party} listens", process=self._started[party])

    def close(self):
        for process in self._started.values():
            if process.poll() is None:
                process.kill()
            process.communicate()


@pytest.fixture
def field(tmp_path):
    made = Field(tmp_path / "field")
    yield made
    made.close()


def test_a_deployment_runs_and_leaves_no_secret_behind(field):
    for party in PARTIES:
        field.start(party)
    for party in PARTIES:
        said = field.ended(party)
        assert said.code == 0, (party, said.err)
        assert said.json["state"] == "finished"
    (period,) = read_releases(field.folder / ATTACKER / "state" / "attacks")
    assert period.name == "0-success"
    assert len(period.view.answers) > 0
    left = {path.name for path in field.folder.rglob("*")}
    assert "handles.npz" not in left, "a deployment never writes whom handles hide"


def test_a_party_that_is_asked_to_stop_says_so_and_the_others_end(field):
    for party in (COORDINATOR, *SILOS):
        field.start(party)
    for silo in SILOS:
        field.listens(silo)
    field.interrupt(COORDINATOR)
    assert field.ended(COORDINATOR).code == 130
    for silo in SILOS:
        said = field.ended(silo)
        assert said.code == 3
        assert said.json["error"]["party"] == COORDINATOR
