"""Exact bootstrap laws when cases are worth fractions: graded scores, folded repeats.

The sum of n cases drawn from a cell's own is the n-fold convolution of their distribution.
"""

from math import lcm

import numpy as np
from numpy.typing import NDArray
from scipy.fft import irfft, next_fast_len, rfft

from lcstats.cells import CellGrid
from lcstats.kernels.binomial import at_most_failing
from lcstats.lengths.criterion import Treatment
from lcstats.lengths.laws import RowLaw


def row_laws_of_cases(grid: CellGrid, treatment: Treatment) -> list[RowLaw]:
    """Return the bootstrap law of every length's accuracy from the cases themselves."""
    sums = _cell_sum_laws(grid)
    n_depths = grid.depths.size
    return [
        _row_law(
            [sums[i * n_depths + j] for j in np.flatnonzero(n_cases).tolist()],
            n_cases[n_cases > 0],
            grid.unit,
            treatment,
        )
        for i, n_cases in enumerate(grid.n_cases)
    ]


def _cell_sum_laws(grid: CellGrid) -> dict[int, NDArray[np.float64]]:
    """Return, per cell, the law of the sum of its cases drawn again, in units."""
    if grid.cases is None:
        return {}
    cells, starts = np.unique(grid.cases.cell, return_index=True)
    values = np.split(grid.cases.numerator, starts[1:])
    pooled = {int(i): _row_values(grid, int(i)) for i in np.unique(cells // grid.depths.size)}
    laws = {}
    for cell, numerators in zip(cells.tolist(), values, strict=True):
        source = numerators if numerators.size > 1 else pooled[cell // grid.depths.size]
        shares = np.bincount(source, minlength=grid.unit + 1) / source.size
        laws[cell] = _n_fold(shares, numerators.size)
    return laws


def _row_values(grid: CellGrid, row: int) -> NDArray[np.int64]:
    """Case values of a whole length: what a cell with a single case is drawn from."""
    assert grid.cases is not None
    values: NDArray[np.int64] = grid.cases.numerator[grid.cases.cell // grid.depths.size == row]
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
    n_cases: NDArray[np.int64],
    unit: int,
    treatment: Treatment,
) -> RowLaw:
    common = lcm(*n_cases.tolist()) * unit
    if treatment.is_order:
        return _order_law(sums, n_cases, common, treatment)
    pooled = treatment.kind == "pooled"
    steps = [1 if pooled else common // (n * unit) for n in n_cases.tolist()]
    law = _convolve([_stretch(cell, step) for cell, step in zip(sums, steps, strict=True)])
    scale = int(n_cases.sum()) * unit if pooled else common * n_cases.size
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


def _order_law(
    sums: list[NDArray[np.float64]],
    n_cases: NDArray[np.int64],
    scale: int,
    treatment: Treatment,
) -> RowLaw:
    """Law of the cell that counts in order of size: few cells may lie below each point."""
    points = np.arange(scale + 1)
    passing = np.empty((scale + 1, len(sums)))
    for j, law in enumerate(sums):
        beyond = np.append(np.cumsum(law[::-1])[::-1], 0.0)
        step = scale // (law.size - 1)
        passing[:, j] = np.minimum(beyond[-(-points // step)], 1.0)
    most = np.full(scale + 1, treatment.rank(len(sums)) - 1)
    return RowLaw(-np.diff(at_most_failing(passing, most), append=0.0), scale)
