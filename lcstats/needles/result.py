"""What is known of a task of several needles: rates, dependence, and how far it goes."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

from lcstats.errors import Notice
from lcstats.lengths import EffectiveLength
from lcstats.needles.bounded import Bounded
from lcstats.needles.data import NeedleTable
from lcstats.needles.dependence import Dependence
from lcstats.needles.profile import DepthStep, find_depth_step
from lcstats.needles.rates import LengthRow
from lcstats.needles.single import SingleNeedle
from lcstats.needles.task_length import LAYOUTS, TaskLength
from lcstats.records import (
    SCHEMA_VERSION,
    array_of,
    finite_or_none,
    list_notices,
    notices_of,
    restoring,
)
from lcstats.trials.wording import counted


@dataclass(frozen=True, slots=True, eq=False)
class NeedleAnalysis:
    """Several needles: one language model on one task with one number of needles.

    Attributes
    ----------
    table : NeedleTable
        What was found, trial by trial.
    rows : tuple of LengthRow
        Rates, joint rates and products at every length.
    dependence : Dependence or None
        None for a single needle, and where only whole trials are known.
    observed : EffectiveLength
        Of trials that found all their needles: what was seen.
    required_rates : mapping of int to float
        Number of needles to the rate of each at which all are found with the target rate.
    single : SingleNeedle or None
        The curve of one needle; None where it was not asked for or a single length was tested.
    implied : tuple of TaskLength
        What the curve implies for each number and layout, if needles were independent.
    by_surface : tuple of TaskLength
        The same by the flexible surface; empty where none was fitted.
    level : float
    notices : tuple of Notice
    """

    table: NeedleTable
    rows: tuple[LengthRow, ...]
    dependence: Dependence | None
    observed: EffectiveLength
    required_rates: Mapping[int, float]
    single: SingleNeedle | None
    implied: tuple[TaskLength, ...]
    by_surface: tuple[TaskLength, ...]
    level: float
    notices: tuple[Notice, ...] = ()

    @property
    def model(self) -> str:
        """The language model."""
        return self.table.model

    @property
    def task(self) -> str:
        """The task."""
        return self.table.task

    @property
    def n_needles(self) -> int:
        """Needles of every trial."""
        return self.table.n_needles

    @property
    def target(self) -> float:
        """Share of trials that have to find all their needles."""
        return float(self.observed.applied_threshold)

    @property
    def depth_step(self) -> DepthStep | None:
        """The depth on one side of which needles are found and on the other missed, if any."""
        return find_depth_step(self.table)

    @property
    def ratio_lengths(self) -> tuple[int, ...]:
        """Lengths at which some trials found all and some did not: these tell of the ratio."""
        return tuple(row.length for row in self.rows if 0.0 < row.joint.value < 1.0)

    @property
    def independence_lengths(self) -> tuple[int, ...]:
        """Lengths with needles that were both found and missed in one place: these are tested."""
        if self.dependence is None:
            return ()
        pairs = zip(self.rows, self.dependence.correlation_by_length, strict=True)
        return tuple(row.length for row, own in pairs if own.is_known)

    def implied_length(self, n_needles: int, layout: str = "spread") -> TaskLength | None:
        """Return what the curve implies for one number and layout; None if it was not asked for."""
        for one in self.implied:
            if (one.n_needles, one.layout) == (n_needles, layout):
                return one
        return None

    def to_frame(self) -> pd.DataFrame:
        """Return one row per length: counts, rates with their intervals, product, dependence."""
        return pd.DataFrame([self._row(index) for index in range(len(self.rows))])

    def _row(self, index: int) -> dict[str, Any]:
        row = self.rows[index]
        values: dict[str, Any] = {
            "model": self.model,
            "task": self.task,
            "n_needles": self.n_needles,
            "length": row.length,
            "n_trials": row.n_trials,
            "n_units": row.n_units,
        }
        for name, stated in (("rate", row.rate), ("joint", row.joint)):
            values |= {name: stated.value, f"{name}_lower": stated.lower}
            values |= {f"{name}_upper": stated.upper}
        values["product"] = row.product
        if self.dependence is not None:
            values["dependence_ratio"] = self.dependence.ratio_by_length[index].value
            correlation = self.dependence.correlation_by_length[index]
            values["intraclass_correlation"] = correlation.value
        return values

    def __repr__(self) -> str:
        return (
            f"NeedleAnalysis({self.model} on {self.task}: {counted(self.n_needles, 'needle')}, "
            f"{self.table.n_trials} trials, all found up to {self.observed.observed.display} "
            f"{self.table.length_unit})"
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the group of the ``needles`` JSON."""
        table, lengths = self.table, [str(row.length) for row in self.rows]
        step = self.depth_step
        dependence = dict.fromkeys(NO_DEPENDENCE) | (
            {} if self.dependence is None else self.dependence.to_dict()
        )
        return {
            "schema_version": SCHEMA_VERSION,
            "model": self.model,
            "task": self.task,
            "n_needles": self.n_needles,
            "kind": table.kind,
            "repeats": table.repeats,
            "n_trials": table.n_trials,
            "n_units": table.n_units,
            "n_unscored": table.n_unscored,
            "level": self.level,
            "length_unit": table.length_unit,
            "n_trials_by_length": {str(row.length): row.n_trials for row in self.rows},
            "n_units_by_length": {str(row.length): row.n_units for row in self.rows},
            "rate_by_length": {str(row.length): row.rate.to_dict() for row in self.rows},
            "joint_by_length": {str(row.length): row.joint.to_dict() for row in self.rows},
            "product_by_length": {
                str(row.length): finite_or_none(row.product) for row in self.rows
            },
            **dependence,
            "dependence_ratio_by_length": self._by_length("ratio_by_length", lengths),
            "intraclass_correlation_by_length": self._by_length("correlation_by_length", lengths),
            "dependence_ratio_lengths": list(self.ratio_lengths),
            "independence_lengths": list(self.independence_lengths),
            "depth_step": step and step.to_dict(),
            "target": self.target,
            "required_rate": {str(k): rate for k, rate in self.required_rates.items()},
            "observed_effective_length": self._observed(),
            "single_needle": None if self.single is None else self.single.to_dict(),
            "effective_length_by_needles": _by_number(self.implied),
            "effective_length_by_needles_flexible": _by_number(self.by_surface),
            "counts": {
                "table": table.to_dict(),
                "observed": self.observed.to_dict(),
                "single_needle": self.single and self.single.to_record(),
            },
            "notices": list_notices(self.notices),
        }

    @classmethod
    def from_dict(cls, document: Mapping[str, Any]) -> "NeedleAnalysis":
        """Restore what :meth:`to_dict` returned.

        Raises
        ------
        FormatError
            If it is of an unknown schema version or not whole.

        Notes
        -----
        The draws of curves of a single needle do not come back: the sets and masses made of them
        do.
        """
        with restoring("NeedleAnalysis", document):
            return _restored(document)

    def _by_length(self, name: str, lengths: list[str]) -> dict[str, Any] | None:
        if self.dependence is None:
            return None
        stated = getattr(self.dependence, name)
        return {length: one.to_dict() for length, one in zip(lengths, stated, strict=True)}

    def _observed(self) -> dict[str, Any]:
        estimate = self.observed.observed.to_dict()
        kept = ("method", "length", "status", "display", "longest_passing", "sets", "masses")
        return {name: estimate[name] for name in kept} | {
            "criterion": self.observed.to_dict()["criterion"]
        }


NO_DEPENDENCE = (
    *("dependence_ratio", "intraclass_correlation", "neighbour_effect", "other_effect"),
    *("independence_p", "neighbour_p", "dependence_strata", "n_units_compared"),
    *("n_trials_compared", "n_permutations"),
)
"""Fields that are null where there is nothing to compare."""


def _by_number(implied: tuple[TaskLength, ...]) -> dict[str, Any]:
    """Return implied lengths by number of needles, then by layout."""
    numbers = sorted({one.n_needles for one in implied})
    return {
        str(number): {
            "required_rate": next(o.required_rate for o in implied if o.n_needles == number),
            **{one.layout: one.to_dict() for one in implied if one.n_needles == number},
        }
        for number in numbers
    }


def _restored(document: Mapping[str, Any]) -> NeedleAnalysis:
    counts = document["counts"]
    single, dependence = counts["single_needle"], document["dependence_strata"]
    return NeedleAnalysis(
        table=NeedleTable.from_dict(counts["table"]),
        rows=tuple(_row_of(document, length) for length in document["rate_by_length"]),
        dependence=None if dependence is None else Dependence.from_dict(document),
        observed=EffectiveLength.from_dict(counts["observed"]),
        required_rates={int(k): rate for k, rate in document["required_rate"].items()},
        single=None if single is None else SingleNeedle.from_record(single),
        implied=_lengths_of(document["effective_length_by_needles"]),
        by_surface=_lengths_of(document["effective_length_by_needles_flexible"]),
        level=document["level"],
        notices=notices_of(document["notices"]),
    )


def _row_of(document: Mapping[str, Any], length: str) -> LengthRow:
    return LengthRow(
        length=int(length),
        n_trials=document["n_trials_by_length"][length],
        n_units=document["n_units_by_length"][length],
        rate=Bounded.from_dict(document["rate_by_length"][length]),
        joint=Bounded.from_dict(document["joint_by_length"][length]),
        product=float(array_of(document["product_by_length"][length])),
    )


def _lengths_of(by_number: Mapping[str, Any]) -> tuple[TaskLength, ...]:
    return tuple(
        TaskLength.from_dict(group[layout], int(number), layout, group["required_rate"])
        for number, group in by_number.items()
        for layout in LAYOUTS
    )
