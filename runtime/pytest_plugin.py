"""The pytest plug-in: the fixture `federation` and the option `--collude-runtime`.

What it needs is imported when a test asks for the fixture: every pytest session loads this file.
"""

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collude.runtime.testing.federation import FederationFactory

OPTION = "--collude-runtime"
RUNTIMES = ("inprocess", "processes")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option."""
    parser.getgroup("collude").addoption(
        OPTION,
        choices=RUNTIMES,
        default=RUNTIMES[0],
        help="how the fixture `federation` runs its parties",
    )


@pytest.fixture
def federation(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> "FederationFactory":
    """Return a federation: `.run()` runs the quickstart, calling it changes the scenario."""
    from collude.runtime.testing.federation import default_federation  # noqa: PLC0415

    folder = tmp_path_factory.mktemp("federation")
    return default_federation(folder, str(request.config.getoption(OPTION)))
