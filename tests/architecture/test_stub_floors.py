"""The committed stubs ask for no newer runtime than pyproject promises, and for no older."""

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
WIRE = ROOT / "src" / "collude" / "wire" / "v1"
PROTO = ROOT / "proto" / "collude" / "wire" / "v1"

PROTOBUF = re.compile(r"^# Protobuf Python Version: (\S+)$", re.MULTILINE)
GRPC = re.compile(r"^GRPC_GENERATED_VERSION = '(\S+)'$", re.MULTILINE)


def floor(package: str) -> str:
    """Return the lowest version of a package that pyproject.toml allows."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    found = [re.match(rf"{package}>=([0-9.]+)", line) for line in project["dependencies"]]
    (match,) = filter(None, found)
    return match[1]


@pytest.mark.parametrize(
    ("package", "pattern", "suffix"),
    [("protobuf", PROTOBUF, "_pb2.py"), ("grpcio", GRPC, "_pb2_grpc.py")],
)
def test_stubs_are_made_for_the_declared_floor(package, pattern, suffix):
    stubs = sorted(WIRE.glob(f"*{suffix}"))
    assert stubs
    for stub in stubs:
        assert pattern.findall(stub.read_text(encoding="utf-8")) == [floor(package)], stub.name


def test_every_contract_has_its_stub_and_every_stub_its_contract():
    contracts = {path.stem for path in PROTO.glob("*.proto")}
    stubs = {path.stem.removesuffix("_pb2") for path in WIRE.glob("*_pb2.py")}
    assert contracts == stubs
