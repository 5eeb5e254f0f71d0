"""Models and data that several tests of the engine use."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from mastgp.gp import Component, GaussianProcess, Model
from mastgp.gp.layout import Layout
from mastgp.gp.model import MEAN_VAR
from mastgp.gp.observations import Observations


def single(n_inputs: int, kernel: str, warp: bool, learn_noise: bool) -> Model:
    return Model(n_inputs, (Component(kernel=kernel),), warp=warp, learn_noise=learn_noise)


def shared_plus_bias(n_inputs: int, kernel: str, warp: bool, learn_noise: bool) -> Model:
    components = (Component((1.0, 1.0), (), kernel), Component((1.0, 0.0), (), kernel, True))
    return Model(n_inputs, components, warp=warp, learn_noise=learn_noise)


def co_kriging(n_inputs: int, kernel: str, warp: bool, learn_noise: bool) -> Model:
    """Three levels: every kind of loading, learned factors and scales at once."""
    return Model(
        n_inputs,
        components=(
            Component((1.0, 1.0, 1.0), ((), (0,), (0, 1)), kernel, learn_scale=True),
            Component((0.0, 1.0, 1.0), ((), (), (1,)), "rbf", learn_scale=True),
            Component((0.0, 0.0, 1.0), (), kernel, isotropic=True),
        ),
        warp=warp,
        learn_noise=learn_noise,
    )


def uncertain_means(n_inputs: int, kernel: str, warp: bool, learn_noise: bool) -> Model:
    return replace(co_kriging(n_inputs, kernel, warp, learn_noise), means="own")


def shared_mean(n_inputs: int, kernel: str, warp: bool, learn_noise: bool) -> Model:
    return replace(shared_plus_bias(n_inputs, kernel, warp, learn_noise), means="shared")


def random_data(rng: np.random.Generator, model: Model, n: int = 24) -> Observations:
    X = rng.random((n, model.n_inputs))
    X[0], X[1] = 0.0, 1.0  # the warp's fixed points
    y = rng.standard_normal(n)
    groups = np.sort(rng.integers(0, model.n_groups, n))
    noise = None if model.learn_noise else rng.uniform(0.01, 0.1, n)
    return Observations(X, (y - y.mean()) / y.std(ddof=1), groups.astype(np.intp), noise)


def random_point(rng: np.random.Generator, layout: Layout) -> np.ndarray:
    theta = layout.start() + 0.4 * rng.standard_normal(layout.size)
    return np.clip(theta, layout.lower + 0.01, layout.upper - 0.01)


def covariance_by_hand(model: Model, data: Observations, parameters) -> np.ndarray:
    """K from its definition, for inputs that are not warped and learned noise."""
    a = parameters.loadings(model)[:, data.groups]
    K = np.diag(parameters.noise_var[data.groups])
    for c, component in enumerate(model.components):
        difference = data.X[:, None] - data.X[None]
        R = np.sum((difference / parameters.lengthscales[c]) ** 2, axis=-1)
        s = np.sqrt(5 * R)
        k = np.exp(-R / 2) if component.kernel == "rbf" else (1 + s + s**2 / 3) * np.exp(-s)
        K += parameters.scales[c] * np.outer(a[c], a[c]) * k
    if model.means == "own":
        K += MEAN_VAR * np.equal.outer(data.groups, data.groups)
    if model.means == "shared":
        K += MEAN_VAR
    return K


def smooth(X):
    return np.sin(4 * X[:, 0]) + X[:, -1]


def of_two_groups(rng, means="profiled", warp=True) -> GaussianProcess:
    """A fit to two groups, the second about twice the first."""
    components = (Component((1.0, 1.0), ((), (0,))), Component((0.0, 1.0), (), "matern52", True))
    X = rng.random((30, 2))
    groups = np.repeat([0, 1], [20, 10])
    y = smooth(X) * np.where(groups == 0, 1.0, 2.0) + np.where(groups == 0, 0.0, X[:, 1])
    model = Model(2, components, warp=warp, means=means)
    return GaussianProcess.fit(model, X, y, groups=groups)
