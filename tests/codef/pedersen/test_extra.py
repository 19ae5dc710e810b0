"""Without PyNaCl the extra is named, and nothing else needs it."""

import subprocess
import sys

import pytest
from testkit.command import ROOT


def run(code: str) -> str:
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.parametrize("module", ["pedersen", "pedersen.group", "pedersen.check"])
def test_without_the_package_the_extra_is_named(module):
    said = run(
        "import sys; sys.modules['nacl'] = None\n"
        "from collude.common.errors import ColludeError, ExtraMissing\n"
        f"try:\n    import collude.codef.{module}\n"
        "except ExtraMissing as error:\n    print(error)\n"
    )
    assert said.startswith("[E-EXTRA] Pedersen commitments need PyNaCl")
    assert 'pip install "collude[pedersen]"' in said


def test_aggregation_and_ledger_do_not_load_it():
    code = "import sys, collude.codef.secagg, collude.codef.ledger; print('nacl' in sys.modules)"
    assert run(code) == "False"
