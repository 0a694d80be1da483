"""`Contrast`: one difference with its interval and tests; slices by length and by depth."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from lcstats.comparison.arms import Arms, evidence_of_arms
from lcstats.comparison.evidence import Counts, Evidence, evidence_of_pairs
from lcstats.comparison.pairs import Pairs
from lcstats.options import percent


@dataclass(frozen=True, slots=True)
class DifferenceInterval:
    """A two-sided interval of a difference, inside [-1, 1].

    Attributes
    ----------
    kind : {"tango", "tango_effective", "miettinen_nurminen"}
    level, lower, upper : float
    """

    kind: str
    level: float
    lower: float
    upper: float


@dataclass(frozen=True, slots=True)
class Contrast(Counts):
    """A difference between two language models, new minus old: its numbers and its interval.

    Attributes
    ----------
    n_paired : int
        0 where there are no pairs.
    n_old, n_new : int
        Cases on each side that it is of.
    accuracy_old, accuracy_new, difference : float
    test : {"mcnemar", "sign_flip", "score"}
    p_value : float
        Two-sided, not corrected for anything; mid-p for pairs.
    exact_p : float or None
        For pairs.
    discordant : tuple of int, or None
        Pairs on which only old is right (for graded scores: better), and only new.
    interval : DifferenceInterval
    """

    interval: DifferenceInterval = field(kw_only=True)

    @property
    def mid_p(self) -> float | None:
        """The mid-p value; None without pairs."""
        return self.p_value if self.n_paired else None

    def words(self) -> str:
        """Say the difference with its interval and the cases it is of.

        Examples
        --------
        >>> interval = DifferenceInterval("tango", 0.95, -0.158, -0.0143)
        >>> Contrast(100, 100, 100, 0.7, 0.62, -0.08, "mcnemar", 0.0225, interval=interval).words()
        '0.62 against 0.7 on 100 pairs, difference -0.08 (95% interval -0.158 to -0.0143)'
        """
        on = f"{self.n_paired} pairs" if self.n_paired else f"{self.n_new} and {self.n_old} cases"
        ends = f"{self.interval.lower:.3g} to {self.interval.upper:.3g}"
        return (
            f"{self.accuracy_new:.3g} against {self.accuracy_old:.3g} on {on}, "
            f"difference {self.difference:+.3g} "
            f"({percent(self.interval.level)} interval {ends})"
        )

    def to_dict(self) -> dict[str, Any]:
        """Return JSON-ready values under the names of the ``compare`` object."""
        return {
            "n_paired": self.n_paired,
            "n_old": self.n_old,
            "n_new": self.n_new,
            "accuracy_old": self.accuracy_old,
            "accuracy_new": self.accuracy_new,
            "difference": self.difference,
            "interval": asdict(self.interval),
            "discordant": None if self.discordant is None else list(self.discordant),
            "test": self.test,
            "p_value": self.p_value,
            "mcnemar_exact_p": self.exact_p,
            "mcnemar_midp": self.mid_p,
        }

    @classmethod
    def from_dict(cls, document: Mapping[str, Any]) -> "Contrast":
        """Restore what :meth:`to_dict` returned."""
        names = ("n_paired", "n_old", "n_new", "accuracy_old", "accuracy_new", "difference")
        discordant = document["discordant"]
        return cls(
            **{name: document[name] for name in (*names, "test", "p_value")},
            interval=DifferenceInterval(**document["interval"]),
            exact_p=document["mcnemar_exact_p"],
            discordant=None if discordant is None else tuple(discordant),
        )


@dataclass(frozen=True, slots=True)
class Slice:
    """The difference at one length over all depths, or at one depth over all lengths.

    Attributes
    ----------
    place : int or float
        The length, or the depth.
    contrast : Contrast
    """

    place: float
    contrast: Contrast


def contrast_of(evidence: Evidence, level: float) -> Contrast:
    """Put a difference's numbers together with its two-sided interval."""
    ends = evidence.bounds((1.0 + level) / 2.0)
    interval = DifferenceInterval(evidence.kind, level, *ends)
    return Contrast(**asdict(evidence.counts), interval=interval)


def evidence_of(data: Pairs | Arms) -> Evidence:
    """Return what pairs, or unpaired counts, say about their difference."""
    return evidence_of_pairs(data) if isinstance(data, Pairs) else evidence_of_arms(data)


def slices_of(data: Pairs | Arms, axis: str, level: float) -> tuple[Slice, ...]:
    """Return the difference at every length, or at every depth; cases without a depth are left out.

    Parameters
    ----------
    data : Pairs or Arms
    axis : {"length", "depth"}
    level : float
    """
    values = getattr(data, axis)
    places = np.unique(values[~np.isnan(values.astype(np.float64))])
    return tuple(
        Slice(place, contrast_of(evidence_of(data.select(values == place)), level))
        for place in places.tolist()
    )
