"""``njit`` that caches its machine code where it can and still works where it cannot.

With no writable cache folder numba raises as soon as a cached function is declared, so a
read-only installation without a writable home would not even import. The decorators here fall
back to compiling in memory. Threads that wait for work must sleep, not spin.
"""

import os
from collections.abc import Callable
from typing import Any, TypeVar, cast

os.environ.setdefault("OMP_WAIT_POLICY", "passive")

from numba import njit as _numba_njit

Compilable = TypeVar("Compilable", bound=Callable[..., Any])


def njit(function: Compilable) -> Compilable:
    """Compile `function` without the interpreter lock, cached on disk where that is possible.

    Division follows numpy (x / 0 is inf): Python's check would keep loops from being vectorised.
    """
    return _compile(function)


def njit_fused(function: Compilable) -> Compilable:
    """Compile as :func:`njit` does, and let a product and a sum become one instruction.

    Nothing else is relaxed: sums keep their order, NaN and infinity their meaning.
    """
    return _compile(function, fastmath={"contract"})


def _compile(function: Compilable, **options: Any) -> Compilable:
    options = {"nogil": True, "error_model": "numpy", **options}
    try:
        compiled = _numba_njit(cache=True, **options)(function)
    except RuntimeError:
        compiled = _numba_njit(**options)(function)
    return cast("Compilable", compiled)
