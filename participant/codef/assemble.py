"""One silo's session out of a release scenario and its own things: the same in every runtime."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from collude.codef.period.planned import planned, settings_of
from collude.codef.release import Answerer, FileBook, FileSessions
from collude.common.data.persons import SiloTable
from collude.common.protocol.signing import SigningKey
from collude.common.randomness import Entropy
from collude.common.roster import Roster
from collude.common.scenario import Scenario
from collude.participant.codef.core import SiloCore
from collude.participant.codef.files import ANSWERS, USED
from collude.participant.codef.holdings import PersonHoldings
from collude.participant.codef.session import SiloSession


@dataclass(frozen=True)
class Identity:
    """Who a silo is.

    Attributes:
        name: of the silo.
        signing_key: as the roster pins it.
        entropy: its own source of randomness.
        folder: its own, where answers and sessions outlive a restart.
    """

    name: str
    signing_key: SigningKey
    entropy: Entropy
    folder: Path


def assemble(
    scenario: Scenario, roster: Roster, silo: Identity, tables: Sequence[SiloTable]
) -> tuple[SiloSession, PersonHoldings]:
    """Return the session, and what it answers from.

    Args:
        scenario: a release scenario.
        roster: everybody's pinned keys.
        silo: which.
        tables: what it holds in each period.

    Raises:
        ParameterInvalid: counts could not be aggregated under the scenario's terms.
        DataInvalid: the silo's book cannot be used, or the tables hold no bits.
    """
    book = FileBook(silo.folder / ANSWERS, silo.name)
    answerer = Answerer(silo.name, silo.signing_key, silo.entropy, book)
    holdings = PersonHoldings(answerer, tables, settings_of(scenario))
    used = FileSessions(silo.folder / USED, silo.name)
    core = SiloCore(silo.name, silo.signing_key, silo.entropy, holdings, used)
    return SiloSession(core, planned(scenario, roster)), holdings
