"""A population that is asked about: what each silo holds of each person, and what is known of it.

`plain`: every attribute is a fair bit of its own. `xor`: silos 2k and 2k + 1 share a secret of
each person, Z = X xor X', and each of the two bits alone is fair, so neither tells anything of Z
and both together tell all of it: privacy of each silo alone does not compose.

Everybody who attacks is assumed to know all attributes of all persons (of `xor` persons: all
secrets Z) and not whom a handle hides. That is the game.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from collude.common.atomic import PRIVATE, npz_bytes, write_atomically
from collude.common.data.files import read_arrays
from collude.common.errors import DataInvalid, DataUnavailable
from collude.common.randomness import Entropy, party_seed
from collude.common.scenario import Scenario

Kind = Literal["plain", "xor"]

KINDS: Mapping[str, Kind] = MappingProxyType({"persons": "plain", "xor-persons": "xor"})
"""`data.source` -> what kind of population that is."""

KNOWN_FILE = "known-persons.npz"
"""What an attacker knows of the persons of each period, in its folder."""

STREAM = "/population"
"""No party's name, so no party's seed is the population's."""

Bits = NDArray[np.int8]
Presence = NDArray[np.bool_]


@dataclass(frozen=True, eq=False, repr=False)
class SiloTable:
    """What one silo holds in one period. Its repr shows sizes only.

    Attributes:
        attributes: (n, m) int8 of 0 and 1; 0 where the person is absent.
        present: (n,) bool, whom the silo knows.
    """

    attributes: Bits
    present: Presence

    def __repr__(self) -> str:
        """Return the sizes, never the content."""
        persons, attributes = self.attributes.shape
        return f"SiloTable(persons={persons}, attributes={attributes})"


@dataclass(frozen=True, eq=False, repr=False)
class Population:
    """All persons of one period, at all silos.

    Attributes:
        kind: `plain` or `xor`.
        attributes: (n, K, m) int8 of 0 and 1; 0 where the person is absent.
        present: (n, K) bool.
    """

    kind: Kind
    attributes: Bits
    present: Presence

    def __repr__(self) -> str:
        """Return the sizes, never the content."""
        persons, silos, attributes = self.attributes.shape
        return f"Population({self.kind}, {persons} persons, {silos} silos, {attributes} attributes)"

    def table(self, silo: int) -> SiloTable:
        """Return what the silo with this index holds."""
        return SiloTable(self.attributes[:, silo].copy(), self.present[:, silo].copy())

    @property
    def known(self) -> "KnownPopulation":
        """What whoever attacks is assumed to know."""
        if self.kind == "plain":
            return KnownPopulation("plain", self.attributes, self.present)
        secrets = self.attributes[:, 0::2] ^ self.attributes[:, 1::2]
        return KnownPopulation("xor", secrets, self.present)


@dataclass(frozen=True, eq=False, repr=False)
class KnownPopulation:
    """What whoever attacks knows of all persons of one period.

    Attributes:
        kind: `plain` or `xor`.
        bits: `plain`: (n, K, m) int8, every attribute at every silo. `xor`: (n, K / 2, m) int8,
            the secret Z that silos 2k and 2k + 1 share; 0 where one of them lacks the person.
        present: (n, K) bool.
    """

    kind: Kind
    bits: Bits
    present: Presence


def population_of(scenario: Scenario, cohort: int) -> Population:
    """Return the population of one period of a release scenario, drawn from the master seed.

    A deployment has real persons and no such population; a party alone has its table only.

    Args:
        scenario: with `releases` true, in simulation mode, and with its master seed.
        cohort: the period, from 0.

    Raises:
        DataUnavailable: there is no seed to draw from.
    """
    seed, codef = scenario.scenario.seed, scenario.codef
    if seed is None:
        raise DataUnavailable(
            "without the master seed no population can be drawn",
            field="party.records",
            expected="a file with this silo's persons, one table a period",
            hint="docs/codef.md (Your own persons) says what is in it; start each silo by hand.",
        )
    rng = Entropy(party_seed(seed, STREAM), simulated=True).generator("persons", cohort)
    shape = (codef.persons, scenario.data.participants, codef.attributes)
    return drawn(KINDS[scenario.data.source], shape, codef.coverage, rng)


def drawn(
    kind: Kind, shape: tuple[int, int, int], coverage: float, rng: np.random.Generator
) -> Population:
    """Return a random population.

    Args:
        kind: `plain` or `xor`.
        shape: (n, K, m); K even for `xor`.
        coverage: share of the persons that each silo knows; who lacks a `xor` person lacks it
            together with the other of the pair, else there is no secret to find.
        rng: draws all of it.
    """
    persons, silos, _ = shape
    attributes = rng.integers(0, 2, shape, dtype=np.int8)
    if kind == "plain":
        present = rng.random((persons, silos)) < coverage
    else:
        present = np.repeat(rng.random((persons, silos // 2)) < coverage, 2, axis=1)
    attributes[~present] = 0
    return Population(kind, attributes, present)


def save_tables(tables: Sequence[SiloTable], path: str | Path) -> None:
    """Write one silo's tables, one for each period, as npz readable by its owner only."""
    arrays = {
        f"{name}_{cohort}": getattr(table, name)
        for cohort, table in enumerate(tables)
        for name in ("attributes", "present")
    }
    write_atomically(Path(path), npz_bytes(**arrays), PRIVATE)


def load_tables(path: str | Path, scenario: Scenario, party: str) -> tuple[SiloTable, ...]:
    """Return the checked tables of a silo, one for each period of the scenario.

    Raises:
        DataUnavailable: there is no such file, or it cannot be read.
        DataInvalid: it is damaged, lacks a period, or holds tables that do not fit the scenario.
    """
    periods = range(len(scenario.codef.periods))
    names = tuple(f"{name}_{c}" for c in periods for name in ("attributes", "present"))
    arrays = read_arrays(path, names, party)
    shape = (scenario.codef.persons, scenario.codef.attributes)
    for c in periods:
        _check_bits(arrays[f"attributes_{c}"], shape, party, f"attributes_{c}")
        _check_presence(arrays[f"present_{c}"], shape[:1], party, f"present_{c}")
    return tuple(
        SiloTable(arrays[f"attributes_{c}"].astype(np.int8), arrays[f"present_{c}"].astype(bool))
        for c in periods
    )


def save_known(known: Sequence[KnownPopulation], path: str | Path) -> None:
    """Write what an attacker knows, one population for each period, as npz."""
    arrays: dict[str, Any] = {"kind": np.array(known[0].kind)}
    for cohort, each in enumerate(known):
        arrays |= {f"bits_{cohort}": each.bits, f"present_{cohort}": each.present}
    write_atomically(Path(path), npz_bytes(**arrays))


def load_known(path: str | Path, scenario: Scenario, party: str) -> tuple[KnownPopulation, ...]:
    """Return what an attacker knows of the persons of each period.

    Raises:
        DataUnavailable: there is no such file, or it cannot be read.
        DataInvalid: it is damaged, lacks a period, or does not fit the scenario.
    """
    periods, kind = range(len(scenario.codef.periods)), KINDS[scenario.data.source]
    names = tuple(f"{name}_{c}" for c in periods for name in ("bits", "present"))
    arrays = read_arrays(path, ("kind", *names), party)
    _check_kind(arrays["kind"], kind, party)
    silos, codef = scenario.data.participants, scenario.codef
    columns = silos if kind == "plain" else silos // 2
    for c in periods:
        shape = (codef.persons, columns, codef.attributes)
        _check_bits(arrays[f"bits_{c}"], shape, party, f"bits_{c}")
        _check_presence(arrays[f"present_{c}"], (codef.persons, silos), party, f"present_{c}")
    return tuple(
        KnownPopulation(kind, arrays[f"bits_{c}"].astype(np.int8), arrays[f"present_{c}"])
        for c in periods
    )


def _check_kind(array: NDArray[Any], kind: Kind, party: str) -> None:
    if array.shape != () or str(array) != kind:
        raise _wrong(party, "kind", kind, array)


def _check_bits(array: NDArray[Any], shape: tuple[int, ...], party: str, field: str) -> None:
    if array.shape != shape or array.dtype.kind not in "iub":
        raise _wrong(party, field, f"bits of shape {shape}", f"{array.dtype} {array.shape}")
    if not np.isin(array, (0, 1)).all():
        raise _wrong(party, field, "0 and 1", "other numbers")


def _check_presence(array: NDArray[Any], shape: tuple[int, ...], party: str, field: str) -> None:
    if array.shape != shape or array.dtype != np.bool_:
        raise _wrong(party, field, f"booleans of shape {shape}", f"{array.dtype} {array.shape}")


def _wrong(party: str, field: str, expected: object, got: object) -> DataInvalid:
    return DataInvalid(
        "the persons do not fit the scenario", party=party, field=field, expected=expected, got=got
    )
