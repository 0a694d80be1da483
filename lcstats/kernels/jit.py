"""``njit`` that caches its machine code where it can and still works where it cannot.

With no writable cache folder numba raises as soon as a cached function is declared, so a
read-only installation without a writable home would not even import. The decorator here falls
back to compiling in memory. Threads that wait for work must sleep, not spin.
"""

import os
from collections.abc import Callable
from typing import Any, TypeVar

os.environ.setdefault("OMP_WAIT_POLICY", "passive")

from numba import njit as _numba_njit

Compilable = TypeVar("Compilable", bound=Callable[..., Any])


def njit(function: Compilable) -> Compilable:
    """Compile `function` without the interpreter lock, cached on disk where that is possible."""
    try:
        compiled: Compilable = _numba_njit(cache=True, nogil=True)(function)
    except RuntimeError:
        compiled = _numba_njit(nogil=True)(function)
    return compiled
