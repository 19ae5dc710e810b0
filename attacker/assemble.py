"""A view out of what the analyst and the colluders disclosed, over the network or on disk."""

from collections.abc import Mapping

import numpy as np

from collude.attacker.view import (
    CollusionView,
    Disclosure,
    Noise,
    Parameters,
    Public,
    UploadView,
)
from collude.common.errors import DisclosureRefused
from collude.common.geometry.rigid import RigidTransform
from collude.common.protocol.messages import (
    AnalystDisclosure,
    ColluderDisclosure,
    NamedUpload,
)

NOTHING_PUBLIC = Public()


def build_view(
    analyst: AnalystDisclosure,
    colluders: Mapping[str, ColluderDisclosure],
    public: Public = NOTHING_PUBLIC,
) -> CollusionView:
    """Return the coalition's view.

    Args:
        analyst: all uploads and the parameters.
        colluders: what each tells.
        public: what lies open to everybody.

    Raises:
        DisclosureRefused: a disclosure cannot be used; names the colluder.
    """
    return CollusionView(
        uploads={u.name: UploadView(u.private, u.anchor, u.labels) for u in analyst.uploads},
        disclosures={name: _disclosure(name, told) for name, told in colluders.items()},
        parameters=Parameters(
            method=analyst.method,
            d=analyst.width,
            r=analyst.anchor_rows or None,
            anchor_noise=analyst.anchor_noise,
            private_noise=analyst.private_noise,
        ),
        public=public,
        announced={u.name: _noise(u, analyst) for u in analyst.uploads if _announces(u)},
    )


def _announces(upload: NamedUpload) -> bool:
    return (upload.anchor_noise, upload.private_noise) != (None, None)


def _noise(upload: NamedUpload, analyst: AnalystDisclosure) -> Noise:
    own, common = upload.anchor_noise, analyst.anchor_noise
    sigma, common_sigma = upload.private_noise, analyst.private_noise
    return Noise(common if own is None else own, common_sigma if sigma is None else sigma)


def _disclosure(name: str, told: ColluderDisclosure) -> Disclosure:
    try:
        return Disclosure(
            records=told.records,
            transform=_transform(told),
            anchor=told.anchor,
            noise=told.noise,
        )
    except ValueError as error:
        raise DisclosureRefused(
            "what the colluder disclosed cannot be used", party=name, got=str(error)
        ) from error


def _transform(told: ColluderDisclosure) -> RigidTransform | None:
    if told.rotation is None or told.translation is None:
        return None
    return RigidTransform(np.asarray(told.rotation), np.asarray(told.translation))
