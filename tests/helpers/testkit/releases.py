"""Small release scenarios: a few silos, a few persons, one or two periods."""

from collude.common.scenario import Scenario, build_scenario


def release(*overrides: str, silos: int = 4, source: str = "persons", **codef: object) -> Scenario:
    """Return a scenario of 12 persons with 2 attributes, 2 epochs and a 2 s deadline."""
    document = {
        "scenario": {"name": "asked", "seed": 7},
        "data": {"source": source},
        "codef": {
            "enabled": True,
            "silos": silos,
            "persons": 12,
            "attributes": 2,
            "epochs": 2,
            "max_success": 0.4,
        }
        | codef,
        "network": {"deadline_s": 2},
    }
    return build_scenario(document, overrides)
