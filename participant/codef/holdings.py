"""What a silo holds about the persons of each period, and who answers about them."""

from collections.abc import Sequence

from collude.codef.period import PeriodTerms
from collude.codef.policy import PolicySettings
from collude.codef.release import Answerer, HandleTable, Held, Responder, handles_of, sampler_of
from collude.common.data.persons import SiloTable
from collude.common.errors import SessionUsed
from collude.common.secret import Secret


class PersonHoldings(Secret):
    """One silo's tables, one for each period.

    Attributes:
        handles: period -> every person's handle for the querier, by person: for scoring a
            simulation, where the silo is asked.
    """

    def __init__(
        self, answerer: Answerer, tables: Sequence[SiloTable], settings: Sequence[PolicySettings]
    ) -> None:
        """Keep everything.

        Args:
            answerer: the silo, with its book of what it answered before, also before a restart.
            tables: of each period.
            settings: the numbers behind the policy of each period.
        """
        self._answerer = answerer
        self._tables, self._settings = list(tables), list(settings)
        self.handles: dict[int, list[bytes]] = {}

    def responder(self, terms: PeriodTerms, session: bytes, key: bytes) -> Responder:  # noqa: ARG002 -- the protocol has it
        """Return who answers in this period, under the silos' shared 32-byte handle key.

        Raises:
            SessionUsed: the book holds answers about this period's persons. No silo enters a
                period twice, so they are of another run: told again they would be free, beside
                a whole new budget, and would say which old handle a new one is.
        """
        if self._answerer.book.holds(terms.period):
            raise SessionUsed(
                "has answered about these persons in another run",
                party=self._answerer.name,
                field=f"answers of period {terms.period}",
                hint="What was told stays told. Begin in a new folder, with other persons.",
            )
        table, numbers = self._tables[terms.period], self._settings[terms.period]
        asked = [] if terms.querier is None else [terms.querier]
        for querier in asked:
            self.handles[terms.period] = handles_of(key, querier, terms.persons)
        return Responder(
            self._answerer,
            Held(terms.period, table.attributes, table.present),
            terms.policy,
            sampler_of(numbers, terms.policy.levels),
            [HandleTable(key, querier, terms.persons) for querier in asked],
        )
