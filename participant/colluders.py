"""What a colluder makes of the truth: plug-ins that turn an honest disclosure into what is told.

A coalition must reckon with members that lie, that mix up sessions, or that keep something back.
Each behaviour is a function of the honest disclosure and a generator. It is given no more than
the scenario allows to disclose, and can add no kind of material to it.
"""

from dataclasses import replace
from typing import Protocol, cast

import numpy as np

from collude.common import plugins
from collude.common.geometry.anchors import centered_orthonormal_anchor
from collude.common.geometry.arrays import FloatArray
from collude.common.geometry.rigid import random_rigid_transform
from collude.common.protocol.messages import ColluderDisclosure

PARTIAL_SHARE = 0.5
"""What `partial` tells of its records."""


class Colluder(Protocol):
    """What an entry point of the group `collude.colluders` must be."""

    def __call__(self, true: ColluderDisclosure, rng: np.random.Generator, /) -> ColluderDisclosure:
        """Return what the coalition is told.

        Args:
            true: what an honest colluder would tell; None stands for what the scenario keeps
                hidden, and must stay None.
            rng: a stream that repeats in a simulation, so that a recorded run can be attacked
                again with the same disclosure.
        """
        ...


def colluder(name: str) -> Colluder:
    """Return the registered colluder `name`.

    Raises:
        PluginUnknown: there is none of this name.
        PluginInvalid: it cannot be imported.
    """
    return cast(Colluder, plugins.find(plugins.COLLUDERS, name))


def honest(true: ColluderDisclosure, rng: np.random.Generator, /) -> ColluderDisclosure:
    """Tell the truth."""
    del rng
    return true


def stale(true: ColluderDisclosure, rng: np.random.Generator, /) -> ColluderDisclosure:
    """Tell the material of another session: the own records, and secrets that fit no upload.

    Transform, anchor and noise are drawn as a session draws them: (O, psi) from `rigid`, A
    centred and orthonormal, the noise normal and as large as the true one.
    """
    told = true
    if true.rotation is not None:
        drawn = random_rigid_transform(len(true.rotation), rng)
        told = replace(told, rotation=drawn.rotation, translation=drawn.translation)
    if true.anchor is not None:
        r, d = true.anchor.shape
        told = replace(told, anchor=centered_orthonormal_anchor(r, d, rng))
    return told if true.noise is None else replace(told, noise=_like(true.noise, rng))


def liar(true: ColluderDisclosure, rng: np.random.Generator, /) -> ColluderDisclosure:
    """Tell what looks right and is wrong: secrets as `stale` ones, and invented records.

    Records keep their number, and the mean and spread over all entries; nothing of a column or
    a row is left.
    """
    told = stale(true, rng)
    return replace(told, records=None if told.records is None else _like(told.records, rng))


def partial(true: ColluderDisclosure, rng: np.random.Generator, /) -> ColluderDisclosure:
    """Tell the truth about a random half of the records, at least one, in their order."""
    if true.records is None:
        return true
    count = max(1, round(PARTIAL_SHARE * len(true.records)))
    rows = np.sort(rng.choice(len(true.records), size=count, replace=False))
    return replace(true, records=true.records[rows])


def _like(values: FloatArray, rng: np.random.Generator) -> FloatArray:
    invented: FloatArray = values.mean() + values.std() * rng.standard_normal(values.shape)
    return invented
