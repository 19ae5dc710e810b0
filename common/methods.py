"""What each method of the representation-sharing paper uses, as data.

The protocol, the scenario, the attacks and the report all read this one table.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import Any, cast

from collude.common import plugins
from collude.common.errors import PluginInvalid


@dataclass(frozen=True)
class MethodTraits:
    """What a method uses.

    Attributes:
        title: the method in plain words.
        uploads: it sends transformed records to the analyst.
        common_secret: all participants use one and the same secret transform.
        anchor: it also sends the transformed shared anchor.
        anchor_noise: it adds noise v to the transformed anchor.
        private_noise: it adds noise sigma to the transformed records.
    """

    title: str
    uploads: bool = True
    common_secret: bool = False
    anchor: bool = False
    anchor_noise: bool = False
    private_noise: bool = False

    @property
    def counted_noise(self) -> str | None:
        """Which noise CoDef sets: that of the records if there is one, else of the anchor."""
        names = ("private_noise", "anchor_noise")
        return next((name for name in names if getattr(self, name)), None)


METHODS: Mapping[str, MethodTraits] = MappingProxyType({
    "local": MethodTraits("every participant trains alone", uploads=False),
    "c-gdp": MethodTraits("one secret transform for all", common_secret=True),
    "c-gdp-noise": MethodTraits(
        "one secret transform for all, noise on the records",
        common_secret=True,
        private_noise=True,
    ),
    "i-gdp": MethodTraits("a secret transform each, not aligned"),
    "aa-gdp": MethodTraits("a secret transform each, aligned by a clean anchor", anchor=True),
    "aa-gdp-noise": MethodTraits(
        "a secret transform each, clean anchor, noise on the records",
        anchor=True,
        private_noise=True,
    ),
    "naa-gdp": MethodTraits(
        "a secret transform each, aligned by a noisy anchor",
        anchor=True,
        anchor_noise=True,
    ),
})
"""The seven built-in methods by name. Source: noisy anchor alignment, Table I."""


@cache
def traits_of(method: str) -> MethodTraits:
    """Return what a method uses: a built-in one, or a plug-in of the group `collude.mechanisms`.

    Raises:
        PluginUnknown: there is no such method.
        PluginInvalid: the plug-in has no traits.
    """
    if method in METHODS:
        return METHODS[method]
    factory = cast("Any", plugins.find(plugins.MECHANISMS, method))
    traits = getattr(factory(anchor_noise=0.0, private_noise=0.0), "traits", None)
    if not isinstance(traits, MethodTraits):
        raise PluginInvalid(
            "the mechanism does not say what it uses",
            field=method,
            expected="an attribute traits of class MethodTraits",
            got=type(traits).__name__,
        )
    return traits
