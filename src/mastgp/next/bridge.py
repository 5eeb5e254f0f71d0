"""The bridge to BoTorch: a fitted model as one of its models, fidelity in the last column.

The posterior is normal, with the mean and the joint covariance of all draws and members, by which
they disagree included. It can be conditioned on further observations exactly, so that fantasies
and knowledge gradients work.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from ..errors import DataError
from ..estimators import check_is_fitted
from ..libraries import import_extra
from .beliefs import MOST_PROCESSES, Belief
from .tensors import Tensor, TorchProcess, import_torch, tensor_mean

#: What is added to the diagonal of covariances, as a share of their mean: rounding.
_JITTER = 1e-9
#: Shares are kept above this, so that they can be divided by.
_TINY = 1e-6


def as_model(model: Any, most: int = MOST_PROCESSES) -> Any:
    """Make a BoTorch model of a fitted one.

    Its inputs are those of the model, in the user's units, and then the number of the fidelity:
    0 for the cheapest, counted upwards. Categorical inputs are the numbers of their levels. Use
    ``fixed_features`` for these columns in ``optimize_acqf``. The attribute ``bounds`` has the
    box of the data, of shape (2, d + 1), and ``target_fidelity`` the number of the most expensive
    fidelity.

    Parameters
    ----------
    model : fitted estimator
    most : int
        Draws that stand for all. More take longer.

    Returns
    -------
    botorch.models.model.Model
        With ``posterior``, ``fantasize`` and ``condition_on_observations``.

    Examples
    --------
    >>> import numpy as np, mastgp
    >>> from mastgp.botorch import as_model
    >>> x = np.linspace(0, 1, 9)[:, None]
    >>> model = mastgp.fit({"runs": (x, np.sin(6 * x[:, 0]))}, method="hf-only")
    >>> import torch
    >>> bridge = as_model(model)
    >>> bridge.posterior(torch.tensor([[0.5, 0.0]], dtype=torch.double)).mean.shape
    torch.Size([1, 1])
    """
    check_is_fitted(model)
    import_torch()
    import_extra("botorch", "botorch")
    return _bridge_class()(Joint(Belief(model, most)))


class Joint:
    """The joint mean and covariance of a belief, as functions of tensors.

    Parameters
    ----------
    belief : Belief
    """

    def __init__(self, belief: Belief) -> None:
        torch = import_torch()
        self.belief = belief
        box = belief.data.box
        self._low = torch.as_tensor(box.low)
        self._widths = torch.as_tensor(box.widths)
        self._varies = torch.as_tensor(box.varies)
        self._processes = [
            TorchProcess(part, belief.groups[k].tolist(), belief.noises[k])
            for k, part in enumerate(belief.processes)
        ]
        self.bounds = torch.as_tensor(
            np.vstack([np.append(box.low, 0.0), np.append(box.high, float(belief.top))])
        )

    def moments(self, X: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Mean (..., n), covariance (..., n, n) and noise variance (..., n) of the response."""
        torch = import_torch()
        belief = self.belief
        levels = X[..., -1].detach().round().long().clamp(0, belief.top)
        U = (X[..., :-1] - self._low) / self._widths
        U = torch.where(self._varies, U, torch.full_like(U, 0.5))
        found = [process.joint(U, levels) for process in self._processes]
        at_top = (levels == belief.top).to(U)
        others = [(at_top * tensor_mean(p.estimator, U), at_top) for p in belief.predictors]
        means = [(one[0], one[3]) for one in found] + others
        weights = torch.as_tensor(np.append(belief.shares, belief.other_shares))
        known = _weighted(weights, torch.stack([modelled for _, modelled in means]))
        mean = _weighted(weights, torch.stack([own for own, _ in means])) / known.clamp(min=_TINY)
        shares = torch.as_tensor(belief.shares / belief.shares.sum())
        joint = _weighted(shares, torch.stack([one[3] for one in found])).clamp(min=_TINY)
        within = _weighted(shares, torch.stack([one[1] for one in found]))
        between = _disagreement(weights, means, mean)
        noise = _weighted(shares, torch.stack([one[2] for one in found])) / joint
        # Processes that do not model a fidelity say nothing of its variance: it is the others'.
        unknown = _diagonal(within) * (1.0 / joint - 1.0)
        unknown = unknown + _diagonal(between) * (1.0 / known.clamp(min=_TINY) - 1.0)
        cov = within + between + torch.diag_embed(unknown)
        return mean, belief.widening**2 * cov, belief.widening**2 * noise


def _disagreement(weights: Tensor, means: list[tuple[Tensor, Tensor]], mean: Tensor) -> Tensor:
    """Covariance of the means of all processes and members."""
    total = 0.0
    for share, (own, modelled) in zip(weights, means, strict=True):
        away = modelled * (own - mean)
        total = total + share * away[..., :, None] * away[..., None, :]
    return total


def _diagonal(matrices: Tensor) -> Tensor:
    return import_torch().diagonal(matrices, dim1=-2, dim2=-1)


def _weighted(weights: Tensor, values: Tensor) -> Tensor:
    """Sum over the first dimension with weights."""
    return (weights.reshape(-1, *[1] * (values.dim() - 1)) * values).sum(0)


@cache
def _bridge_class() -> Any:
    """The class of BoTorch models, which needs BoTorch to be imported."""
    import torch
    from botorch.models.model import FantasizeMixin, Model
    from botorch.posteriors.gpytorch import GPyTorchPosterior
    from gpytorch.distributions import MultivariateNormal
    from gpytorch.likelihoods import GaussianLikelihood

    class Bridge(Model, FantasizeMixin):
        """A fitted model of this package as one of BoTorch, perhaps given more observations."""

        def __init__(self, joint: Joint, given: tuple[Any, Any, Any] | None = None) -> None:
            super().__init__()
            self._joint, self._given = joint, given
            self.bounds = joint.bounds
            self.target_fidelity = joint.belief.top
            self.likelihood = GaussianLikelihood()
            data = joint.belief.data
            rows = [
                np.column_stack([f.X, np.full(len(f.y), float(level))])
                for level, f in enumerate(data.fidelities)
            ]
            self.train_inputs = (torch.as_tensor(np.vstack(rows)),)
            y = np.concatenate([f.y for f in data.fidelities])
            self.train_targets = torch.as_tensor(y)

        @property
        def num_outputs(self) -> int:
            """One response."""
            return 1

        @property
        def batch_shape(self) -> Any:
            """Of what it was conditioned on."""
            return torch.Size() if self._given is None else self._given[1].shape[:-1]

        def transform_inputs(self, X: Any, input_transform: Any = None) -> Any:
            """Inputs are in the user's units already."""
            return X

        def posterior(  # type: ignore[override, unused-ignore]
            self,
            X: Any,
            output_indices: Any = None,
            observation_noise: Any = False,
            posterior_transform: Any = None,
            **kwargs: Any,
        ) -> Any:
            """Joint posterior at points of shape (..., q, d + 1)."""
            _check_columns(X, self.bounds.shape[1])
            mean, cov, noise = self._moments(X.double())
            if isinstance(observation_noise, torch.Tensor):
                cov = cov + torch.diag_embed(observation_noise[..., 0].expand(mean.shape))
            elif observation_noise:
                cov = cov + torch.diag_embed(noise.expand(mean.shape))
            found = GPyTorchPosterior(MultivariateNormal(mean, _steadied(cov)))
            return found if posterior_transform is None else posterior_transform(found)

        def _moments(self, X: Any) -> tuple[Any, Any, Any]:
            """Mean, covariance and noise, given what it was conditioned on."""
            if self._given is None:
                return self._joint.moments(X)
            Z, Y, known = self._given
            batch = _batch(Z, X)
            together = [part.expand(*batch, *part.shape[-2:]) for part in (Z, X)]
            mean, cov, noise = self._joint.moments(torch.cat(together, dim=-2))
            n = Z.shape[-2]
            seen = noise[..., :n] if known is None else known
            K = _steadied(cov[..., :n, :n] + torch.diag_embed(seen.expand(*batch, n)))
            L = torch.linalg.cholesky(K)
            solved = torch.linalg.solve_triangular(L, cov[..., :n, n:], upper=False)
            away = (Y - mean[..., :n])[..., None]
            step = torch.linalg.solve_triangular(L, away, upper=False)
            moved = (solved.transpose(-1, -2) @ step)[..., 0]
            left = cov[..., n:, n:] - solved.transpose(-1, -2) @ solved
            return mean[..., n:] + moved, left, noise[..., n:]

        def condition_on_observations(
            self, X: Any, Y: Any, noise: Any = None, **kwargs: Any
        ) -> Any:
            """The same model, given further observations.

            Parameters
            ----------
            X : tensor of shape (..., n, d + 1)
            Y : tensor of shape (..., n, 1)
                Perhaps with more batches than X, such as fantasies.
            noise : tensor of shape (..., n, 1), optional
                Their noise variances.
            """
            Y = Y[..., 0]
            X = X.expand(*Y.shape, X.shape[-1])
            known = None if noise is None else noise[..., 0].expand(Y.shape)
            if self._given is not None:
                Z, before, old = self._given
                batch = _batch(Z, X)
                X = torch.cat(
                    [Z.expand(*batch, *Z.shape[-2:]), X.expand(*batch, *X.shape[-2:])], -2
                )
                Y = torch.cat([before.expand(*batch, -1), Y.expand(*batch, -1)], -1)
                known = _joined_noise(self._joint, X, old, known)
            return Bridge(self._joint, (X, Y, known))

    return Bridge


def _joined_noise(joint: Joint, X: Tensor, old: Tensor | None, new: Tensor | None) -> Tensor | None:
    """Known noise of earlier and later observations; the model's where it is not known."""
    if old is None and new is None:
        return None
    torch = import_torch()
    own = joint.moments(X)[2]
    n_new = X.shape[-2] - old.shape[-1] if old is not None else new.shape[-1]  # type: ignore[union-attr]
    parts = own[..., : X.shape[-2] - n_new], own[..., X.shape[-2] - n_new :]
    chosen = [
        part if known is None else known.expand(part.shape)
        for part, known in zip(parts, (old, new), strict=True)
    ]
    return torch.cat(chosen, dim=-1)


def _batch(Z: Tensor, X: Tensor) -> Any:
    """Common batch shape of two sets of points."""
    shapes: Any = import_torch().broadcast_shapes
    return shapes(Z.shape[:-2], X.shape[:-2])


def _steadied(cov: Tensor) -> Tensor:
    """A symmetric covariance with a diagonal that rounding cannot make negative."""
    torch = import_torch()
    cov = 0.5 * (cov + cov.transpose(-1, -2))
    diagonal = _diagonal(cov)
    extra = (_JITTER * diagonal.detach().abs().mean(-1, keepdim=True)).expand(diagonal.shape)
    return cov + torch.diag_embed(extra + (-diagonal.detach()).clamp(min=0.0))


def _check_columns(X: Tensor, n: int) -> None:
    if X.shape[-1] != n:
        raise DataError(
            f"points have {X.shape[-1]} columns; expected the {n - 1} inputs and the number of the "
            "fidelity"
        )
