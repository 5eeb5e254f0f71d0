"""Tasks that workers of a cluster do."""

from __future__ import annotations

import pytest

from mastgp import DataError
from mastgp.clusters import client, in_use, mapped, scheduler
from mastgp.errors import FileError

distributed = pytest.importorskip("distributed")


def powered(base, exponent):
    return base**exponent


def broken(_, item):
    if item == 3:
        raise DataError(f"row {item} of a.csv is broken")
    if item == 5:
        raise FileError("there is no file b.csv")
    return item


def test_a_scheduler_that_does_not_answer_is_named():
    with pytest.raises(DataError, match="no Dask scheduler answers at no-scheme://nowhere"):
        client("no-scheme://nowhere")


def test_without_a_scheduler_tasks_are_done_here_one_by_one():
    with scheduler(None):
        assert not in_use()
        assert list(mapped(powered, [1, 2, 3], 2, "powers")) == [2, 4, 8]


@pytest.mark.filterwarnings("ignore")  # of the cluster
def test_with_one_the_results_come_in_order_and_errors_as_they_are():
    with (
        distributed.LocalCluster(
            n_workers=1, threads_per_worker=2, processes=False, dashboard_address=None
        ) as cluster,
        scheduler(cluster.scheduler_address),
    ):
        assert in_use()
        assert list(mapped(powered, range(20), 2, "powers")) == [2**i for i in range(20)]
        with pytest.raises(DataError, match=r"row 3 of a.csv is broken"):
            list(mapped(broken, range(5), None, "files read"))
        with pytest.raises(FileError, match=r"no file b.csv \(said a worker of the cluster"):
            list(mapped(broken, [4, 5], None, "files read"))
    assert not in_use()
