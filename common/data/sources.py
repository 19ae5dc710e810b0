"""The data sets that a scenario can name."""

from collections.abc import Mapping
from types import MappingProxyType

from collude.common.data.dataset import Dataset, DatasetSource
from collude.common.data.digits import load_digits
from collude.common.errors import ScenarioInvalid
from collude.common.scenario import Scenario
from collude.common.scenario.problems import nearest

_BUILT_IN: Mapping[str, DatasetSource] = MappingProxyType({"digits": load_digits})


def dataset_sources() -> Mapping[str, DatasetSource]:
    """Return the registered data sets by name."""
    return _BUILT_IN


def load_dataset(scenario: Scenario) -> Dataset:
    """Return the data set that the scenario names.

    Raises:
        ScenarioInvalid: no data set is registered under that name.
    """
    sources = dataset_sources()
    name = scenario.data.source
    if name not in sources:
        close = nearest(name, sources)
        raise ScenarioInvalid(
            "there is no such data set",
            field="data.source",
            expected=" or ".join(sorted(sources)),
            got=name,
            hint=f"Did you mean {close!r}?" if close else None,
        )
    return sources[name](scenario.data)
