"""Time to first token, time to the answer and cost of a query by length, where a table has them."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any

import pandas as pd

from lcstats.cells import Results
from lcstats.plots import cost_data, latency_data
from lcstats.plots.usage_table import has_values
from lcstats.trials import Trials

QUANTITIES = {
    "ttft_s": ("Time to first token", "s"),
    "latency_s": ("Time to the answer", "s"),
    "cost_usd": ("Cost per query", "USD"),
}
"""Column to what it is called, and its unit."""


@dataclass(frozen=True, slots=True)
class TimingAtLength:
    """One quantity at one length: over answered trials, the median and what 95% stay within."""

    length: int
    n_trials: int
    median: float
    high: float


@dataclass(frozen=True, slots=True)
class Timing:
    """One quantity of a group, by length.

    Attributes
    ----------
    quantity : str
        A key of :data:`QUANTITIES`.
    by_length : tuple of TimingAtLength
        Ascending; lengths at which some trial has a value.
    """

    quantity: str
    by_length: tuple[TimingAtLength, ...]

    @property
    def name(self) -> str:
        """What it is called."""
        return QUANTITIES[self.quantity][0]

    def sentence(self) -> str:
        """Say the median at the shortest and at the longest length.

        Examples
        --------
        >>> Timing("ttft_s", (TimingAtLength(4096, 20, 0.5, 0.8),)).sentence()
        'median 0.5 s at 4096 (95% within 0.8)'
        """
        unit = QUANTITIES[self.quantity][1]
        ends = dict.fromkeys((self.by_length[0], self.by_length[-1]))
        return ", ".join(
            f"median {at.median:.3g} {unit} at {at.length} (95% within {at.high:.3g})"
            for at in ends
        )

    def to_dict(self) -> dict[str, Any]:
        """Return an entry of ``timings`` in ``report.json``."""
        return {
            "quantity": self.quantity,
            "unit": QUANTITIES[self.quantity][1],
            "by_length": [asdict(at) for at in self.by_length],
        }


def find_timings(results: Results) -> dict[tuple[str, str], tuple[Timing, ...]]:
    """Return what a table says of times and costs by language model and task; counts say none."""
    found: dict[tuple[str, str], tuple[Timing, ...]] = {}
    for quantity, table in _tables(results):
        for (model, task), own in table.groupby(["model", "task"], sort=False):
            group = (str(model), str(task))
            found[group] = (*found.get(group, ()), _timing(quantity, own))
    return found


def _tables(results: Results) -> Iterator[tuple[str, pd.DataFrame]]:
    if not isinstance(results, Trials):
        return
    measures: Mapping[str, Callable[[Trials], pd.DataFrame]] = {
        "ttft_s": lambda trials: latency_data(trials, column="ttft_s"),
        "latency_s": lambda trials: latency_data(trials, column="latency_s"),
        "cost_usd": cost_data,
    }
    for quantity, measure in measures.items():
        if has_values(results, quantity):
            yield quantity, measure(results)


def _timing(quantity: str, table: pd.DataFrame) -> Timing:
    columns = table[["length", "n_trials", "median", "upper"]]
    return Timing(quantity, tuple(TimingAtLength(*row) for row in columns.itertuples(index=False)))
