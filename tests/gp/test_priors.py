from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from mastgp.gp.priors import Cauchy, Flat, Gamma, LogNormal, Normal, lengthscale_prior

U = np.linspace(-3.0, 2.0, 11)
#: A prior, SciPy's density of the same parameter, and the parameter at coordinate u.
PRIORS = [
    (LogNormal(0.7, 1.3), stats.lognorm(1.3, scale=math.exp(0.7)), np.exp),
    (Gamma(3.0, 6.0), stats.gamma(3.0, scale=1 / 6.0), np.exp),
    (Gamma(0.8, 2.0), stats.gamma(0.8, scale=1 / 2.0), np.exp),
    (Normal(1.0, 0.4), stats.norm(1.0, 0.4), np.asarray),
    (Cauchy(1.0, 0.2), stats.cauchy(1.0, 0.2), np.asarray),
]


@pytest.mark.parametrize(("prior", "peer", "parameter"), PRIORS)
def test_density_is_that_of_the_parameter(prior, peer, parameter):
    np.testing.assert_allclose(prior.log_density(U), peer.logpdf(parameter(U)), rtol=1e-12)


@pytest.mark.parametrize("prior", [prior for prior, _, _ in PRIORS] + [Flat(0.5)])
def test_slope_is_the_derivative_by_the_coordinate(prior):
    step = 1e-6
    numeric = (prior.log_density(U + step) - prior.log_density(U - step)) / (2 * step)
    np.testing.assert_allclose(prior.slope(U), numeric, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("prior", [prior for prior, _, _ in PRIORS if prior != Gamma(0.8, 2.0)])
def test_searches_start_at_the_mode(prior):
    assert prior.slope(np.array([prior.start]))[0] == pytest.approx(0.0, abs=1e-12)


def test_a_gamma_density_without_a_mode_starts_at_its_mean():
    assert math.exp(Gamma(0.8, 2.0).start) == pytest.approx(0.4)


def test_lengthscales_grow_with_the_root_of_the_dimension():
    """Hvarfner et al. (2024), as in BoTorch: LogNormal(sqrt 2 + log(D)/2, sqrt 3)."""
    prior = lengthscale_prior(9)
    assert prior.loc == pytest.approx(math.sqrt(2) + math.log(3))
    assert prior.scale == pytest.approx(math.sqrt(3))
