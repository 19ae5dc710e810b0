"""The data set that a scenario names, among those registered."""

from typing import cast

from collude.common import plugins
from collude.common.data.dataset import Dataset, DatasetSource
from collude.common.data.features import with_features
from collude.common.errors import PluginUnknown, ScenarioInvalid
from collude.common.scenario import Scenario


def load_dataset(scenario: Scenario) -> Dataset:
    """Return the data set that the scenario names.

    Raises:
        ScenarioInvalid: no data set is registered under that name, or its features do not fit.
    """
    try:
        source = cast("DatasetSource", plugins.find(plugins.DATASETS, scenario.data.source))
    except PluginUnknown as error:
        raise ScenarioInvalid(
            "there is no such data set",
            field="data.source",
            expected=error.expected,
            got=error.got,
            hint=error.hint,
        ) from error
    return with_features(source(scenario.data), scenario.features)
