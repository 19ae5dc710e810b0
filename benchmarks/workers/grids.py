"""The points of paper 2's experiments 1, 2 and 4: (persons, epsilon, answers, trials)."""

from collude.studies.preset import load
from collude.studies.registry import STUDIES

Point = tuple[int, float, int, int]


def points(preset: str) -> list[Point]:
    """Return every point that a study simulates at a preset."""
    found = []
    for name in ("phase-transition", "threshold-scaling", "bound-check"):
        study = STUDIES[name]
        for cell in study.work(load(study, preset)[0], check=True):
            if cell.simulated:
                said = cell.arguments
                found += [
                    (said["persons"], said["epsilon"], count, said["trials"])
                    for count in said["counts"]
                ]
    return found
