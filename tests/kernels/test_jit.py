"""Compilation without a writable cache folder."""

import numba
import pytest

from lcstats.kernels import jit


@pytest.mark.parametrize("decorate", [jit.njit, jit.njit_fused])
def test_without_a_cache_folder_it_compiles_in_memory(monkeypatch, decorate):
    asked = []

    def njit_without_cache(**options):
        asked.append(options)
        if options.get("cache"):
            raise RuntimeError("cannot cache function: no locator available")
        return numba.njit(**options)

    monkeypatch.setattr(jit, "_numba_njit", njit_without_cache)

    def add(x, y):
        return x + y

    assert decorate(add)(2, 3) == 5
    assert [options.get("cache", False) for options in asked] == [True, False]


def test_division_by_zero_follows_numpy():
    @jit.njit
    def divide(x, y):
        return x / y

    assert divide(1.0, 0.0) == float("inf")
