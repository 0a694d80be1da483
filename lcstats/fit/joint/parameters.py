"""The parameters of a joint fit, their names, and the columns that belong to each."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from lcstats.curve import Compound, FloatArray
from lcstats.fit.joint.tasks import TaskCounts, join_compounds
from lcstats.fit.table import MOST_INFORMATION, DroppedTerm, Law, independent_columns

COMBINING_RATE = "log_combining_rate"
COMBINING_DECAY = "combining_decay"
COMBINING = (COMBINING_RATE, COMBINING_DECAY)
"""log kappa and omega of ``h = kappa exp(-omega l)``, l in doublings of the base length."""


MOST_INFORMATION_OF_ALL = 0.65
"""Of a trial that needs several facts on their logit: x^2 / (e^x - 1) at its largest, for many."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """One number of a joint fit.

    Attributes
    ----------
    term : str
        Of the law, or one of :data:`COMBINING`.
    task : str
        Of which it is the difference from the common term, or the combining factor; empty for a
        term that all tasks share.
    """

    term: str
    task: str = ""

    @property
    def name(self) -> str:
        """The term, with its task in brackets."""
        return f"{self.term}[{self.task}]" if self.task else self.term

    @property
    def combines(self) -> bool:
        """True for a number of a combining factor."""
        return self.term in COMBINING


def list_parameters(tasks: Sequence[TaskCounts], law: Law) -> tuple[Parameter, ...]:
    """Return common terms, then differences of tasks, then combining factors."""
    common = [Parameter(term) for term in law.terms]
    own = [Parameter(t, task.name) for task in tasks for t in law.terms if t in task.own_terms]
    factors = [Parameter(term, task.name) for task in tasks if task.combines for term in COMBINING]
    return (*common, *own, *factors)


def build_compound(
    tasks: Sequence[TaskCounts], law: Law, parameters: Sequence[Parameter]
) -> Compound:
    """Return all cells of all tasks, with a column for every parameter."""
    terms = [parameter for parameter in parameters if not parameter.combines]
    factors = [parameter for parameter in parameters if parameter.combines]
    full = replace(law, terms=tuple(dict.fromkeys(parameter.term for parameter in terms)))
    parts = []
    for task in tasks:
        design = full.design(task.length[:, None], task.places)
        columns = [
            design[..., full.terms.index(p.term)] * (p.task in ("", task.name)) for p in terms
        ]
        parts.append(task.compound(np.stack(columns, axis=-1), _combining(task, law, factors)))
    return join_compounds(parts)


def _combining(task: TaskCounts, law: Law, factors: Sequence[Parameter]) -> FloatArray:
    doublings = np.log2(task.length / law.base_length)
    columns = {COMBINING_RATE: np.ones(doublings.size), COMBINING_DECAY: -doublings}
    own = [columns[factor.term] * (factor.task == task.name) for factor in factors]
    return np.stack(own, axis=-1) if own else np.zeros((doublings.size, 0))


def drop_confounded(
    tasks: Sequence[TaskCounts], law: Law, parameters: Sequence[Parameter]
) -> tuple[tuple[Parameter, ...], tuple[DroppedTerm, ...]]:
    """Leave out terms that trials cannot tell from others, because their facts average over them.

    What a trial says of a term is, to first order, the mean of the term's column over its facts.
    Trials of ten items spread over the whole context all have the same mean middle weight and
    recency, so that these are part of the length and the intercept. Facts at nearly one depth
    tell next to nothing apart: a term whose standard error would be beyond use at the rates that
    say most is left out too.
    """
    compound = build_compound(tasks, law, parameters)
    points = np.diff(compound.factor_starts)[:, None]
    factors = np.add.reduceat(compound.design, compound.factor_starts[:-1]) / points
    cells = np.add.reduceat(factors * compound.powers[:, None], compound.cell_starts[:-1])
    weight = np.add.reduceat(compound.powers, compound.cell_starts[:-1])
    most = np.where(weight > 1.0, MOST_INFORMATION_OF_ALL, MOST_INFORMATION)
    n_cases = np.concatenate([task.n_cases for task in tasks])
    kept = set(independent_columns(cells / weight[:, None], most * n_cases))
    terms = [parameter for parameter in parameters if not parameter.combines]
    factors_of_h = [parameter for parameter in parameters if parameter.combines]
    dropped = tuple(
        DroppedTerm(p.name, "trials average over their facts and cannot tell it from other terms")
        for j, p in enumerate(terms)
        if j not in kept
    )
    left = tuple(p for j, p in enumerate(terms) if j in kept)
    return (*left, *factors_of_h), dropped
