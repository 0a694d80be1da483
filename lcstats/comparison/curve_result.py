"""The result of comparing two curves: a test of equality, and the terms that differ."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from lcstats.errors import Notice
from lcstats.fit import CurveFit
from lcstats.options import percent
from lcstats.records import (
    SCHEMA_VERSION,
    array_of,
    finite_or_none,
    list_notices,
    notices_of,
    restoring,
)

TERM_WORDS: Mapping[str, str] = {
    "intercept": "level",
    "length": "cost of a doubling",
    "middle": "middle penalty",
    "recency": "recency bonus",
}
"""What each term is, in words."""


@dataclass(frozen=True, slots=True)
class TermDifference:
    """One term of two curves.

    Attributes
    ----------
    term : str
    old, new : float
        Coefficients, in log-odds.
    standard_error : float
        Of new - old, with pairs and clusters taken into account.
    lower, upper : float
        Interval of new - old.
    p_value, holm_p : float
        Alone, and adjusted for the number of terms.
    """

    term: str
    old: float
    new: float
    standard_error: float
    lower: float
    upper: float
    p_value: float
    holm_p: float

    @property
    def difference(self) -> float:
        """New - old, in log-odds."""
        return self.new - self.old

    def to_dict(self) -> dict[str, Any]:
        """Return JSON-ready values; what the data do not determine is None."""
        numbers = {"difference": self.difference, **asdict(self)}
        return {
            name: value if isinstance(value, str) or np.isfinite(value) else None
            for name, value in numbers.items()
        }


@dataclass(frozen=True, slots=True, eq=False)
class CurveComparison:
    """Whether one curve serves two language models, and which terms differ.

    Attributes
    ----------
    old, new : CurveFit
        The separate curves, of the paired cases.
    shared : CurveFit
        One curve for the cases of both.
    statistic : float
        Twice what separate curves gain in log-likelihood.
    p_value : float
        Of swapping old and new within clusters: exact where the two are alike.
    asymptotic_p_value : float
        Of chi-square, adjusted for pairs and clusters; NaN where that cannot be done.
    design_effect : float
        By how much contrasts vary more than those of independent cases; below 1 where pairs agree.
    n_permutations, n_clusters : int
    level : float
    differences : tuple of TermDifference
    notices : tuple of Notice
    """

    old: CurveFit
    new: CurveFit
    shared: CurveFit
    statistic: float
    p_value: float
    asymptotic_p_value: float
    design_effect: float
    n_permutations: int
    n_clusters: int
    level: float
    differences: tuple[TermDifference, ...]
    notices: tuple[Notice, ...] = ()

    @property
    def moved(self) -> tuple[str, ...]:
        """Terms whose difference is shown at the level, with Holm over the terms."""
        return tuple(d.term for d in self.differences if d.holm_p <= 1.0 - self.level)

    def sentence(self) -> str:
        """Say the test and which terms moved."""
        moved = ", ".join(
            f"{TERM_WORDS[d.term]} {d.difference:+.2g} ({d.lower:.2g} to {d.upper:.2g})"
            for d in self.differences
            if d.term in self.moved
        )
        words = f"moved, in log-odds: {moved}" if moved else "no single term is shown to have moved"
        return (
            f"curves differ by {self.statistic:.3g} in twice the log-likelihood (p "
            f"{self.p_value:.3g} by swapping old and new); {words} "
            f"({percent(self.level)}, Holm over {len(self.differences)} terms)"
        )

    def __repr__(self) -> str:
        return f"CurveComparison({self.sentence()})"

    def to_frame(self) -> pd.DataFrame:
        """Return one row per term."""
        return pd.DataFrame([{**asdict(d), "difference": d.difference} for d in self.differences])

    def to_dict(self) -> dict[str, Any]:
        """Return an entry of ``curve_tests`` in the ``compare`` JSON, without the single cases."""
        return {
            "schema_version": SCHEMA_VERSION,
            "statistic": self.statistic,
            "p_value": self.p_value,
            "asymptotic_p_value": finite_or_none(self.asymptotic_p_value),
            "design_effect": finite_or_none(self.design_effect),
            "n_permutations": self.n_permutations,
            "n_clusters": self.n_clusters,
            "level": self.level,
            "terms": [difference.to_dict() for difference in self.differences],
            "moved": list(self.moved),
            "fits": {name: _without_cases(getattr(self, name)) for name in _FITS},
            "notices": list_notices(self.notices),
        }

    @classmethod
    def from_dict(cls, document: Mapping[str, Any]) -> "CurveComparison":
        """Restore what :meth:`to_dict` returned.

        Raises
        ------
        FormatError
            If it is of an unknown schema version or not whole.
        """
        with restoring("CurveComparison", document):
            old, new, shared = (CurveFit.from_dict(document["fits"][name]) for name in _FITS)
            return cls(
                old,
                new,
                shared,
                **{name: document[name] for name in _AS_THEY_ARE},
                asymptotic_p_value=float(array_of(document["asymptotic_p_value"])),
                design_effect=float(array_of(document["design_effect"])),
                differences=tuple(_term_of(part) for part in document["terms"]),
                notices=notices_of(document["notices"]),
            )


_FITS = ("old", "new", "shared")
_AS_THEY_ARE = ("statistic", "p_value", "n_permutations", "n_clusters", "level")


def _without_cases(fit: CurveFit) -> dict[str, Any]:
    return replace(fit, grid=replace(fit.grid, cases=None)).to_dict()


def _term_of(document: Mapping[str, Any]) -> TermDifference:
    numbers = {
        name: float(array_of(value))
        for name, value in document.items()
        if name not in ("term", "difference")
    }
    return TermDifference(term=document["term"], **numbers)
