"""Exact bootstrap laws when cases are worth fractions: graded scores, folded repeats.

The sum of n cases drawn from a cell's own is the n-fold convolution of their distribution.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from math import prod

import numpy as np
from numpy.typing import NDArray
from scipy.fft import irfft, next_fast_len, rfft

from lcstats.cells import CellGrid
from lcstats.kernels.binomial import at_most_failing
from lcstats.lengths.criterion import Treatment
from lcstats.lengths.laws import RowLaw, lattice
from lcstats.lengths.window_laws import no_window_fails, reach_of_points, stack_laws
from lcstats.lengths.windows import stretches


@dataclass(frozen=True, slots=True)
class _Run:
    """Adjacent cells: P(a cell loses so many units), shape (n_cells, size), and units to lose."""

    lost: NDArray[np.float64]
    n_units: NDArray[np.int64]


def row_laws_of_cases(grid: CellGrid, treatment: Treatment) -> list[RowLaw]:
    """Return the bootstrap law of every length's accuracy from the cases themselves."""
    if treatment.is_window:
        return _window_laws(grid, treatment.width)
    sums = _cell_sum_laws(grid)
    n_depths = grid.depths.size
    steps, scales = lattice(grid.n_cases, treatment, grid.member_codes)
    return [
        _row_law(
            [sums[i * n_depths + j] for j in np.flatnonzero(step).tolist()],
            step[step > 0],
            int(scale) * grid.unit,
            treatment,
        )
        for i, (step, scale) in enumerate(zip(steps, scales, strict=True))
    ]


def passing_windows_of_cases(grid: CellGrid, tau: Fraction, width: int) -> NDArray[np.float64]:
    """P(every window of a length reaches `tau`) when cases are drawn again, shape (n_lengths,)."""
    return np.array([_passing(row, width, tau) for row in _runs_of_cases(grid, width)])


def _passing(runs: list[_Run], width: int, tau: Fraction) -> float:
    return prod(no_window_fails(run.lost, run.n_units, tau, width) for run in runs)


def _runs_of_cases(grid: CellGrid, width: int) -> list[list[_Run]]:
    """Return the runs of adjacent depths of every length, with what drawn cases may lose."""
    sums = _cell_sum_laws(grid)
    rows = []
    for i, n_cases in enumerate(grid.n_cases):
        runs = stretches(n_cases > 0, grid.member_codes, width)
        laws = ([sums[i * grid.depths.size + j][::-1] for j in run.tolist()] for run in runs)
        units = (n_cases[run] * grid.unit for run in runs)
        rows.append([_Run(stack_laws(lost), n) for lost, n in zip(laws, units, strict=True)])
    return rows


def _window_laws(grid: CellGrid, width: int) -> list[RowLaw]:
    _, scales = lattice(grid.n_cases, Treatment("window", width=width))
    laws = []
    for row, scale in zip(_runs_of_cases(grid, width), (scales * grid.unit).tolist(), strict=True):
        reach = reach_of_points(partial(_passing, row, width), scale)
        laws.append(RowLaw(-np.diff(reach, append=0.0), scale))
    return laws


def _cell_sum_laws(grid: CellGrid) -> dict[int, NDArray[np.float64]]:
    """Return, per cell, the law of the sum of its cases drawn again, in units."""
    if grid.cases is None:
        return {}
    cells, starts = np.unique(grid.cases.cell, return_index=True)
    values = np.split(grid.cases.numerator, starts[1:])
    laws = {}
    for cell, numerators in zip(cells.tolist(), values, strict=True):
        source = numerators if numerators.size > 1 else _peer_values(grid, cell)
        shares = np.bincount(source, minlength=grid.unit + 1) / source.size
        laws[cell] = _n_fold(shares, numerators.size)
    return laws


def _peer_values(grid: CellGrid, cell: int) -> NDArray[np.int64]:
    """Case values of a cell's task at its length: what a cell with a single case is drawn from."""
    assert grid.cases is not None
    row, column = np.divmod(grid.cases.cell, grid.depths.size)
    codes = grid.member_codes
    peers = (row == cell // grid.depths.size) & (codes[column] == codes[cell % grid.depths.size])
    values: NDArray[np.int64] = grid.cases.numerator[peers]
    return values


def _n_fold(law: NDArray[np.float64], n: int) -> NDArray[np.float64]:
    """Convolve a law with itself n times."""
    size = n * (law.size - 1) + 1
    power = np.fft.irfft(np.fft.rfft(law, 2 * size) ** n, 2 * size)[:size]
    return _clean(power)


def _clean(law: NDArray[np.float64]) -> NDArray[np.float64]:
    """Remove the rounding noise of a Fourier transform."""
    positive = np.where(law > 1e-15, law, 0.0)
    return np.asarray(positive / positive.sum())


def _row_law(
    sums: list[NDArray[np.float64]],
    steps: NDArray[np.int64],
    scale: int,
    treatment: Treatment,
) -> RowLaw:
    if treatment.is_order:
        return _order_law(sums, scale, treatment)
    law = _convolve([_stretch(cell, step) for cell, step in zip(sums, steps.tolist(), strict=True)])
    return RowLaw(_clean(law), scale)


def _convolve(laws: list[NDArray[np.float64]]) -> NDArray[np.float64]:
    """Return the law of the sum of independent values, through one Fourier transform each."""
    size = sum(law.size - 1 for law in laws) + 1
    room = next_fast_len(size, real=True)
    transforms = np.array([rfft(law, room) for law in laws])
    total: NDArray[np.float64] = irfft(transforms.prod(axis=0), room)[:size]
    return total


def _stretch(law: NDArray[np.float64], step: int) -> NDArray[np.float64]:
    """Write a law on a lattice `step` times finer."""
    stretched = np.zeros((law.size - 1) * step + 1)
    stretched[::step] = law
    return stretched


def _order_law(sums: list[NDArray[np.float64]], scale: int, treatment: Treatment) -> RowLaw:
    """Law of the cell that counts in order of size: few cells may lie below each point."""
    points = np.arange(scale + 1)
    passing = np.empty((scale + 1, len(sums)))
    for j, law in enumerate(sums):
        beyond = np.append(np.cumsum(law[::-1])[::-1], 0.0)
        step = scale // (law.size - 1)
        passing[:, j] = np.minimum(beyond[-(-points // step)], 1.0)
    most = np.full(scale + 1, treatment.rank(len(sums)) - 1)
    return RowLaw(-np.diff(at_most_failing(passing, most), append=0.0), scale)
