"""What a run was: everything needed to repeat it."""

from collections.abc import Mapping
from datetime import UTC, datetime

import numpy as np

from collude.common.data import Dataset
from collude.common.scenario import Scenario, scenario_digest
from collude.runtime.versions import blas_kernels, versions


def build_manifest(
    scenario: Scenario,
    data: Dataset | Mapping[str, object] | None,
    *,
    runtime: str,
    transcript_digest: str | None = None,
    training_device: str | None = None,
) -> dict[str, object]:
    """Return the content of `manifest.json`.

    Args:
        scenario: as resolved.
        data: what was split among the participants, or what is said of it; None if each brought
            its own.
        runtime: `inprocess` or `processes`.
        transcript_digest: hexadecimal, None until the run is over.
        training_device: `cpu` or `cuda`, where the analyst trained; None until it has, and where
            nothing is shared.
    """
    return {
        "scenario": scenario.resolved_dict(),
        "scenario_digest": scenario_digest(scenario).hex(),
        "mode": scenario.scenario.mode,
        "seed": scenario.scenario.seed,
        "runtime": runtime,
        "versions": versions(),
        "blas": blas_kernels(),
        "training_device": training_device,
        "data": describe(data) if isinstance(data, Dataset) else data,
        "transcript_digest": transcript_digest,
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
    }


def describe(dataset: Dataset) -> dict[str, object]:
    """Return what a manifest says of a data set."""
    rows, width = dataset.records.shape
    return {
        "source": dataset.name,
        "fingerprint": dataset.fingerprint(),
        "rows": rows,
        "width": width,
        "image_shape": dataset.image_shape,
        "ink": dataset.ink,
        "synthetic": dataset.synthetic,
        "credit": dataset.credit,
        "label_note": dataset.label_note,
        "people": None if dataset.people is None else len(np.unique(dataset.people.identities)),
    }
