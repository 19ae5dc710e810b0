"""Looking over a site: every kind of tampering is a finding that names place and reason."""

import pytest
import yaml

from collude.common.errors import ScenarioInvalid
from collude.common.net import pki
from collude.runtime.compose.layout import Site
from collude.runtime.compose.validate import findings, require_sound

P0, P1 = "participant-0", "participant-1"


def change(site, edit) -> None:
    document = yaml.safe_load((site / "compose.yaml").read_text())
    edit(document)
    (site / "compose.yaml").write_text(yaml.safe_dump(document))


def edit_file(site, party, old, new) -> None:
    path = Site(site).config(party) / "party.toml"
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def put(*place, value):
    """Return an edit that sets the value at a place."""

    def edit(document):
        *path, key = place
        for part in path:
            document = document[part]
        document[key] = value

    return edit


def take(*place):
    def edit(document):
        *path, key = place
        for part in path:
            document = document[part]
        del document[key]

    return edit


def test_a_new_site_is_sound(site) -> None:
    assert findings(site) == []
    require_sound(site)


SCHEMA, RIGHTS, NETWORK, NAMES = (
    f"E-SITE-{kind}" for kind in ("SCHEMA", "RIGHTS", "NETWORK", "NAMES")
)
OF_P1 = ("services", P1)
IN_THE_COMPOSE_FILE = {
    "a key that nobody knows": (
        put(*OF_P1, "privileged", value=True), SCHEMA, f"services.{P1}.privileged"),
    "a value of another type": (
        put(*OF_P1, "pids_limit", value="many"), SCHEMA, f"services.{P1}.pids_limit"),
    "no word on capabilities": (take(*OF_P1, "cap_drop"), SCHEMA, f"services.{P1}.cap_drop"),
    "an environment, which has no place": (
        put(*OF_P1, "environment", value={"SEED": "7"}), SCHEMA, f"services.{P1}.environment"),
    "capabilities": (put(*OF_P1, "cap_drop", value=[]), RIGHTS, "cap_drop"),
    "a root that can be written to": (put(*OF_P1, "read_only", value=False), RIGHTS, "read_only"),
    "root": (put(*OF_P1, "user", value="0:0"), RIGHTS, "user"),
    "new privileges": (
        put(*OF_P1, "security_opt", value=["seccomp:unconfined"]), RIGHTS, "security_opt"),
    "the host's shared memory": (put(*OF_P1, "ipc", value="host"), RIGHTS, "ipc"),
    "no limit of memory": (put(*OF_P1, "mem_limit", value=0), RIGHTS, "mem_limit"),
    "everybody's folders": (put(*OF_P1, "volumes", value=["./parties:/all"]), RIGHTS, "volumes"),
    "another's network": (
        put(*OF_P1, "networks", f"with-{P0}", value={"aliases": ["x"]}),
        NETWORK, f"networks.with-{P0}"),
    "a way out": (
        put("networks", f"with-{P1}", "internal", value=False), NETWORK, f"networks.with-{P1}"),
    "a network too many": (
        put("networks", "extra", value={"internal": True}), NETWORK, "networks.extra"),
    "a name that the analyst cannot bind to": (
        put("services", "analyst", "networks", "tells-analyst", "aliases", value=["other"]),
        NETWORK, "analyst.tells-analyst:7401"),
    "a party without a container": (take(*OF_P1), NAMES, "services"),
}  # fmt: skip


@pytest.mark.parametrize("what", IN_THE_COMPOSE_FILE)
def test_the_compose_file_was_changed_to_have(site, what) -> None:
    edit, code, field = IN_THE_COMPOSE_FILE[what]
    change(site, edit)
    assert (code, field) in [(found.code, found.field) for found in findings(site)]
    with pytest.raises(ScenarioInvalid):
        require_sound(site)


def test_what_is_no_yaml_is_named(site) -> None:
    (site / "compose.yaml").write_text("services: [")
    with pytest.raises(ScenarioInvalid, match="not YAML"):
        findings(site)
    (site / "compose.yaml").write_text("7")
    with pytest.raises(ScenarioInvalid, match="no table"):
        findings(site)


def test_a_certificate_for_another_name(site, tmp_path) -> None:
    pki.init(tmp_path / "pki", {P0: (), P1: ()})
    for name in ("ca.pem", "cert.pem", "key.pem"):
        (Site(site).config(P1) / name).write_bytes((tmp_path / "pki" / P0 / name).read_bytes())
    assert ("E-SITE-NAMES", P1, "cert.pem") in [(f.code, f.party, f.field) for f in findings(site)]


@pytest.mark.parametrize(
    ("party", "old", "new", "field"),
    [
        (P1, '"analyst:7400"', '"analyst:7401"', "peers"),
        (P0, "participant-0.tells-participant-0:7400", "0.0.0.0:7400", "party.listen"),
        ("analyst", "analyst.tells-analyst:7401", "0.0.0.0:7401", "party.disclosure_listen"),
        (P1, "/var/lib/collude", "/tmp", "party.state_dir"),
    ],
    ids=["another port", "everywhere", "to all", "elsewhere"],
)
def test_a_party_file_says_something_else(site, party, old, new, field) -> None:
    edit_file(site, party, old, new)
    assert (party, field) in [(found.party, found.field) for found in findings(site)]


def test_a_party_file_that_cannot_be_read(site) -> None:
    edit_file(site, P1, "[tls]", "[tsl]")
    assert (P1, "party.toml") in [(found.party, found.field) for found in findings(site)]


def test_a_secret_in_the_compose_file(site) -> None:
    seed = (Site(site).config(P1) / "seed").read_text()
    change(site, lambda document: document["services"][P1]["command"].append(f"--seed={seed}"))
    assert [(f.code, f.party, f.field) for f in findings(site)] == [("E-SITE-SECRET", P1, "seed")]


def test_a_key_in_the_compose_file(site) -> None:
    key = (Site(site).config(P1) / "key.pem").read_text().splitlines()[1]
    change(site, lambda document: document["services"][P1]["command"].append(key))
    assert [(f.code, f.party, f.field) for f in findings(site)] == [
        ("E-SITE-SECRET", P1, "key.pem")
    ]


@pytest.mark.parametrize("name", ["seed", "records.npz", "key.pem", "."])
def test_a_file_that_others_can_read(site, name) -> None:
    path = Site(site).config(P1) / name
    path.chmod(path.stat().st_mode | 0o040)
    assert ("E-SITE-SECRET", P1) in [(found.code, found.party) for found in findings(site)]


def test_the_whole_scenario_open_to_others(site) -> None:
    (site / "scenario.toml").chmod(0o644)
    assert [(f.code, f.field) for f in findings(site)] == [("E-SITE-SECRET", "scenario.toml")]
