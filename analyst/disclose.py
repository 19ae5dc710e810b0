"""What the analyst brings into a coalition: every upload it received, and the parameters."""

from collude.analyst.session import AnalystSession
from collude.common.protocol.messages import AnalystDisclosure, NamedUpload
from collude.common.scenario import Scenario


class AnalystDiscloser:
    """Discloses from a session once all uploads are in."""

    def __init__(self, scenario: Scenario, session: AnalystSession) -> None:
        """Keep both."""
        self._scenario, self._session = scenario, session

    def disclosure(self) -> AnalystDisclosure | None:
        """Return all uploads and the public parameters, or None before they are in."""
        collected = self._session.collected
        if collected is None:
            return None
        mechanism = self._scenario.mechanism.resolve(collected.opened.width)
        return AnalystDisclosure(
            method=mechanism.method,
            anchor_noise=mechanism.anchor_noise,
            private_noise=mechanism.private_noise,
            width=collected.opened.width,
            anchor_rows=collected.opened.anchor_rows,
            uploads=tuple(NamedUpload.of(name, u) for name, u in collected.uploads.items()),
        )
