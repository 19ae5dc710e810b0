"""Plug-ins by entry point: the built-in ones are registered in `pyproject.toml` like any other.

Reading the registry imports no plug-in; asking for one imports that one only, so a broken
plug-in harms nobody who does not use it.
"""

from collections.abc import Iterable
from difflib import get_close_matches
from importlib.metadata import EntryPoint, entry_points

from collude.common.errors import PluginInvalid, PluginUnknown

ALIGNMENTS = "collude.alignments"
ATTACKS = "collude.attacks"
AUDITORS = "collude.auditors"
COLLUDERS = "collude.colluders"
DATASETS = "collude.datasets"
DEVIATORS = "collude.deviators"
MECHANISMS = "collude.mechanisms"
POLICIES = "collude.policies"

GROUPS = (ALIGNMENTS, ATTACKS, AUDITORS, COLLUDERS, DATASETS, DEVIATORS, MECHANISMS, POLICIES)
"""The groups that exist."""


def provider(entry: EntryPoint) -> str:
    """Return the distribution that registers an entry, as `name version`."""
    return f"{entry.dist.name} {entry.dist.version}" if entry.dist else "an unknown distribution"


def registered(group: str) -> dict[str, EntryPoint]:
    """Return what is registered in `group`, by name in alphabetical order, without importing it.

    Raises:
        PluginInvalid: two distributions claim one name; neither may silently replace the other.
    """
    return _by_name(group, entry_points(group=group))


def _by_name(group: str, entries: Iterable[EntryPoint]) -> dict[str, EntryPoint]:
    found: dict[str, EntryPoint] = {}
    # Who provides an entry is read only when two claim a name: each time a file is parsed.
    for entry in sorted(entries, key=lambda entry: entry.name):
        first = found.setdefault(entry.name, entry)
        if first.value != entry.value:
            raise PluginInvalid(
                f"two plug-ins in {group} have the name {entry.name}",
                field=entry.name,
                got=" and ".join(sorted((provider(first), provider(entry)))),
                hint="uninstall one of them",
            )
    return found


def load(group: str) -> dict[str, object]:
    """Return every plug-in of `group` by name, imported.

    Raises:
        PluginInvalid: one cannot be imported, or two claim one name.
    """
    return {name: _imported(entry) for name, entry in registered(group).items()}


def find(group: str, name: str) -> object:
    """Return the plug-in `name` of `group`, importing only that one.

    Raises:
        PluginUnknown: nothing is registered under that name.
        PluginInvalid: it cannot be imported, or two claim its name.
    """
    entries = registered(group)
    if name not in entries:
        near = get_close_matches(name, entries, n=1)
        raise PluginUnknown(
            f"{group} has no plug-in of this name",
            field=group,
            expected=" or ".join(entries),
            got=repr(name),
            hint=f"did you mean {near[0]}?" if near else None,
        )
    return _imported(entries[name])


def _imported(entry: EntryPoint) -> object:
    try:
        loaded: object = entry.load()
    except Exception as cause:  # importing runs the plug-in's own code, which may raise anything
        raise PluginInvalid(
            f"the plug-in {entry.name} cannot be imported: {type(cause).__name__}: {cause}",
            field=entry.group,
            got=f"{entry.value} of {provider(entry)}",
        ) from cause
    return loaded
