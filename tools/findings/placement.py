"""Noise on the anchor against noise on the records: which protects better depends on the attack.

Drawn faces with identities; one colluder, whose own records are the attacks' only prior. For
each s = v sqrt(d), sigma is set so that both placements give the Procrustes rotation and the
known rotation the same squared error: sigma^2 = 2 (1 - phi(s)) E||x||^2 / d.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from collude.attacker.auditor import (
    Auditor,
    Embedded,
    PublicPeople,
    compare,
    embedded,
    make_auditor,
)
from collude.common.data import Dataset, load_dataset
from collude.common.geometry.arrays import FloatArray
from collude.common.geometry.theory import procrustes_rotation_error
from collude.common.ids import participant_name
from collude.common.scenario import build_scenario
from collude.common.scenario.sections import Auditor as AuditorSettings
from collude.common.training import train_linear
from tools.findings.field import Field, Noise, deploy, people_of
from tools.findings.rows import Row, Study, exact, over_seeds

_T = TypeVar("_T", bound=np.generic)

ATTACKS = ("procrustes", "centred-procrustes", "wiener", "moment-map", "shrunk-centre")
SUITES: Mapping[str, tuple[str, ...]] = {
    "the paper's attack": ATTACKS[:1],
    "the strongest attack": ATTACKS,
}
ANCHOR, PRIVATE = "anchor noise", "private noise"
LINKAGE, SEARCH, CONTROLS = "linkage", "found among all references", "controls"
UTILITY = "utility (balanced accuracy)"
WAYS, LINEUPS, CHUNK = 10, 10, 500


@dataclass(frozen=True)
class Size:
    """How large a study is.

    Attributes:
        participants: p.
        width: d.
        people: of each participant.
        sent: pictures that a person uploads; one more is the reference.
        held_out: pictures of a person to measure utility on.
        anchor: levels s of the anchor noise.
        private: levels s for which there is corresponding noise on the records.
        deployments: repetitions; each draws all secrets and attacks the next participant.
    """

    participants: int
    width: int
    people: int
    sent: int
    held_out: int
    anchor: tuple[float, ...]
    private: tuple[float, ...]
    deployments: int

    @property
    def levels(self) -> tuple[tuple[str, float], ...]:
        """Return every placement with every level of it."""
        return (*((ANCHOR, s) for s in self.anchor), *((PRIVATE, s) for s in self.private))


FULL = Size(10, 400, 500, 4, 1, (0.4, 0.6, 0.8, 1.0, 1.4), (0.2, 0.4, 0.6, 1.0), 3)
FEW_PEOPLE = Size(10, 400, 50, 40, 9, (0.6, 1.0), (0.6,), 2)
SMALL = Size(3, 100, 150, 4, 1, (0.6, 1.0), (0.2, 0.6), 2)


@dataclass(frozen=True, eq=False)
class Material:
    """The faces, dealt: of each participant what it sends and holds out, and who may judge."""

    shares: Sequence[FloatArray]
    labels: Sequence[NDArray[np.int64]]
    tests: Sequence[FloatArray]
    test_labels: Sequence[NDArray[np.int64]]
    identities: Sequence[NDArray[np.int64]]
    auditor: Auditor
    public: PublicPeople
    references: Embedded

    def queries(self, party: int, records: FloatArray) -> Embedded:
        """Return records of one participant as the auditor sees them."""
        parts = [
            embedded(self.public.decode(rows), ids, self.auditor.embed, "queries")
            for rows, ids in zip(_chunks(records), _chunks(self.identities[party]), strict=True)
        ]
        return Embedded(
            np.concatenate([part.vectors for part in parts]),
            np.concatenate([part.identities for part in parts]),
        )


def study(size: Size = FULL) -> Study:
    """Return linkage by every attack and utility, for both placements of the noise."""
    return _study("placement", size)


def few_people_study() -> Study:
    """Return the same for as many rows of a tenth of the people: the prior knows fewer."""
    return _study("placement-few-people", FEW_PEOPLE)


def small_study() -> Study:
    """Return the same at a size that a test can wait for."""
    return _study("placement-small", SMALL)


def _study(name: str, size: Size) -> Study:
    material = _material(size)
    rows = [*_controls(material, size)]
    for placement, s in size.levels:
        rows.extend(_level(material, size, placement, s))
    settings = {
        "data": "synthetic-faces",
        "participants": size.participants,
        "d": size.width,
        "r": size.width + 1,
        "people each": size.people,
        "rows each": size.people * size.sent,
        "prior": "the colluder's records alone",
        "deployments": size.deployments,
        "auditor": material.auditor.sha256[:12],
    }
    for measure in (LINKAGE, SEARCH):
        rows += at_equal_utility(rows, size, measure)
    return Study(name, "s = v sqrt(d)", settings, rows)


def _level(material: Material, size: Size, placement: str, s: float) -> list[Row]:
    noise = _noise(material, size, placement, s)
    queries: dict[str, list[Embedded]] = {name: [] for name in ATTACKS}
    utility = []
    for seed in range(size.deployments):
        rng = np.random.default_rng([seed, round(1000 * s), placement == ANCHOR])
        field = deploy(material.shares, size.width + 1, noise, rng)
        target = 1 + seed % (size.participants - 1)
        utility.append(_utility(material, field))
        for name in ATTACKS:
            made = field.attack(name, target, rng).records
            queries[name].append(material.queries(target, made))
    rows = [over_seeds(UTILITY, placement, s, utility)]
    for name, parts in queries.items():
        rows.extend(_linkage(material, parts, (placement, name), s))
    return rows


def _noise(material: Material, size: Size, placement: str, s: float) -> Noise:
    if placement == ANCHOR:
        return Noise(anchor=s / size.width**0.5)
    energy = np.mean([np.mean(np.sum(X**2, axis=1)) for X in material.shares])
    return Noise(private=float(procrustes_rotation_error(s) * energy / size.width) ** 0.5)


def _linkage(
    material: Material, parts: Sequence[Embedded], what: tuple[str, str], s: float
) -> list[Row]:
    """Return the share of ten-way line-ups won, and of searches among all references."""
    ids = np.concatenate([part.identities for part in parts])
    pooled = Embedded(np.concatenate([part.vectors for part in parts]), ids)
    found = compare(pooled, material.references, np.random.default_rng(0), WAYS, LINEUPS)
    (placement, series), (low, high) = what, found["interval"]
    return [
        Row(f"{LINKAGE}, {placement}", series, s, found["rank1"], low, high, len(np.unique(ids))),
        exact(f"{SEARCH}, {placement}", series, s, found["nway"]),
    ]


def _controls(material: Material, size: Size) -> list[Row]:
    """Return the linkage of clean records and of a guess: what attacks are compared with."""
    targets = {1 + seed % (size.participants - 1) for seed in range(size.deployments)}
    clean = [material.queries(party, material.shares[party]) for party in sorted(targets)]
    ceiling = _linkage(material, clean, (CONTROLS, "clean records"), 0.0)
    names = np.random.default_rng(1).permutation(np.concatenate([c.identities for c in clean]))
    shuffled = Embedded(np.concatenate([c.vectors for c in clean]), names)
    floor = _linkage(material, [shuffled], (CONTROLS, "names shuffled"), 0.0)
    pooled = np.concatenate(material.shares)
    model = train_linear(pooled, np.concatenate(material.labels), seed=0)
    value = _balanced(model.predict(np.concatenate(material.tests)), material)
    return [*ceiling, *floor, exact(UTILITY, "no protection", 0.0, value)]


def _utility(material: Material, field: Field) -> float:
    """Return the balanced accuracy of one probe on all participants' held-out records."""
    alignment, uploads = field.alignment(), field.view.uploads
    rows = [
        alignment.transform(i, uploads[participant_name(i)].private)
        for i in range(len(field.secrets))
    ]
    model = train_linear(np.concatenate(rows), np.concatenate(material.labels), seed=0)
    tests = [
        alignment.transform(i, secret.apply(material.tests[i]))
        for i, secret in enumerate(field.secrets)
    ]
    return _balanced(model.predict(np.concatenate(tests)), material)


def _balanced(predicted: NDArray[np.int64], material: Material) -> float:
    truth = np.concatenate(material.test_labels)
    return float(np.mean([np.mean(predicted[truth == c] == c) for c in np.unique(truth)]))


def at_equal_utility(rows: Sequence[Row], size: Size, measure: str) -> list[Row]:
    """Return what private noise leaks at the utility of anchor noise, beside what that leaks.

    Between the levels of private noise that were tried, both are interpolated linearly.
    """
    means = {(row.measure, row.series, row.x): row.mean for row in rows}
    utility = {(place, s): means[UTILITY, place, s] for place, s in size.levels}
    curve = sorted((utility[PRIVATE, s], s) for s in size.private)
    made = []
    for suite, names in SUITES.items():
        worst = {
            (place, s): max(means[f"{measure}, {place}", name, s] for name in names)
            for place, s in size.levels
        }
        leaks = [worst[PRIVATE, s] for _, s in curve]
        for s in size.anchor:
            if curve[0][0] <= utility[ANCHOR, s] <= curve[-1][0]:
                other = float(np.interp(utility[ANCHOR, s], [u for u, _ in curve], leaks))
                title = f"{measure} at equal utility, {suite}"
                made.append(exact(title, ANCHOR, s, worst[ANCHOR, s]))
                made.append(exact(title, PRIVATE, s, other))
    return made


def _material(size: Size) -> Material:
    dataset = _faces(size)
    people, each = people_of(dataset), size.people * (1 + size.sent + size.held_out)
    place = np.tile(np.arange(1 + size.sent + size.held_out), size.participants * size.people)
    party = np.arange(len(place)) // each
    sent, held = (place > 0) & (place <= size.sent), place > size.sent
    public = PublicPeople(
        people.public.records, people.public.identities, dataset.features, dataset.image_shape,
        people.identities,
    )  # fmt: skip
    auditor = make_auditor(public, AuditorSettings())
    references = embedded(
        public.decode(dataset.records[people.reserved]), people.identities[people.reserved],
        auditor.embed, "references",
    )  # fmt: skip

    def dealt(values: NDArray[_T], chosen: NDArray[np.bool_]) -> list[NDArray[_T]]:
        return [values[chosen & (party == i)] for i in range(size.participants)]

    return Material(
        dealt(dataset.records, sent), dealt(dataset.labels, sent), dealt(dataset.records, held),
        dealt(dataset.labels, held), dealt(people.identities, sent), auditor, public, references,
    )  # fmt: skip


def _faces(size: Size) -> Dataset:
    scenario = build_scenario({
        "scenario": {"name": "placement", "seed": 0},
        "data": {
            "source": "synthetic-faces",
            "participants": size.participants,
            "people": size.people,
            "images_per_person": 1 + size.sent + size.held_out,
        },
        "features": {"kind": "svd", "width": size.width},
    })
    return replace(load_dataset(scenario), originals=None)


def _chunks(rows: NDArray[_T]) -> list[NDArray[_T]]:
    return [rows[first : first + CHUNK] for first in range(0, len(rows), CHUNK)]
