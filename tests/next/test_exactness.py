from __future__ import annotations

import numpy as np
import pytest

from mastgp.data.dataset import Dataset
from mastgp.next.exactness import MOST_RESULTS, exact_where_possible, is_exact


def data_of(noise, n=20, repeats=1):
    rng = np.random.default_rng(3)
    X = np.repeat(rng.random((n, 2)), repeats, axis=0)
    y = np.sin(4 * X[:, 0]) + X[:, 1] ** 2
    tables = {"cheap": (X, y + 0.1 * X[:, 0]), "dear": (X, y + noise * rng.normal(size=len(y)))}
    return Dataset.from_tables(tables, order=["cheap", "dear"])


def test_smooth_results_are_exact_and_noisy_ones_are_not():
    assert is_exact(data_of(0.0), data_of(0.0).top)
    noisy = data_of(0.2)
    assert not is_exact(noisy, noisy.top)


@pytest.mark.filterwarnings("ignore::mastgp.errors.DuplicateWarning")
def test_repeats_that_differ_show_noise():
    noisy = data_of(0.05, n=5, repeats=2)
    assert not is_exact(noisy, noisy.top)


def test_each_fidelity_is_judged_by_its_own_results():
    cheap, dear = exact_where_possible(data_of(0.2)).fidelities
    np.testing.assert_array_equal(cheap.noise_var, 0.0)
    assert dear.noise_var is None


def test_noise_that_is_known_stays():
    x = np.linspace(0.0, 1.0, 8)[:, None]
    data = Dataset.from_tables({"dear": (x, x[:, 0] ** 2)}, noise_std={"dear": 0.1})
    assert exact_where_possible(data).top.noise_var == pytest.approx(0.01)


def test_many_results_are_left_to_the_model():
    many = data_of(0.0, n=MOST_RESULTS + 1)
    assert not is_exact(many, many.top)
