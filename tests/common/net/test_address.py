import pytest

from collude.common.errors import ScenarioInvalid
from collude.common.net.address import Address, parse_address, read_address, write_address

BAD = [
    "", "host", "host:", ":1", "host:65536", "host:-1", "host:1x", "::1:80", "[::1]", "[host]:1",
    "[127.0.0.1]:1", "unix:/tmp/x", "dns:///host:1", "a b:1", "ho/st:1", "hóst:1", "a:1\n",
]  # fmt: skip
GOOD = {
    "localhost:0": Address("localhost", 0),
    "127.0.0.1:65535": Address("127.0.0.1", 65535),
    "[::1]:80": Address("::1", 80),
    "collude_analyst-1.example.org:7400": Address("collude_analyst-1.example.org", 7400),
}


@pytest.mark.parametrize("text", BAD)
def test_what_is_no_address_is_refused(text):
    with pytest.raises(ScenarioInvalid, match="host:port") as caught:
        parse_address(text, field="listen")
    assert caught.value.field == "listen"


@pytest.mark.parametrize("text", GOOD)
def test_an_address_is_read_and_written(text):
    assert parse_address(text) == GOOD[text]
    assert str(GOOD[text]) == text


def test_an_address_file_is_absent_or_whole(tmp_path):
    path = tmp_path / "é address.txt"
    assert read_address(path) is None
    write_address(path, "[::1]:80")
    assert read_address(path) == "[::1]:80"
    assert list(tmp_path.iterdir()) == [path]
    path.write_text("[::1", encoding="utf-8")
    with pytest.raises(ScenarioInvalid):
        read_address(path)
