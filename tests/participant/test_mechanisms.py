"""Mechanisms: what each refuses, what each sends, and AA-GDP against C-GDP."""

import numpy as np
import pytest

from collude.common.errors import (
    AnchorInvalid,
    DataInvalid,
    NoUpload,
    PluginUnknown,
    ScenarioInvalid,
)
from collude.common.geometry import centered_orthonormal_anchor, random_rigid_transform
from collude.common.geometry.alignment import align_to_reference
from collude.common.methods import METHODS
from collude.participant.mechanisms import mechanism

D, R, N = 6, 9, 11
UPLOADING = [name for name, traits in METHODS.items() if traits.uploads]
ANCHORED = [name for name, traits in METHODS.items() if traits.anchor]


@pytest.fixture
def rng():
    return np.random.default_rng(31)


@pytest.fixture
def material(rng):
    """Return records, a secret and an anchor."""
    return (
        rng.standard_normal((N, D)),
        random_rigid_transform(D, rng),
        centered_orthonormal_anchor(R, D, rng),
    )


def test_an_unknown_method_is_refused_with_the_nearest_name():
    with pytest.raises(PluginUnknown, match="did you mean i-gdp"):
        mechanism("igdp")


@pytest.mark.parametrize("level", [-0.1, np.nan, np.inf])
@pytest.mark.parametrize("field", ["anchor_noise", "private_noise"])
def test_a_noise_level_out_of_range_is_refused(field, level):
    name = "naa-gdp" if field == "anchor_noise" else "c-gdp-noise"
    with pytest.raises(ScenarioInvalid, match=f"mechanism.{field}"):
        mechanism(name, **{field: level})


@pytest.mark.parametrize("field", ["anchor_noise", "private_noise"])
@pytest.mark.parametrize("name", METHODS)
def test_a_noise_that_the_method_would_leave_out_is_refused(name, field):
    """Whoever sets it believes to be protected by it."""
    if getattr(METHODS[name], field):
        mechanism(name, **{field: 0.1})
        return
    with pytest.raises(ScenarioInvalid, match=f"does not apply {field}"):
        mechanism(name, **{field: 0.1})


def test_local_sends_nothing(material, rng):
    with pytest.raises(NoUpload, match="local"):
        mechanism("local").upload(*material, rng)


@pytest.mark.parametrize("name", UPLOADING)
@pytest.mark.parametrize(
    "records",
    [
        np.zeros((0, D)),
        np.zeros((N, D + 1)),
        np.zeros(D),
        np.full((N, D), np.nan),
        np.full((N, D), np.inf),
        np.full((N, D), "1"),
        np.zeros((N, D), dtype=complex),
    ],
    ids=["no rows", "other width", "vector", "nan", "inf", "text", "complex"],
)
def test_records_that_cannot_be_used_are_refused(name, records, material, rng):
    _, secret, A = material
    with pytest.raises(DataInvalid, match="records"):
        mechanism(name).upload(records, secret, A, rng)


@pytest.mark.parametrize("name", ANCHORED)
@pytest.mark.parametrize(
    "spoil",
    [
        lambda A: None,
        lambda A: A[:D],
        lambda A: A[:, :-1],
        lambda A: np.where(np.arange(D) == 2, np.nan, A),
        lambda A: A.ravel(),
    ],
    ids=["none", "r = d", "other width", "nan", "vector"],
)
def test_an_anchor_that_cannot_be_used_is_refused(name, spoil, material, rng):
    X, secret, A = material
    with pytest.raises(AnchorInvalid):
        mechanism(name).upload(X, secret, spoil(A), rng)


@pytest.mark.parametrize("spoil", [lambda A: 2 * A, lambda A: A + 1, lambda A: A[:, [0] * D]])
def test_noise_is_not_added_to_an_anchor_of_another_scale(spoil, material, rng):
    X, secret, A = material
    with pytest.raises(AnchorInvalid, match="does not satisfy"):
        mechanism("naa-gdp", anchor_noise=0.1).upload(X, secret, spoil(A), rng)


@pytest.mark.parametrize("name", UPLOADING)
def test_without_noise_the_upload_is_the_transformed_material(name, material, rng):
    X, secret, A = material
    upload = mechanism(name).upload(X, secret, A, rng)
    rotation, psi = secret.rotation, secret.translation
    np.testing.assert_allclose(upload.private, X @ rotation + np.outer(np.ones(N), psi), atol=1e-12)
    if METHODS[name].anchor:
        np.testing.assert_allclose(
            upload.anchor, A @ rotation + np.outer(np.ones(R), psi), atol=1e-12
        )
    else:
        assert upload.anchor is None


@pytest.mark.parametrize("name", UPLOADING)
def test_noise_has_its_level_and_stays_where_it_belongs(name, rng):
    d, r, n, level = 20, 300, 400, 0.3
    X, A = rng.standard_normal((n, d)), centered_orthonormal_anchor(r, d, rng)
    secret, traits = random_rigid_transform(d, rng), METHODS[name]
    noise = {f: level for f in ("anchor_noise", "private_noise") if getattr(traits, f)}
    upload = mechanism(name, **noise).upload(X, secret, A, rng)
    private = upload.private - secret.apply(X)
    assert np.std(private) == pytest.approx(level * traits.private_noise, rel=0.05, abs=1e-12)
    if traits.anchor:
        anchor = upload.anchor - secret.apply(A)
        assert np.std(anchor) == pytest.approx(level * traits.anchor_noise, rel=0.05, abs=1e-12)


def test_the_noise_comes_from_the_generator_that_is_passed_in(material):
    X, secret, A = material
    noisy = mechanism("naa-gdp", anchor_noise=0.2)
    first, again, other = (
        noisy.upload(X, secret, A, np.random.default_rng(seed)).anchor for seed in (1, 1, 2)
    )
    np.testing.assert_array_equal(first, again)
    assert not np.allclose(first, other)


def test_one_record_of_integers_is_enough_and_nothing_is_changed(material, rng):
    _, secret, A = material
    X = np.ones((1, D), dtype=np.int64)
    kept = A.copy()
    assert mechanism("aa-gdp").upload(X, secret, A, rng).private.shape == (1, D)
    np.testing.assert_array_equal(A, kept)
    np.testing.assert_array_equal(X, np.ones((1, D)))


def test_the_text_of_an_upload_shows_no_content(material, rng):
    upload = mechanism("aa-gdp").upload(*material, rng)
    assert repr(upload) == f"Upload(private=({N}, {D}), anchor=({R}, {D}))"


@pytest.mark.parametrize("reference", [0, 2])
@pytest.mark.parametrize(("r", "d"), [(7, 6), (24, 6), (401, 400)])
def test_aligned_aa_gdp_is_c_gdp_under_the_secret_of_the_reference(reference, r, d, rng):
    """Proposition III.1."""
    X = [rng.standard_normal((15, d)) for _ in range(4)]
    A = centered_orthonormal_anchor(r, d, rng)
    secrets = [random_rigid_transform(d, rng) for _ in X]
    uploads = [
        mechanism("aa-gdp").upload(X_i, secret, A, rng)
        for X_i, secret in zip(X, secrets, strict=True)
    ]
    alignment = align_to_reference([upload.anchor for upload in uploads], reference)
    for i, upload in enumerate(uploads):
        common = mechanism("c-gdp").upload(X[i], secrets[reference], None, rng)
        difference = alignment.transform(i, upload.private) - common.private
        assert np.abs(difference).max() < 1e-9


def test_aligned_aa_gdp_is_c_gdp_on_an_anchor_that_is_neither_centred_nor_orthonormal(rng):
    d, r = 8, 9
    A = 3.0 + rng.standard_normal((r, d)) @ np.diag(np.geomspace(1, 10, d))
    X = rng.standard_normal((12, d))
    secrets = [random_rigid_transform(d, rng) for _ in range(3)]
    uploads = [mechanism("aa-gdp").upload(X, secret, A, rng) for secret in secrets]
    alignment = align_to_reference([upload.anchor for upload in uploads])
    for i, upload in enumerate(uploads):
        difference = alignment.transform(i, upload.private) - secrets[0].apply(X)
        assert np.abs(difference).max() < 1e-9


def test_private_noise_enters_aa_gdp_as_it_enters_c_gdp(rng):
    """Z_i = X_i O_s + 1 psi_s^T + sigma W_i O_i^T O_s: isotropic noise of the same level."""
    d, sigma = 10, 0.4
    A, X = centered_orthonormal_anchor(d + 1, d, rng), rng.standard_normal((2000, d))
    secrets = [random_rigid_transform(d, rng) for _ in range(2)]
    noisy = mechanism("aa-gdp-noise", private_noise=sigma)
    uploads = [noisy.upload(X, secret, A, rng) for secret in secrets]
    alignment = align_to_reference([upload.anchor for upload in uploads])
    noise = alignment.transform(1, uploads[1].private) - secrets[0].apply(X)
    np.testing.assert_allclose(noise.T @ noise / len(X), sigma**2 * np.eye(d), atol=0.03)
