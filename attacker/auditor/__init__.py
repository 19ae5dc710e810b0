"""The auditor: does a reconstruction still show who it is? Frozen, made from public people only.

It is found by entry point in `collude.auditors`. Scoring alone uses it; no party ever does.
"""

from typing import cast

from collude.attacker.auditor.base import Auditor, AuditorMaker, PublicPeople
from collude.attacker.auditor.linkage import Embedded, compare, embedded, linkage
from collude.common import plugins
from collude.common.errors import PluginUnknown, ScenarioInvalid
from collude.common.scenario.sections import Auditor as Settings

__all__ = [
    "DEFAULT",
    "Auditor",
    "AuditorMaker",
    "Embedded",
    "PublicPeople",
    "compare",
    "embedded",
    "linkage",
    "make_auditor",
]

DEFAULT = "pixels-lda"
"""The auditor of a scenario that names none."""


def make_auditor(public: PublicPeople, settings: Settings) -> Auditor:
    """Return the auditor that a scenario names, ready and frozen.

    Raises:
        ScenarioInvalid: no auditor is registered under that name.
        AuditorUnusable: it cannot be made from these public people or this file.
        ExtraMissing: it needs a package that is not installed.
    """
    try:
        maker = plugins.find(plugins.AUDITORS, settings.name or DEFAULT)
    except PluginUnknown as error:
        raise ScenarioInvalid(
            "there is no such auditor",
            field="auditor.name",
            expected=error.expected,
            got=error.got,
            hint=error.hint,
        ) from error
    return cast("AuditorMaker", maker)(public, settings)
