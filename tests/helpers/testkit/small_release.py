"""Small runs in which silos answer about persons: five silos, thirty persons, two epochs."""

from collude.common.scenario import build_scenario
from collude.runtime.runner import Options, run_scenario

POLICIES = ("paper", "information", "success")


def scenario(**sections):
    """Values by section replace those of the small scenario."""
    codef = {
        "enabled": True,
        "policies": POLICIES,
        "persons": 30,
        "attributes": 4,
        "epochs": 3,
        "epsilon": 2.0,
        "epsilon_after": 1.0,
        "epsilon_grid": (2.0, 1.0, 0.5),
        "max_success": 0.2,
    }
    made = {
        "scenario": {"name": "small-release", "seed": 3},
        "data": {"source": "persons", "participants": 5},
        "collusion": {"attacks": ["maximum-likelihood"]},
    }
    changed = {name: made.get(name, {}) | values for name, values in sections.items()}
    codef |= sections.get("codef", {})
    return build_scenario(made | changed | {"codef": codef})


def run_small(out, *, report=True, runtime="inprocess", **sections):
    """Run it and return the results."""
    options = Options(out, runtime=runtime, report=report)
    return run_scenario(scenario(**sections), options)
