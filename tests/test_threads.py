from __future__ import annotations

import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from mastgp.gp import blas_threads
from mastgp.threads import ALL_CORES_FROM, one_openmp_thread


def threads() -> list[int]:
    return [pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"]


@pytest.fixture(autouse=True)
def two_threads():
    """BLAS with two threads, whatever the machine has."""
    with threadpool_limits(2, user_api="blas"):
        yield


def test_threads_are_given_back_when_users_overlap():
    before = threads()
    first, second = blas_threads(5), blas_threads(5)
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    inside = threads()
    second.__exit__(None, None, None)
    assert set(inside) == {1}
    assert set(before) == {2}
    assert threads() == before


def test_threads_are_given_back_after_an_error():
    with pytest.raises(KeyError), blas_threads(5):
        raise KeyError
    assert set(threads()) == {2}


def test_many_points_keep_all_cores():
    with blas_threads(ALL_CORES_FROM):
        assert set(threads()) == {2}
    with blas_threads(ALL_CORES_FROM - 1):
        assert set(threads()) == {1}


def test_openmp_has_one_thread_for_a_while():
    import sklearn.ensemble  # noqa: F401 (brings OpenMP)

    def openmp() -> set[int]:
        return {p["num_threads"] for p in threadpool_info() if p["user_api"] == "openmp"}

    with threadpool_limits(2, user_api="openmp"):
        with one_openmp_thread():
            assert openmp() == {1}
        assert openmp() == {2}
