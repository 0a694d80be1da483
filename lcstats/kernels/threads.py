"""Parts of a kernel's work, done here or by several threads."""

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

Part = TypeVar("Part")


def do_parts(work: Callable[[Part], None], parts: Iterable[Part], *, n_threads: int) -> None:
    """Do every part; kernels let go of the interpreter, and write to places of their own.

    Examples
    --------
    >>> done = []
    >>> do_parts(done.append, range(3), n_threads=1)
    >>> done
    [0, 1, 2]
    """
    if n_threads == 1:
        for part in parts:
            work(part)
        return
    with ThreadPoolExecutor(n_threads) as pool:
        list(pool.map(work, parts))
