"""Reconstruction attacks, one file each, found by entry point in `collude.attacks`."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import cast

from collude.attacker.attacks.base import Attack, Reconstruction
from collude.common import plugins
from collude.common.errors import PluginInvalid

__all__ = ["Attack", "Reconstruction", "registry"]

_MEMBERS = ("name", "title", "source", "missing", "reconstruct")


def registry() -> Mapping[str, Attack]:
    """Return every registered reconstruction attack by name, in alphabetical order.

    Raises:
        PluginInvalid: an entry cannot be imported or is not an attack of its name.
    """
    loaded = plugins.load(plugins.ATTACKS)
    return MappingProxyType({name: _attack(name, made) for name, made in loaded.items()})


def _attack(name: str, registered: object) -> Attack:
    """Return the attack that an entry point names: an instance, or a class without arguments.

    Raises:
        PluginInvalid: it is not an attack of this name.
    """
    made = registered() if isinstance(registered, type) else registered
    lacking = [member for member in _MEMBERS if not hasattr(made, member)]
    if lacking or getattr(made, "name", None) != name:
        raise PluginInvalid(
            "the plug-in is not a reconstruction attack of its own name",
            field=name,
            expected=f"an object with {', '.join(_MEMBERS)}; its name {name}",
            got=f"it lacks {', '.join(lacking)}" if lacking else "another name",
        )
    return cast(Attack, made)
