"""What a sampler returns."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from lcstats.curve import FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """Points of a density, all of equal weight.

    Attributes
    ----------
    points : ndarray of float64, shape (n_draws, n_dimensions)
        Of several chains in turn.
    statistics : mapping of str to ndarray, shape (n_draws,)
    diagnostics : mapping of str to number or str
    """

    points: FloatArray
    statistics: Mapping[str, NDArray[Any]]
    diagnostics: Mapping[str, Any]
