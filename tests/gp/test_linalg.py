from __future__ import annotations

import numpy as np
import pytest

from mastgp.gp.linalg import (
    NotPositiveDefiniteError,
    cholesky,
    lower_inverse,
    solve_cholesky,
    solve_lower,
    symmetric_product,
)


@pytest.fixture
def K(rng):
    A = rng.random((5, 5))
    return A @ A.T + np.eye(5)


def test_cholesky_adds_jitter_only_where_needed(K):
    before = K.copy()
    L, jitter = cholesky(K)
    assert jitter == 0.0
    np.testing.assert_allclose(L @ L.T, K)
    np.testing.assert_array_equal(L, np.tril(L))
    np.testing.assert_array_equal(K, before)
    singular = np.ones((5, 5))
    L, jitter = cholesky(singular)
    assert 0.0 < jitter <= 1e-8
    np.testing.assert_allclose(L @ L.T, singular + jitter * np.eye(5), rtol=1e-14)


@pytest.mark.parametrize(
    "matrix", [-np.eye(3), np.full((3, 3), np.nan), np.array([[1.0, np.nan], [np.nan, 1.0]])]
)
def test_cholesky_names_hopeless_matrices(matrix):
    with pytest.raises(NotPositiveDefiniteError, match=r"not positive definite|NaN"):
        cholesky(matrix)


def test_inverse_and_products_use_the_lower_triangle(K, rng):
    B = rng.random((5, 2))
    inverse = lower_inverse(cholesky(K)[0])
    np.testing.assert_allclose(inverse, np.tril(np.linalg.inv(K)), atol=1e-14)
    np.testing.assert_allclose(symmetric_product(np.tril(K), B), K @ B)


def test_solves_are_those_of_the_factor_and_of_the_matrix(K, rng):
    B = rng.random((5, 2))
    L, _ = cholesky(K)
    np.testing.assert_allclose(L @ solve_lower(L, B), B)
    np.testing.assert_allclose(L.T @ solve_lower(L, B, transpose=True), B)
    np.testing.assert_allclose(K @ solve_cholesky(L, B), B)
