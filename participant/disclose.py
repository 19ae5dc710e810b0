"""What a colluding participant brings into a coalition: as much as the scenario says."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field, fields
from typing import Self

from collude.common.errors import PluginInvalid
from collude.common.protocol.messages import ColluderDisclosure
from collude.common.randomness import Entropy
from collude.common.scenario import Scenario
from collude.participant.colluders import colluder
from collude.participant.silo import Silo

HONEST = "honest"


@dataclass(frozen=True, repr=False)
class Teller:
    """How a participant tells what it could: in the scenario's way, the same at every call.

    Attributes:
        name: of a registered colluder.
        entropy: the participant's own.
    """

    name: str
    entropy: Entropy

    def told(self, true: ColluderDisclosure) -> ColluderDisclosure:
        """Return what the coalition is told in place of the truth.

        Raises:
            PluginUnknown: there is no such colluder.
            PluginInvalid: it fails, returns something else, or tells what is to stay hidden.
        """
        tell, rng = colluder(self.name), self.entropy.generator("colluder")
        try:
            made: object = tell(true, rng)
        except Exception as cause:  # a plug-in's own code may raise anything
            raise self._invalid(f"it raised {type(cause).__name__}: {cause}") from cause
        if not isinstance(made, ColluderDisclosure):
            raise self._invalid(f"it returned a {type(made).__name__}")
        added = [name for name in _held(made) if getattr(true, name) is None]
        if added:
            raise self._invalid(f"it tells {', '.join(added)}, which is not to be disclosed")
        return made

    def _invalid(self, what: str) -> PluginInvalid:
        return PluginInvalid(
            f"the colluder {self.name} cannot be used",
            field="collusion.colluder",
            expected="a disclosure with nothing in it that the true one lacks",
            got=what,
        )


def _held(told: ColluderDisclosure) -> Iterable[str]:
    return (f.name for f in fields(told) if getattr(told, f.name) is not None)


@dataclass(repr=False)
class ColluderDiscloser:
    """Discloses from a silo once it has made its upload.

    Attributes:
        silo: whose records and secrets these are.
        fields: what may be disclosed of it.
        teller: what becomes of it; None tells the truth.
    """

    silo: Silo
    fields: Collection[str]
    teller: Teller | None = None
    _told: ColluderDisclosure | None = field(default=None, init=False)

    @classmethod
    def of(cls, scenario: Scenario, silo: Silo, entropy: Entropy) -> Self:
        """Return the discloser of a participant of a scenario."""
        collusion = scenario.collusion
        return cls(silo, frozenset(collusion.disclose), Teller(collusion.colluder, entropy))

    def disclosure(self) -> ColluderDisclosure | None:
        """Return what the scenario allows, or None before the upload was made.

        Raises:
            PluginInvalid: the scenario's colluder cannot be used.
        """
        if self._told is None and self.silo.has_uploaded:
            true = self.silo.disclosure(self.fields)
            self._told = true if self.teller is None else self.teller.told(true)
        return self._told
