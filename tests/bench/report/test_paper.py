from __future__ import annotations

import pytest

from mastgp.bench.report.paper import paper_value


@pytest.mark.parametrize(
    ("key", "mean"),
    [
        (("two-fidelity", "branin", "mast", "", "rmse"), 1.19),
        (("three-fidelity", "hoip", "mast", "", "mean_pdf"), 1.12),
        (("ablation-weight", "borehole", "mast", "W9", "rmse"), 1.662),
        (("collocated", "drivaernet", "mast", "", "rmse"), 1.01),
        (("sweep-ratio", "branin", "mast", "0.5", "rmse"), None),
        (("two-fidelity", "branin", "auto", "", "rmse"), None),
        (("ablation-weight", "borehole", "ar1", "W9", "rmse"), None),
    ],
)
def test_values_of_the_paper(key, mean):
    assert paper_value(*key)[0] == mean


def test_standard_deviation_of_the_paper():
    assert paper_value("two-fidelity", "branin", "mast", "", "rmse")[1] == 0.4
