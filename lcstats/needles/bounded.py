"""A number with the ends of its interval."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from lcstats.records import (
    array_of,
    finite_or_none,
)


@dataclass(frozen=True, slots=True)
class Bounded:
    """An estimate and its interval; NaN where the data say nothing.

    Attributes
    ----------
    value, lower, upper : float
    """

    value: float
    lower: float = float("nan")
    upper: float = float("nan")

    @property
    def is_known(self) -> bool:
        """True if there is a value."""
        return bool(np.isfinite(self.value))

    def to_dict(self) -> dict[str, float | None]:
        """Return the three numbers, None for those that are not known."""
        return {
            "value": finite_or_none(self.value),
            "lower": finite_or_none(self.lower),
            "upper": finite_or_none(self.upper),
        }

    @classmethod
    def from_dict(cls, document: Mapping[str, float | None]) -> "Bounded":
        """Restore what :meth:`to_dict` returned; None becomes NaN."""
        return cls(*array_of([document[name] for name in ("value", "lower", "upper")]).tolist())

    def words(self, digits: int = 3) -> str:
        """Write the value and its interval.

        Examples
        --------
        >>> Bounded(1.4, 1.3, 1.52).words(), Bounded(1.4).words()
        ('1.4 (1.3 to 1.52)', '1.4 (no interval)')
        """
        if not self.is_known:
            return "not known"
        if not np.isfinite([self.lower, self.upper]).all():
            return f"{self.value:.{digits}g} (no interval)"
        return f"{self.value:.{digits}g} ({self.lower:.{digits}g} to {self.upper:.{digits}g})"
