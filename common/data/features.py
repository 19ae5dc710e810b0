"""Apply a scenario's feature map to a data set, public records included."""

from dataclasses import replace

from collude.common.data.dataset import Dataset, People, PublicRecords
from collude.common.data.feature_map import FeatureMap, svd_map
from collude.common.errors import ScenarioInvalid
from collude.common.scenario.sections import Features


def with_features(dataset: Dataset, settings: Features) -> Dataset:
    """Return the data set as participants work with it.

    Raises:
        ScenarioInvalid: the map needs public records that the data set lacks.
        DataInvalid: there are too few public records for the width.
    """
    if settings.kind == "identity":
        return dataset
    if dataset.people is None:
        raise ScenarioInvalid(
            "the data set has no public records to fit a feature map on",
            field="features.kind",
            expected="identity",
            got=settings.kind,
        )
    features = svd_map(dataset.people.public.records, settings.width or 0)
    return replace(
        dataset,
        records=features.encode(dataset.records),
        people=_mapped(dataset.people, features),
        features=features,
        originals=dataset.records,
    )


def _mapped(people: People, features: FeatureMap) -> People:
    public = people.public
    return replace(people, public=PublicRecords(features.encode(public.records), public.identities))
