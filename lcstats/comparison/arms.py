"""Two language models without common cases: their counts, cell by cell, as independent samples."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from lcstats.cells import CellGrid, design_effect
from lcstats.comparison.evidence import Counts, MarginTest
from lcstats.comparison.tango import N_HALVINGS
from lcstats.records import freeze_arrays
from lcstats.wilson import two_sided_quantile

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Arms:
    """Counts of one task on the cells that both language models have cases in.

    Attributes
    ----------
    old_model, new_model, task, length_unit : str
    length : ndarray of int64, shape (n_cells,)
    depth : ndarray of float64, shape (n_cells,)
        NaN for cases without one.
    n_old, n_new : ndarray of float64, shape (n_cells,)
        Cases.
    right_old, right_new : ndarray of float64, shape (n_cells,)
        Sums of their scores.
    n_unmatched_old, n_unmatched_new : int
        Cases in cells that only one side has.
    effect_old, effect_new : float
        Design effects of clusters, at least 1.
    """

    old_model: str
    new_model: str
    task: str
    length_unit: str
    length: NDArray[np.int64]
    depth: FloatArray
    n_old: FloatArray
    n_new: FloatArray
    right_old: FloatArray
    right_new: FloatArray
    n_unmatched_old: int
    n_unmatched_new: int
    effect_old: float = 1.0
    effect_new: float = 1.0

    def __post_init__(self) -> None:
        """Make the arrays read-only."""
        freeze_arrays(self)

    def select(self, kept: NDArray[np.bool_]) -> "Arms":
        """Return some of the cells."""
        names = ("length", "depth", "n_old", "n_new", "right_old", "right_new")
        parts = {name: getattr(self, name)[kept] for name in names}
        return replace(self, **parts, n_unmatched_old=0, n_unmatched_new=0)


def arms_of(old: CellGrid, new: CellGrid) -> Arms:
    """Put the counts of one task on the cells that both grids have cases in.

    Parameters
    ----------
    old, new : CellGrid
        Of the same task and unit of length.
    """
    frames = [grid.to_frame()[["length", "depth", "n_cases", "successes"]] for grid in (old, new)]
    both = frames[0].merge(frames[1], on=["length", "depth"], suffixes=("_old", "_new"))
    both = both.sort_values(["length", "depth"])
    n_old, n_new = (both[f"n_cases_{side}"].to_numpy(np.float64) for side in ("old", "new"))
    return Arms(
        old_model=old.model,
        new_model=new.model,
        task=old.task,
        length_unit=old.length_unit,
        length=both["length"].to_numpy(np.int64),
        depth=both["depth"].to_numpy(np.float64),
        n_old=n_old,
        n_new=n_new,
        right_old=both["successes_old"].to_numpy(np.float64),
        right_new=both["successes_new"].to_numpy(np.float64),
        n_unmatched_old=int(old.n_cases.sum() - n_old.sum()),
        n_unmatched_new=int(new.n_cases.sum() - n_new.sum()),
        effect_old=design_effect(old),
        effect_new=design_effect(new),
    )


@dataclass(frozen=True, slots=True)
class ArmsEvidence:
    """What two independent samples say about a difference.

    Attributes
    ----------
    counts : Counts
    n_old, n_new, right_old, right_new : ndarray of float64, shape (n_cells,)
        Effective counts.
    """

    counts: Counts
    n_old: FloatArray
    n_new: FloatArray
    right_old: FloatArray
    right_new: FloatArray

    @property
    def kind(self) -> str:
        """Name of the interval."""
        return "miettinen_nurminen"

    def statistic(self, difference: float) -> float:
        """Return by how many standard errors the observed difference lies above a given one.

        Notes
        -----
        Differences of the cells are weighted by ``n_old n_new / (n_old + n_new)``, and each cell's
        variance is the most likely one under the given difference (Miettinen and Nurminen 1985,
        Statistics in Medicine 4:213).
        """
        weight = cell_weights(self.n_old, self.n_new)
        observed = self.right_new / self.n_new - self.right_old / self.n_old
        excess = float(weight @ (observed - difference))
        old_share = restricted_share(
            self.n_old, self.n_new, self.right_old, self.right_new, difference
        )
        new_share = np.clip(old_share + difference, 0.0, 1.0)
        variance = (
            old_share * (1.0 - old_share) / self.n_old + new_share * (1.0 - new_share) / self.n_new
        )
        n = self.n_old + self.n_new
        total = float(weight**2 @ (variance * n / np.maximum(n - 1.0, 1.0)))
        if total <= 0.0:
            return 0.0 if excess == 0.0 else float(np.copysign(np.inf, excess))
        return excess / float(np.sqrt(total))

    def bounds(self, level: float) -> tuple[float, float]:
        """Return the lower and the upper bound, each one-sided at a level."""
        quantile = two_sided_quantile(2.0 * level - 1.0)
        point = self.counts.difference
        return self._bound(-1.0, point, quantile), self._bound(1.0, point, quantile)

    def _bound(self, outside: float, inside: float, quantile: float) -> float:
        if abs(self.statistic(outside)) <= quantile:
            return outside
        for _ in range(N_HALVINGS):
            middle = (inside + outside) / 2.0
            holds = abs(self.statistic(middle)) <= quantile
            inside, outside = (middle, outside) if holds else (inside, middle)
        return inside

    def test_margin(self, margin: float, level: float) -> MarginTest:
        """Test both hypotheses about a loss as large as the margin."""
        statistic = self.statistic(-margin)
        lower, upper = self.bounds(level)
        return MarginTest(
            loss_p=float(ndtr(statistic)),
            excluded_p=float(ndtr(-statistic)),
            lower=lower,
            upper=upper,
            statistic=statistic,
            method="stratified score test",
        )


def cell_weights(n_old: FloatArray, n_new: FloatArray) -> FloatArray:
    """Return the weights of cells in a difference; they sum to 1."""
    weight = n_old * n_new / (n_old + n_new)
    return np.asarray(weight / weight.sum())


def restricted_share(
    n_old: FloatArray,
    n_new: FloatArray,
    right_old: FloatArray,
    right_new: FloatArray,
    difference: float,
) -> FloatArray:
    """Return the most likely accuracy of the old side under a difference, per cell.

    Notes
    -----
    The root of the likelihood's cubic that is a probability, by its trigonometric form (Miettinen
    and Nurminen 1985, appendix; Farrington and Manning 1990, Statistics in Medicine 9:1447).
    """
    n, right = n_old + n_new, right_old + right_new
    third = n
    second = (n_new + 2.0 * n_old) * difference - n - right
    first = (n_old * difference - n - 2.0 * right_old) * difference + right
    zeroth = right_old * difference * (1.0 - difference)
    shift = second / (3.0 * third)
    offset = shift**3 - first * second / (6.0 * third**2) + zeroth / (2.0 * third)
    spread = np.copysign(np.sqrt(np.maximum(shift**2 - first / (3.0 * third), 0.0)), offset)
    cube = spread**3
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.where(cube == 0.0, 1.0, np.clip(offset / cube, -1.0, 1.0))
    angle = (np.pi + np.arccos(ratio)) / 3.0
    low, high = max(-difference, 0.0), min(1.0 - difference, 1.0)
    return np.asarray(np.clip(2.0 * spread * np.cos(angle) - shift, low, high))


def evidence_of_arms(arms: Arms) -> ArmsEvidence:
    """Return what counts of two independent samples say."""
    weight = cell_weights(arms.n_old, arms.n_new)
    old, new = (
        float(weight @ (right / n))
        for right, n in ((arms.right_old, arms.n_old), (arms.right_new, arms.n_new))
    )
    counts = Counts(
        n_paired=0,
        n_old=int(arms.n_old.sum()),
        n_new=int(arms.n_new.sum()),
        accuracy_old=old,
        accuracy_new=new,
        difference=new - old,
        test="score",
    )
    effects = arms.effect_old, arms.effect_new
    evidence = ArmsEvidence(
        counts,
        n_old=arms.n_old / effects[0],
        n_new=arms.n_new / effects[1],
        right_old=arms.right_old / effects[0],
        right_new=arms.right_new / effects[1],
    )
    p_value = min(2.0 * float(ndtr(-abs(evidence.statistic(0.0)))), 1.0)
    return replace(evidence, counts=replace(counts, p_value=p_value))
