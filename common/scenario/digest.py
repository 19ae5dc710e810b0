"""The scenario's digest, and the view of a scenario that a party gets.

A party must be able to compute the digest without the master seed, because the seed would let
it derive everybody's secrets. So the digest takes the seed through its own digest, and a party
gets that in place of the seed. A small seed can be guessed from its digest: a simulation shows
what a coalition learns, it does not protect anybody.
"""

import json
from pathlib import Path

import tomli_w

from collude.common.encoding import digest
from collude.common.errors import ScenarioInvalid
from collude.common.scenario.document import as_document, read_document, validated
from collude.common.scenario.model import Scenario


def seed_digest(scenario: Scenario) -> bytes:
    """Return the 32 bytes that stand for the seed, or no bytes in deployment mode."""
    general = scenario.scenario
    if general.seed is not None:
        return digest("collude/v1/seed", general.seed)
    return bytes.fromhex(general.seed_digest or "")


def scenario_digest(scenario: Scenario) -> bytes:
    """Return 32 bytes over what defines the run: all but `[network]`, `[auditor]` and paths.

    How long to wait, who judges afterwards, and where a file lies change nothing of what is run.

    Canonical form: every value with defaults filled in, as JSON with sorted keys, without
    white space, ASCII; the seed enters by its digest.
    """
    values = scenario.resolved_dict()
    del values["network"], values["auditor"]
    values["scenario"] = _without_seed(values["scenario"])
    values["data"] = scenario.data.model_dump(mode="json", exclude={"path"})
    text = json.dumps(values, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return digest("collude/v1/scenario", text, seed_digest(scenario))


def party_view(scenario: Scenario) -> tuple[str, str]:
    """Return what a party gets: the scenario as TOML without the seed, and the seed's digest.

    The digest is hexadecimal, and empty in deployment mode.
    """
    document = as_document(scenario)
    document["scenario"] = _without_seed(document["scenario"])
    return tomli_w.dumps(document), seed_digest(scenario).hex()


def load_party_scenario(path: str | Path, seed_digest: str) -> Scenario:
    """Return the scenario as a party knows it: same digest, no seed.

    Args:
        path: the TOML file that `party_view` made.
        seed_digest: hexadecimal, empty in deployment mode.

    Raises:
        ScenarioInvalid: the file cannot be used, or it contains the master seed.
    """
    document = read_document(path)
    general = document.get("scenario")
    if isinstance(general, dict):
        if "seed" in general:
            raise ScenarioInvalid(
                f"{path}: a party must not know the master seed", field="scenario.seed"
            )
        document["scenario"] = general | ({"seed_digest": seed_digest} if seed_digest else {})
    return validated(document, str(path))


def _without_seed(general: object) -> dict[str, object]:
    items = general.items() if isinstance(general, dict) else ()
    return {key: value for key, value in items if key not in {"seed", "seed_digest"}}
