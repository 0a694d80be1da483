"""The trials of a table that can be compared: those whose places hold another unit as well."""

from dataclasses import dataclass

import numpy as np

from lcstats.needles.data import Floats, NeedleTable, Whole
from lcstats.needles.strata import Strata
from lcstats.records import freeze_arrays


@dataclass(frozen=True, slots=True, eq=False)
class Compared:
    """Trials that inform about dependence, their units, clusters and strata numbered anew.

    Attributes
    ----------
    found : ndarray of float64, shape (n_trials, n_needles)
    all_found : ndarray of float64, shape (n_trials,)
    code : ndarray of int64, shape (n_trials, n_needles)
        Stratum of every outcome.
    unit : ndarray of int64, shape (n_trials,)
    weight : ndarray of float64, shape (n_trials,)
    length : ndarray of int64, shape (n_trials,)
        Index of the trial's length among those of the table.
    n_lengths : int
        Of the table.
    cluster, place : ndarray of int64, shape (n_units,)
    """

    found: Floats
    all_found: Floats
    code: Whole
    unit: Whole
    weight: Floats
    length: Whole
    n_lengths: int
    cluster: Whole
    place: Whole

    def __post_init__(self) -> None:
        """Make the arrays read-only."""
        freeze_arrays(self)

    @property
    def n_units(self) -> int:
        """Units of evidence."""
        return int(self.cluster.size)

    @property
    def length_of_unit(self) -> Whole:
        """Index of every unit's length, shape (n_units,)."""
        lengths = np.zeros(self.n_units, dtype=np.int64)
        lengths[self.unit] = self.length
        return lengths

    def unit_means(self, values: Floats) -> Floats:
        """Return the mean of every unit's trials, from shape (n_trials,) to (n_units,)."""
        return np.asarray(np.bincount(self.unit, self.weight * values))

    def unit_residuals(self, rates: Floats) -> tuple[Floats, Whole]:
        """Return outcomes less their stratum's rate, by unit, with their strata.

        Parameters
        ----------
        rates : ndarray of float64, shape (n_strata,)

        Returns
        -------
        ndarray of float64 and ndarray of int64, shape (n_units, n_needles)
        """
        residual = (self.found - rates[self.code]) * self.weight[:, None]
        means = np.zeros((self.n_units, self.code.shape[1]))
        np.add.at(means, self.unit, residual)
        code = np.zeros(means.shape, dtype=np.int64)
        code[self.unit] = self.code
        return means, code

    def at_length(self, index: int) -> "Compared":
        """Return the trials of one length of the table."""
        own = np.flatnonzero(self.length == index)
        units, unit = np.unique(self.unit[own], return_inverse=True)
        return Compared(
            found=self.found[own],
            all_found=self.all_found[own],
            code=_renumbered(self.code[own]),
            unit=unit,
            weight=self.weight[own],
            length=self.length[own],
            n_lengths=self.n_lengths,
            cluster=_renumbered(self.cluster[units]),
            place=_renumbered(self.place[units]),
        )


def compare_trials(table: NeedleTable, strata: Strata) -> Compared:
    """Take the trials of a table whose strata hold another unit."""
    keep = np.flatnonzero(strata.informs)
    units, unit = np.unique(table.unit[keep], return_inverse=True)
    place = np.zeros(units.size, dtype=np.int64)
    place[unit] = table.placement[keep]
    return Compared(
        found=table.found[keep],
        all_found=table.all_found[keep],
        code=_renumbered(strata.code[keep]),
        unit=unit,
        weight=table.weight[keep],
        length=np.searchsorted(table.lengths, table.length[keep]),
        n_lengths=table.lengths.size,
        cluster=_renumbered(table.cluster[units]),
        place=_renumbered(place),
    )


def _renumbered(code: Whole) -> Whole:
    return np.asarray(np.unique(code, return_inverse=True)[1].reshape(code.shape))
