"""What a measurement is, how it is taken, and the machine it was taken on."""

import os
import platform
import subprocess
import sys
import time
import timeit
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from importlib.metadata import version

import numpy as np

LIBRARIES = ("numpy", "scipy", "numba", "pandas", "matplotlib", "click")


@dataclass(frozen=True, slots=True)
class Measurement:
    """One line of a table.

    Attributes
    ----------
    subject : str
        What was run.
    value : str
        What was measured, with its unit.
    beside : str
        What a user would otherwise run, or what else one should know.
    target : str
        Empty where there is none.
    is_met : bool
        True where there is no target.
    """

    subject: str
    value: str
    beside: str
    target: str = ""
    is_met: bool = True


def best_seconds(
    function: Callable[[], object],
    *,
    number: int = 1,
    repeats: int = 5,
    timer: Callable[[], float] = time.perf_counter,
) -> float:
    """Return the smallest mean time of a call, warm: other work on the machine only adds.

    Calls of one thread that take very different times are best compared with
    ``timer=time.process_time``: on a busy machine a long call never runs undisturbed.
    """
    function()
    return min(timeit.repeat(function, number=number, repeat=repeats, timer=timer)) / number


@dataclass(frozen=True, slots=True)
class Race:
    """Smallest times of two calls that took turns, so that both met the same machine.

    Attributes
    ----------
    wall, processor : tuple of float
        Seconds of the first and of the second call: on the clock, and of all threads together.
    """

    wall: tuple[float, float]
    processor: tuple[float, float]

    @property
    def ratio(self) -> float:
        """How many times as much processor time the first takes: other work does not change it."""
        return self.processor[0] / self.processor[1]


def race(ours: Callable[[], object], theirs: Callable[[], object], *, repeats: int) -> Race:
    """Time two calls in turns, after one call of each that is not counted."""
    times = np.empty((repeats + 1, 2, 2))
    for turn in times:
        for call, taken in zip((ours, theirs), turn, strict=True):
            before = time.perf_counter(), time.process_time()
            call()
            taken[:] = np.subtract((time.perf_counter(), time.process_time()), before)
    best = times[1:].min(axis=0)
    return Race(tuple(best[:, 0].tolist()), tuple(best[:, 1].tolist()))


def best_process_seconds(code: str, arguments: Sequence[str] = (), *, repeats: int = 7) -> float:
    """Return the smallest time of a whole Python process, from start to exit."""
    command = [sys.executable, "-c", code, *arguments]

    def run() -> None:
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    return best_seconds(run, repeats=repeats)


def show_seconds(seconds: float) -> str:
    """Write a time with a unit that suits it."""
    for unit, factor in (("s", 1.0), ("ms", 1e3)):
        if seconds * factor >= 1:
            return f"{seconds * factor:.3g} {unit}"
    return f"{seconds * 1e6:.3g} \u00b5s"


def describe_machine() -> str:
    libraries = ", ".join(f"{name} {version(name)}" for name in LIBRARIES)
    return (
        f"{os.cpu_count()} cores, {platform.machine()}, {platform.system()}; "
        f"{platform.python_implementation()} {platform.python_version()}, {libraries}"
    )


def describe_load() -> str:
    """Say what else ran: how many processes wanted a core, on average over a quarter of an hour."""
    if not hasattr(os, "getloadavg"):
        return ""
    return (
        f"Other work ran beside it: {os.getloadavg()[2]:.1f} processes wanted one of "
        f"{os.cpu_count()} cores (load average of 15 minutes, this run included)."
    )


def make_table(measurements: Iterable[Measurement]) -> str:
    """Return measurements as a Markdown table."""
    lines = ["| what | measured | beside | target |", "| --- | --- | --- | --- |"]
    for m in measurements:
        target = m.target if m.is_met else f"{m.target}: **missed**"
        lines.append(f"| {m.subject} | {m.value} | {m.beside} | {target} |")
    return "\n".join(lines)
