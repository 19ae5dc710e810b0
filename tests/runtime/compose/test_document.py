"""The compose file is read alike by YAML, by docker-compose and by our own table."""

import subprocess

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from collude.runtime.compose.document import HEADER, compose_text, parse_compose
from collude.runtime.compose.schema import problems

TEXTS = st.text(st.characters(codec="utf-8", exclude_categories=["Cs", "Cc"]), max_size=30)
VALUES = st.recursive(
    st.booleans() | st.integers(-(2**40), 2**40) | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(TEXTS, VALUES, max_size=4))
def test_what_is_written_is_read_again(document) -> None:
    assert parse_compose(compose_text(document)) == document


def test_equal_values_are_written_out(site) -> None:
    text = (site / "compose.yaml").read_text()
    assert text.startswith(HEADER)
    assert "&id" not in text


def test_a_new_site_has_the_shape_of_our_table(site) -> None:
    assert list(problems(yaml.safe_load((site / "compose.yaml").read_text()))) == []


@pytest.mark.parametrize(
    ("value", "place", "what"),
    [
        ([], "", "no table"),
        ({"services": {}}, "networks", "missing"),
        ({"services": {}, "networks": {}, "version": "3"}, "version", "unknown"),
        ({"services": {"a": 7}, "networks": {}}, "services.a", "no table"),
        ({"services": {}, "networks": {"n": {"internal": 1}}}, "networks.n.internal", "no bool"),
        (
            {"services": {}, "networks": {"n": {"internal": True, "ipam": {"config": {}}}}},
            "networks.n.ipam.config",
            "no list",
        ),
    ],
)
def test_what_has_another_shape_is_named(value, place, what) -> None:
    ((found, reason),) = problems(value)
    assert (found, what in reason) == (place, True)


def test_docker_compose_takes_it(site) -> None:
    """Reading needs no engine, only the command: either of the two generations."""
    tried = [words for words in (["docker", "compose"], ["docker-compose"]) if answers(words)]
    if not tried:
        pytest.skip("neither docker compose nor docker-compose is installed")
    path = site / "compose.yaml"
    path.write_text(path.read_text().replace("/nowhere/image", str(site)))  # must exist
    for words in tried:
        done = subprocess.run(
            [*words, "config", "-q"], check=False, cwd=site, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr


def answers(words) -> bool:
    try:
        done = subprocess.run([*words, "version"], check=False, capture_output=True)
    except OSError:
        return False
    return done.returncode == 0
