from __future__ import annotations

import numpy as np

from mastgp.models import SingleFidelity
from mastgp.models.targets import models_of


def test_a_model_of_one_target_is_its_own():
    x = np.linspace(0, 1, 6)[:, None]
    model = SingleFidelity().fit(x, x[:, 0])
    assert models_of(model) == {"target": model}
