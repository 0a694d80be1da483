"""Trials and counts simulated from a truth."""

from typing import Any

import numpy as np
import pandas as pd
from numpy.random import Generator, Philox
from numpy.typing import ArrayLike, NDArray

from lcstats.cells import Cells
from lcstats.curve import FloatArray, check_depths, check_lengths
from lcstats.errors import OptionError, describe
from lcstats.trials import TableOptions, Trials
from lcstats.truths.registry import get_truth
from lcstats.truths.truth import Truth

SIMULATED = TableOptions(depth_unit="fraction", score_scale="0-1")
"""What a simulated table is, so that nothing is inferred from the values that came up."""


def simulate_trials(
    truth: Truth | str,
    lengths: ArrayLike,
    depths: ArrayLike,
    *,
    n_trials: int,
    seed: int,
    model: str = "simulated",
) -> Trials:
    """Simulate a table of trials, each its own case, all of them scored 0 or 1.

    Parameters
    ----------
    truth : Truth or str
        A truth, or the name of a built-in one; its name becomes the task.
    lengths : array_like of int, shape (n_lengths,)
        Tokens, ascending.
    depths : array_like of float, shape (n_depths,)
        Fractions in [0, 1], ascending; NaN, last, for trials without a depth.
    n_trials : int
        Trials per cell, at least 1.
    seed : int
        Equal seeds give byte-identical tables. With the same seed more trials per cell continue
        the fewer, and another truth meets the same luck, so that cases of two truths are paired.
    model : str
        Name of the simulated language model.

    Returns
    -------
    Trials
        Ordered by length, depth and case; cases are numbered from 1 in each cell. A shared
        haystack names its trials in ``cluster``.

    Raises
    ------
    OptionError
        If there is no truth of that name, or lengths, depths, n_trials or seed cannot be used.

    Examples
    --------
    >>> trials = simulate_trials("two-hop", [4096, 8192], [0.0, 0.5, 1.0], n_trials=5, seed=1)
    >>> trials.n_trials
    30
    """
    _check_count("n_trials", n_trials, smallest=1)
    _check_count("seed", seed, smallest=0)
    length, depth = check_axes(lengths, depths)
    followed = _as_truth(truth)
    outcomes = _draw_outcomes(followed, length, depth, n_trials, Generator(Philox(seed)))
    frame = _trial_frame(outcomes, length, depth)
    if followed.haystack is not None:
        frame["cluster"] = frame["length"].astype(str) + "-" + frame["case"]
    return Trials.from_frame(frame.assign(model=model, task=followed.name), SIMULATED)


def simulate_cells(
    truth: Truth | str,
    lengths: ArrayLike,
    depths: ArrayLike,
    *,
    n_cases: int | NDArray[np.int64],
    rng: Generator,
) -> Cells:
    """Simulate counts per cell without a table of trials: the fast way, for many simulations.

    Parameters
    ----------
    truth : Truth or str
        A truth, or the name of a built-in one; its name becomes the task.
    lengths : array_like of int, shape (n_lengths,)
        Tokens, ascending.
    depths : array_like of float, shape (n_depths,)
        Fractions in [0, 1], ascending; NaN, last, for trials without a depth.
    n_cases : int or ndarray of int, shape (n_lengths, n_depths)
        Cases per cell.
    rng : numpy.random.Generator
        Advanced by the draw.

    Returns
    -------
    Cells
        Counts only: what haystacks share is in the counts, but nothing says so.

    Raises
    ------
    OptionError
        If there is no truth of that name, or lengths, depths or n_cases cannot be used.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> cells = simulate_cells("two-hop", [4096, 8192], [0.0, 1.0], n_cases=20, rng=rng)
    >>> cells.grid.successes.shape
    (2, 2)
    """
    length, depth = check_axes(lengths, depths)
    cases = _check_cases(n_cases, (length.size, depth.size))
    followed = _as_truth(truth)
    return Cells.from_counts(
        length.astype(np.int64),
        depth,
        n_cases=cases,
        successes=_draw_counts(followed, length, depth, cases, rng),
        model="simulated",
        task=followed.name,
    )


def _as_truth(truth: Truth | str) -> Truth:
    return get_truth(truth) if isinstance(truth, str) else truth


def _draw_counts(
    truth: Truth, length: FloatArray, depth: FloatArray, cases: NDArray[np.int64], rng: Generator
) -> NDArray[np.int64]:
    if truth.haystack is None:
        return rng.binomial(cases, truth.drawn(length, depth, rng).accuracy(length, depth))
    accuracies = truth.haystack.draw(length, depth, int(cases.max()), rng)
    asked = np.arange(len(accuracies))[:, None, None] < cases
    return np.asarray(((rng.random(accuracies.shape) < accuracies) & asked).sum(axis=0))


def _draw_outcomes(
    truth: Truth, length: FloatArray, depth: FloatArray, n_trials: int, rng: Generator
) -> NDArray[np.bool_]:
    """Right or wrong, shape (n_trials, n_lengths, n_depths).

    The truth's own draws and the trials have a stream each, both in order of the trial's number,
    so that more trials continue the fewer.
    """
    truth_rng, trial_rng = rng.spawn(2)
    if truth.haystack is None:
        accuracy = truth.drawn(length, depth, truth_rng).accuracy(length, depth)
    else:
        accuracy = truth.haystack.draw(length, depth, n_trials, truth_rng)
    outcomes: NDArray[np.bool_] = trial_rng.random((n_trials, length.size, depth.size)) < accuracy
    return outcomes


def _trial_frame(
    outcomes: NDArray[np.bool_], length: FloatArray, depth: FloatArray
) -> pd.DataFrame:
    n_trials, n_lengths, n_depths = outcomes.shape
    case = np.array([str(number) for number in range(1, n_trials + 1)], dtype=object)
    return pd.DataFrame(
        {
            "case": np.tile(case, n_lengths * n_depths),
            "length": np.repeat(length.astype(np.int64), n_depths * n_trials),
            "depth": np.tile(np.repeat(depth, n_trials), n_lengths),
            "score": outcomes.transpose(1, 2, 0).ravel().astype(np.float64),
            "status": "ok",
        }
    )


def check_axes(lengths: ArrayLike, depths: ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Return the lengths and depths of a design as float64, if they are whole and ascending.

    Raises
    ------
    OptionError
        If there is none of one of them, or they cannot be lengths or depths in order.

    Examples
    --------
    >>> check_axes([4096, 8192], [0, 1])
    (array([4096., 8192.]), array([0., 1.]))
    """
    length, depth = check_lengths(lengths), check_depths(depths)
    if not (_ascends(length) and _ascends(depth) and np.all(length == np.rint(length))):
        raise OptionError(
            describe(
                f"lengths are {length.tolist()} and depths {depth.tolist()}",
                "expected whole lengths and depths, at least one of each, both ascending",
                "sort them and leave out repeated values",
            )
        )
    return length, depth


def _ascends(values: FloatArray) -> bool:
    """Not empty, ascending without repeats, NaN at most once and last."""
    rises = (values[:-1] < values[1:]) | np.isnan(values[1:])
    return values.size > 0 and bool(rises.all()) and int(np.isnan(values).sum()) <= 1


def _check_count(name: str, value: Any, *, smallest: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < smallest:
        raise OptionError(
            describe(
                f"{name} is {value!r}",
                f"expected a whole number, {smallest} or more",
                f"pass {name}=20, say",
            )
        )


def _check_cases(n_cases: int | NDArray[np.int64], shape: tuple[int, int]) -> NDArray[np.int64]:
    cases = np.asarray(n_cases)
    if cases.shape not in ((), shape) or cases.dtype.kind not in "iu" or np.any(cases < 0):
        raise OptionError(
            describe(
                f"n_cases has shape {cases.shape}, type {cases.dtype}",
                f"expected whole numbers, 0 or more, one for each of {shape[0]} x {shape[1]} cells",
                "pass one number for all cells or an array of that shape",
            )
        )
    return np.broadcast_to(cases.astype(np.int64), shape)
