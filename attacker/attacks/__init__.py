"""Attacks, one file each, found by entry point in `collude.attacks`.

One group holds all kinds; what an object can do says which kind it is: `reconstruct` records,
`test` whether records are in an upload, or `identify` the person behind answers.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import cast

from collude.attacker.attacks.base import Attack, MembershipTest, Reconstruction
from collude.attacker.releases.base import ReleaseAttack
from collude.common import plugins
from collude.common.errors import PluginInvalid

__all__ = [
    "Attack",
    "MembershipTest",
    "Reconstruction",
    "ReleaseAttack",
    "membership_registry",
    "registry",
    "release_registry",
]

_COMMON = ("name", "title", "source", "missing")
_KINDS = ("reconstruct", "test", "identify")


def registry() -> Mapping[str, Attack]:
    """Return every registered reconstruction attack by name, in alphabetical order.

    Raises:
        PluginInvalid: an entry cannot be imported or is no attack of its name.
    """
    return MappingProxyType({n: cast(Attack, made) for n, made in _loaded("reconstruct").items()})


def membership_registry() -> Mapping[str, MembershipTest]:
    """Return every registered membership test by name, in alphabetical order.

    Raises:
        PluginInvalid: an entry cannot be imported or is no attack of its name.
    """
    return MappingProxyType({n: cast(MembershipTest, made) for n, made in _loaded("test").items()})


def release_registry() -> Mapping[str, ReleaseAttack]:
    """Return every registered attack on person releases by name, in alphabetical order.

    Raises:
        PluginInvalid: an entry cannot be imported or is no attack of its name.
    """
    return MappingProxyType({
        n: cast(ReleaseAttack, made) for n, made in _loaded("identify").items()
    })


def _loaded(kind: str) -> dict[str, object]:
    made = {n: _attack(n, entry) for n, entry in plugins.load(plugins.ATTACKS).items()}
    return {name: attack for name, attack in made.items() if hasattr(attack, kind)}


def _attack(name: str, registered: object) -> object:
    """Return the attack that an entry point names: an instance, or a class without arguments.

    Raises:
        PluginInvalid: it is no attack of this name.
    """
    made = registered() if isinstance(registered, type) else registered
    lacking = [member for member in _COMMON if not hasattr(made, member)]
    if not any(hasattr(made, kind) for kind in _KINDS):
        lacking.append(" or ".join(_KINDS))
    if lacking or getattr(made, "name", None) != name:
        raise PluginInvalid(
            "the plug-in is no attack of its own name",
            field=name,
            expected=f"an object with {', '.join(_COMMON)} and one of {', '.join(_KINDS)}; "
            f"its name {name}",
            got=f"it lacks {', '.join(lacking)}" if lacking else "another name",
        )
    return made
