"""Rivals made of BoTorch's own parts: logEI, qMFKG, MF-MES, and the weighted EI of chem-MFBO.

Models, start and settings are those of chem-MFBO (Sabanza-Gil et al. 2024), which follows
BoTorch's tutorial on discrete multi-fidelity optimisation. A tenth of the budget is spent on a
Latin hypercube first. Two settings are smaller, to save time: qMFKG has 16 fantasies instead of
128 and two restarts instead of five.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import qmc

from ...libraries import import_extra, untouched
from ..tasks import Task

Array = NDArray[np.float64]

#: Share of the budget that the first runs cost; of that, what goes to cheap runs of a source that
#: costs a tenth, or more.
_START, _CHEAP_SHARE, _CHEAP_SHARE_DEAR = 0.1, 0.5, 2.0 / 3.0
#: What the cheapest source is for the kernel; the function that counts is 1.
_LOWEST = 1.0 / 3.0
#: Fantasies and restarts of qMFKG; restarts and screened points of all others.
_FANTASIES, _FEW_RESTARTS = 16, 2
_RESTARTS, _SCREENED, _ITERATIONS = 5, 128, 200
#: Points among which MF-MES looks for the maximum.
_CANDIDATES = 1024


@dataclass
class _Runs:
    """What has been run so far, in the unit cube; values are to be maximised."""

    task: Task
    X: list[Array] = field(default_factory=list)
    levels: list[int] = field(default_factory=list)
    y: list[float] = field(default_factory=list)

    def make(self, u: Array, level: int) -> None:
        """Make a run and keep its result."""
        problem = self.task.problem
        x = problem.bounds[:, 0] + u * np.ptp(problem.bounds, axis=1)
        value = self.task.run(x, list(problem.costs)[level])
        self.X.append(u)
        self.levels.append(level)
        self.y.append(value if problem.goal == "maximum" else -value)

    def recommend(self, u: Array) -> None:
        """Recommend a point of the unit cube."""
        problem = self.task.problem
        self.task.recommend(problem.bounds[:, 0] + u * np.ptp(problem.bounds, axis=1))

    def recommend_best(self) -> None:
        """Recommend the best expensive run, if there is one."""
        top = len(self.task.problem.costs) - 1
        values = [
            y if level == top else -np.inf for y, level in zip(self.y, self.levels, strict=True)
        ]
        if max(values) > -np.inf:
            self.recommend(self.X[int(np.argmax(values))])


def search(task: Task, name: str) -> None:
    """Spend the budget: a start, then one run at a time."""
    runs = _Runs(task)
    single = name == "botorch-logei"
    with untouched(task.seed):
        _begin(runs, single)
        runs.recommend_best()
        step = _single if single else _STEPS[name]
        while task.affords(task.problem.top):
            step(runs)


def _part(name: str) -> Any:
    """A module of BoTorch."""
    return import_extra(f"botorch.{name}", "botorch", "this strategy")


def _begin(runs: _Runs, single: bool) -> None:
    """The first runs: a tenth of the budget, in Latin hypercubes."""
    task = runs.task
    names = list(task.problem.costs)
    for level, n in enumerate(start_counts(task, single)):
        low, width = task.problem.bounds[:, 0], np.ptp(task.problem.bounds, axis=1)
        for x in task.hypercube(names[level], n, "tenth") if n else ():
            runs.make((x - low) / width, level)


def start_counts(task: Task, single: bool) -> list[int]:
    """Runs of each source, cheapest first, that a search begins with."""
    costs = list(task.problem.costs.values())
    money = _START * task.problem.budget
    if single:
        return [0] * (len(costs) - 1) + [max(int(money), 2)]
    share = _CHEAP_SHARE if costs[-2] < 0.3 else _CHEAP_SHARE_DEAR
    each = share * money / (len(costs) - 1)
    cheap = [min(round(each / cost), 10 * task.problem.n_inputs) for cost in costs[:-1]]
    return [*cheap, max(round(money * (1.0 - share)), 1)]


def _single(runs: _Runs) -> None:
    """LogEI with BoTorch's GP of the expensive runs."""
    X, y = _tensor(np.array(runs.X)), _tensor(np.array(runs.y))[:, None]
    model = _fitted(_part("models").SingleTaskGP(X, y))
    acquisition = _part("acquisition").LogExpectedImprovement(model, best_f=y.max())
    u = _maximum(acquisition, X.shape[1])
    runs.make(u, runs.levels[0])
    runs.recommend_best()


def _knowledge_gradient(runs: _Runs) -> None:
    """QMFKG per cost; recommended is the best posterior mean at the highest fidelity."""
    model, d = _multi_fidelity(runs), len(runs.X[0])
    u, best = _best_mean(model, d)
    runs.recommend(u)
    acquisition = _part("acquisition.knowledge_gradient").qMultiFidelityKnowledgeGradient(
        model=model,
        num_fantasies=_FANTASIES,
        current_value=_tensor(np.array(best)),
        cost_aware_utility=_utility(runs),
        project=_projection(d),
    )
    _take_best(runs, acquisition, _FEW_RESTARTS)
    runs.recommend(_best_mean(_multi_fidelity(runs), d)[0])


def _entropy(runs: _Runs) -> None:
    """MF-MES per cost."""
    d = len(runs.X[0])
    points = qmc.Sobol(d, rng=runs.task.seed).random(_CANDIDATES)
    candidates = _tensor(np.column_stack([points, np.ones(len(points))]))
    acquisition = _part("acquisition.max_value_entropy_search").qMultiFidelityMaxValueEntropy(
        model=_multi_fidelity(runs),
        candidate_set=candidates,
        cost_aware_utility=_utility(runs),
        project=_projection(d),
    )
    _take_best(runs, acquisition)
    runs.recommend_best()


def _weighted_improvement(runs: _Runs) -> None:
    """EI at the highest fidelity, times its correlation with a source, over the source's cost."""
    top = max(runs.levels)
    values = [y for y, level in zip(runs.y, runs.levels, strict=True) if level == top]
    model = _multi_fidelity(runs, linear_truncated=False)
    _take_best(runs, _weighted(model, max(values), _costs(runs)))
    runs.recommend_best()


_STEPS: dict[str, Callable[[_Runs], None]] = {
    "botorch-mfkg": _knowledge_gradient,
    "botorch-mfmes": _entropy,
    "chem-mfei": _weighted_improvement,
}


def _weighted(model: Any, best: float, costs: Callable[[Any], Any]) -> Any:
    """The acquisition function of chem-MFBO as BoTorch wants it."""
    import torch

    improvement: Any = _part("acquisition").ExpectedImprovement

    class Weighted(improvement):  # type: ignore[misc]
        """EI times correlation over cost."""

        def forward(self, X: Any) -> Any:
            high = X.clone()
            high[..., -1] = 1.0
            both = self.model.posterior(torch.cat([X, high], dim=-2))
            cov = both.mvn.covariance_matrix.detach()
            scale = (cov[..., 0, 0] * cov[..., 1, 1]).clamp_min(1e-300).sqrt()
            return super().forward(high) * (cov[..., 0, 1] / scale) / costs(X)[..., 0, 0]

    return Weighted(model, best_f=best)


def _multi_fidelity(runs: _Runs, **options: Any) -> Any:
    """BoTorch's multi-fidelity GP of all runs."""
    levels = _level_values(runs.task)[runs.levels]
    X = _tensor(np.column_stack([np.array(runs.X), levels]))
    y = _tensor(np.array(runs.y))[:, None]
    return _fitted(
        _part("models").SingleTaskMultiFidelityGP(X, y, data_fidelities=[X.shape[1] - 1], **options)
    )


def _level_values(task: Task) -> Array:
    """Value of the fidelity's column for each source."""
    return np.linspace(_LOWEST, 1.0, len(task.problem.costs))


def _fitted(model: Any) -> Any:
    likelihood = import_extra("gpytorch.mlls", "botorch", "this strategy")
    _part("fit").fit_gpytorch_mll(likelihood.ExactMarginalLogLikelihood(model.likelihood, model))
    return model


def _best_mean(model: Any, d: int) -> tuple[Array, float]:
    """The point of the best posterior mean at the highest fidelity, and that mean."""
    fixed = _part("acquisition.fixed_feature").FixedFeatureAcquisitionFunction
    mean = fixed(_part("acquisition").PosteriorMean(model), d + 1, [d], [1.0])
    u = _maximum(mean, d)
    return u, float(mean(_tensor(u)[None, None]))


def _maximum(acquisition: Any, d: int) -> Array:
    """The best point of the unit cube."""
    bounds = _tensor(np.array([[0.0] * d, [1.0] * d]))
    point, _ = _part("optim").optimize_acqf(
        acquisition,
        bounds,
        q=1,
        num_restarts=_RESTARTS,
        raw_samples=_SCREENED,
        options={"batch_limit": _RESTARTS, "maxiter": _ITERATIONS},
    )
    found: Array = point[0].detach().numpy()
    return found


def _take_best(runs: _Runs, acquisition: Any, restarts: int = _RESTARTS) -> None:
    """Make the run, at any source, that an acquisition function wants most."""
    d, values = len(runs.X[0]), _level_values(runs.task)
    point, _ = _part("optim").optimize_acqf_mixed(
        acquisition,
        _tensor(np.array([[0.0] * (d + 1), [1.0] * (d + 1)])),
        q=1,
        fixed_features_list=[{d: float(value)} for value in values],
        num_restarts=restarts,
        raw_samples=_SCREENED,
        options={"batch_limit": restarts, "maxiter": _ITERATIONS},
    )
    found = point[0].detach().numpy()
    runs.make(found[:d], int(np.argmin(np.abs(values - found[d]))))


def _costs(runs: _Runs) -> Callable[[Any], Any]:
    """Costs of runs by the last column of their inputs."""
    import torch

    values = _tensor(_level_values(runs.task))
    costs = _tensor(np.array(list(runs.task.problem.costs.values())))

    def cost(X: Any) -> Any:
        nearest = (X[..., -1:].unsqueeze(-1) - values).abs().argmin(dim=-1)
        return costs[nearest] + torch.zeros_like(X[..., -1:])

    return cost


def _utility(runs: _Runs) -> Any:
    """Information per cost."""
    model = _part("models.deterministic").GenericDeterministicModel(_costs(runs))
    return _part("acquisition.cost_aware").InverseCostWeightedUtility(cost_model=model)


def _projection(d: int) -> Callable[[Any], Any]:
    """The same inputs at the highest fidelity."""
    project = _part("acquisition.utils").project_to_target_fidelity
    return partial(project, target_fidelities={d: 1.0}, d=d + 1)


def _tensor(values: Array) -> Any:
    import torch

    return torch.as_tensor(np.ascontiguousarray(values), dtype=torch.float64)
