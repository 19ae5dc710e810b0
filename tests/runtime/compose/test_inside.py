"""One run in containers without a fault, and what every party can do from inside its own."""

import json
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import pytest
from testkit.quick import quickstart
from testkit.shared import once
from testkit.watching import has_received, until

from collude.common.ids import ANALYST, ATTACKER
from collude.runtime.compose.engine import connect, kernels_in
from collude.runtime.compose.layout import Site
from collude.runtime.compose.run import SITE, Play
from collude.runtime.compose.services import MEMORY, PIDS, USER
from collude.runtime.rundir import RunDirectory
from collude.runtime.runner import Options, run_scenario
from collude.runtime.versions import blas_kernels

pytestmark = [pytest.mark.docker, pytest.mark.slow, pytest.mark.timeout(400)]

P0, P1, P2 = (f"participant-{index}" for index in range(3))
LATE = P1
PARTIES = (ANALYST, P0, P2, ATTACKER)
MAIL, DISCLOSURE = 7400, 7401
PATIENCE_S = 200
"""The session waits while somebody looks around."""
PROBE = Path(__file__).with_name("probe.py").read_text()


def addresses(containers):
    """Every address of every party: network -> party -> IP."""
    found = {}
    for party in PARTIES:
        made = containers.container(party)
        made.reload()
        for network, entry in made.attrs["NetworkSettings"]["Networks"].items():
            name = network.split("-", 2)[2]
            found.setdefault(name, {})[party] = entry["IPAddress"]
    return found


def doors(found):
    """Every port that anybody might try: by name, and by every address."""
    hosts = {*PARTIES, *(ip for members in found.values() for ip in members.values())}
    return sorted(f"{host}:{port}" for host in hosts for port in (MAIL, DISCLOSURE))


def look_inside(folder, site, containers):
    containers.start_all({*PARTIES})
    log = site.state(ANALYST) / "log.jsonl"
    for party in (P0, P2):
        until(lambda p=party: has_received(log, "r0_join", p), f"{party} has joined")
    found = addresses(containers)
    ids = [containers.container(party).id for party in PARTIES]
    with ThreadPoolExecutor(len(ids)) as pool:
        told = dict(zip(PARTIES, pool.map(partial(probed, doors(found)), ids), strict=True))
    limits = {party: limits_of(containers.container(party)) for party in PARTIES}
    facts = {"addresses": found, "told": told, "limits": limits}
    (folder / "facts.json").write_text(json.dumps(facts))
    containers.start_all({LATE})


def probed(doors, container):
    code, said = (
        connect().containers.get(container).exec_run(["python", "-c", PROBE, *doors], demux=True)
    )
    assert code == 0, said
    return json.loads(said[0])


def limits_of(container):
    host = container.attrs["HostConfig"]
    return {"memory": host["Memory"], "pids": host["PidsLimit"], "image": container.image.tags[0]}


def _make(engine, folder):
    site = Site(folder / "run" / SITE)
    play = Play(engine.client, engine.images, partial(look_inside, folder, site))
    options = Options(folder / "run", runtime="compose", compare=False, runs=play.run)
    run_scenario(quickstart(f"network.deadline_s={PATIENCE_S}"), options)


@pytest.fixture(scope="session")
def folder(engine, tmp_path_factory):
    return once(tmp_path_factory, "inside", partial(_make, engine))


@pytest.fixture
def run(folder):
    return RunDirectory(folder / "run")


@pytest.fixture
def facts(folder):
    return json.loads((folder / "facts.json").read_text())


@pytest.fixture(params=PARTIES)
def party(request):
    return request.param


# --- from inside


def may_reach(facts, party):
    """What the protocol needs a party to reach, itself aside: the doors of those it calls."""
    calls = {P0: [(ANALYST, MAIL)], P2: [(ANALYST, MAIL)], ANALYST: [],
             ATTACKER: [(ANALYST, DISCLOSURE), (P0, MAIL)]}[party]  # fmt: skip
    shared = [members for members in facts["addresses"].values() if party in members]
    return {f"{host}:{port}" for callee, port in calls for members in shared if callee in members
            for host in (callee, members[callee])}  # fmt: skip


def test_a_party_reaches_whom_it_calls_and_nobody_else(facts, party) -> None:
    own = {party, *(m[party] for m in facts["addresses"].values() if party in m)}
    reached = {door for door, how in facts["told"][party]["reached"].items() if how == "reached"}
    assert {d for d in reached if d.rpartition(":")[0] not in own} == may_reach(facts, party)


def test_participants_are_on_no_common_network(facts) -> None:
    for members in facts["addresses"].values():
        assert len({P0, P2} & set(members)) <= 1


def test_a_party_on_several_networks_is_no_way_between_them(facts, party) -> None:
    assert facts["told"][party]["forwards"] == "0"


def test_a_party_writes_to_its_temporary_and_its_own_folder_alone(facts, party) -> None:
    told = facts["told"][party]
    allowed = ("/tmp", "/var/lib/collude")
    outside = [path for path in told["writable"] if not path.startswith(allowed)]
    assert [path for path in outside if path != "/dev/mqueue"] == []
    assert told["writes"] == {path: path.startswith(allowed) for path in told["writes"]}


def test_a_party_has_no_capabilities_and_cannot_get_any(facts, party) -> None:
    told = facts["told"][party]
    sets = [told["status"][f"Cap{kind}"] for kind in ("Inh", "Prm", "Eff", "Bnd", "Amb")]
    assert {int(each, 16) for each in sets} == {0}
    assert told["status"]["NoNewPrivs"] == "1"
    assert told["status"]["Seccomp"] == "2"
    assert told["uid"] not in {0}


def test_a_party_has_limits(facts, party) -> None:
    limits = facts["limits"][party]
    image = "trainer" if party == ANALYST else "party"
    assert limits["image"].startswith(f"collude-{image}:")
    assert (limits["memory"], limits["pids"]) == (MEMORY[image], PIDS)


def test_an_image_has_no_build_tools_and_only_the_trainers_has_torch(facts, party) -> None:
    told = facts["told"][party]
    assert told["modules"] == []
    assert [tool for tool in told["tools"] if tool != "apt-get"] == []
    assert told["torch"] is (party == ANALYST)


def test_no_secret_is_in_a_partys_environment(facts, run, party) -> None:
    config = Site(run.root / SITE).config(party)
    text = "\n".join(facts["told"][party]["environ"])
    assert "PATH=/opt/collude/bin" in text
    for name in ("key.pem", "signing-key.pem", "seed"):
        lines = (config / name).read_text().splitlines()
        assert not [line for line in lines if line in text and len(line) >= 40]


def test_a_party_sees_its_own_files_alone(facts, party) -> None:
    names = {Path(path).name for path in facts["told"][party]["sees"]}
    mine = {"ca.pem", "cert.pem", "key.pem", "signing-key.pem", "seed", "scenario.toml",
            "party.toml"} | ({"records.npz"} if party in {P0, P2} else set())  # fmt: skip
    assert names == mine


def test_the_images_run_as_nobody_in_particular(engine) -> None:
    for image in ("party", "trainer"):
        config = engine.client.images.get(engine.images.name(image)).attrs["Config"]
        assert config["User"] == f"{USER}:{USER}"
        assert config["Labels"]["org.opencontainers.image.version"] == engine.images.tag


# --- what came out


def test_the_transcript_is_that_of_one_process(engine, run, tmp_path) -> None:
    alone = run_scenario(quickstart(), Options(tmp_path / "alone", compare=False, report=False))
    there = json.loads(kernels_in(engine.client, engine.images.name("party")))
    here = [kernel for kernel in blas_kernels() if kernel in there]
    assert here == there, f"other kernels: {there} in containers, {blas_kernels()} here"
    assert run.results()["transcript_digest"] == alone["transcript_digest"]
    assert run.results()["results_digest"] == alone["results_digest"]


def test_the_report_has_everybodys_log_in_order_of_time(run) -> None:
    text = run.report.read_text()
    assert text.index("begins to attack") < text.index("ends: finished")
    for name in (ANALYST, P0, P1, P2, ATTACKER):
        assert (run.logs / f"{name}.jsonl").is_file()
        assert (run.logs / f"{name}.stderr").read_text().rstrip().endswith("finished")


def test_nothing_is_left_with_the_engine(engine, run) -> None:
    ours = {"label": "collude.run"}
    assert engine.client.containers.list(all=True, filters=ours) == []
    assert engine.client.networks.list(filters=ours) == []
